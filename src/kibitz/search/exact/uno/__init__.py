"""UNO laid open for the solver: its chance, and what its searches believe."""
