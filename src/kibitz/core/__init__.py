"""What every kernel and command is written with: errors, readers, memory layouts, primitives, the compiler and its cache, random streams."""
