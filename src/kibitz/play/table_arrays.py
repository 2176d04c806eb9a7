"""Many tables in memory, one after the other, for kernels that play many games side by side."""

from __future__ import annotations

import numpy as np

from kibitz.play.lineup import Lineup, compiled_table

_ALIGNMENT = 64  # bytes


class TableArray:
    """A table and a state for each of many games. Bots have a memory in each; what they work in is shared, one for each worker."""

    def __init__(self, lineup: Lineup, count: int, workers: int = 1) -> None:
        self.share = -(-count // workers)  # tables of one worker
        self.made = [compiled_table(lineup) for _ in range(workers)]
        owners = np.arange(count) // self.share
        self.tables = np.concatenate([made.table for made in self.made])[owners]
        self.states = np.repeat(self.made[0].state, count)
        self._memories = []
        for entry in range(lineup.players):
            width = -(-int(self.tables["memory_size"][0, entry]) // _ALIGNMENT) * _ALIGNMENT
            if width:
                block = np.zeros(count * width + _ALIGNMENT, np.uint8)
                start = -(-block.ctypes.data // _ALIGNMENT) * _ALIGNMENT
                self.tables["memory"][:, entry] = start + width * np.arange(count)
                self._memories.append(block)

    @property
    def addresses(self) -> tuple[int, int]:
        """Where tables and states begin."""
        return int(self.tables.ctypes.data), int(self.states.ctypes.data)
