"""Random numbers for programs that draw them from the process: Python's `random` and NumPy's, from a seed of ours while such a program works."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def random_numbers_from(seed: int) -> Iterator[None]:
    """A block in which the process's random numbers come from a seed; afterwards they go on as if nothing had been."""
    python, numpy = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
