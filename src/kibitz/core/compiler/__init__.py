"""A quick compiler for kernels: from their source to LLVM, without Numba's general machinery.

Kernels are written in a small part of Python: whole numbers, floats, records, tables, tuples, loops over ranges. For that part the
source says nearly everything, so one walk over it finds the types and writes the LLVM instructions, many times as quickly as Numba's
many passes. What a kernel means is what Numba would make of it, to the last digit. A kernel with anything else in it is left
to Numba (`Unsupported`); both kinds call each other by Numba's calling convention, so nobody notices which one compiled what.

`definitions` finds a kernel's definition, `value_types` says what values there are, `arithmetic` and `body` write instructions, `calls` knows
what kernels call, `compiled_kernels` keeps what is compiled, and `numba_compilers` fits it into Numba.
"""
