"""UNO in words: what happens, whole games, reasons."""
