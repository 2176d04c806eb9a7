"""Files of trained weights: a damaged one is refused with a sentence, wherever the damage is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kibitz.bots.uno import linear, net
from kibitz.bots.weight_files import written_whole
from kibitz.errors import BadValue


@pytest.mark.parametrize(("read", "shipped"), [(linear.read_weights, linear.SHIPPED_FILE), (net.read_net, net.SHIPPED_FILE)])
def test_a_flipped_bit_is_told_or_harmless(read: Callable[[Path], Any], shipped: Path, tmp_path: Path) -> None:
    """A hundred places in the file; a bit in what nobody reads, such as a date, may be any."""
    whole, path, refused = shipped.read_bytes(), tmp_path / "flipped.npz", 0
    weights = read(shipped)
    for place in range(0, len(whole), len(whole) // 100):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x40]) + whole[place + 1 :])
        try:
            found = read(path)
        except BadValue:
            refused += 1
        else:
            assert (found == weights).all()
    assert refused > 80


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(b"old")

    def write() -> None:
        with written_whole(path, "file of weights") as file:
            file.write(b"new")
            raise OSError(28, "no room")

    with pytest.raises(BadValue, match="weights cannot be written: no room"):
        write()
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("weights", b"old")]
