"""Checkpoints are whole or not there, hold no objects, and whatever is wrong with one is said in one sentence."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.experiments.training.checkpoint import checkpoint_of, read_archive, write_archive
from kibitz.experiments.training.uno.linear import LinearPlan, LinearTraining
from kibitz.policies.weight_files import written_whole


def test_arrays_numbers_and_text_come_back(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    write_archive(path, weights=np.array([[1.5, -2.0]]), step=7, plan="some text")
    kept = read_archive(path)
    assert kept["weights"].tolist() == [[1.5, -2.0]]
    assert (int(kept["step"]), str(kept["plan"])) == (7, "some text")
    assert list(tmp_path.iterdir()) == [path]


def test_the_checkpoint_lies_beside_the_weights() -> None:
    assert checkpoint_of(Path("folder/mine.json")) == Path("folder/mine.json.checkpoint")


def test_a_crash_while_writing_leaves_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept"
    write_archive(path, step=1)

    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadValue, match=r"kept cannot be written: No space left on device\."):
        write_archive(path, step=2)
    assert int(read_archive(path)["step"]) == 1
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_missing_or_damaged_gets_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    with pytest.raises(BadValue, match="does not exist; start without --resume"):
        read_archive(path)
    with pytest.raises(BadValue, match=r"file of weights .*kept does not exist\."):
        read_archive(path, "file of weights")
    write_archive(path, step=1, weights=np.arange(1000.0))
    whole = path.read_bytes()
    damaged = [whole[:length] for length in range(0, len(whole), 997)]
    damaged += [flipped(whole, place, 0xFF) for place in range(30, len(whole) - 30, 499)]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(BadValue, match="damaged or of another kind"):
            read_archive(path)
    with pytest.raises(BadValue, match="is a folder"):
        read_archive(tmp_path)


def flipped(whole: bytes, place: int, bits: int) -> bytes:
    """The same with some bits of a byte the other way."""
    return whole[:place] + bytes([whole[place] ^ bits]) + whole[place + 1 :]


@pytest.mark.parametrize("bits", [0x01, 0x08, 0x20, 0xFF])
def test_wherever_a_bit_is_flipped_the_file_is_read_as_it_was_or_refused_in_one_sentence(bits: int, tmp_path: Path) -> None:
    """Names and headers stand at both ends of a small archive, in front of what a checksum covers."""
    path = tmp_path / "kept"
    write_archive(path, step=1, weights=np.arange(3.0))
    whole = path.read_bytes()
    refused = 0
    for place in range(len(whole)):
        path.write_bytes(flipped(whole, place, bits))
        try:
            kept = read_archive(path)
        except BadValue:
            refused += 1
        else:
            assert all(kept[name].tolist() == value for name, value in {"step": 1, "weights": [0, 1, 2]}.items() if name in kept)
    assert refused > len(whole) / 4


def test_what_is_not_finished_leaves_no_draft(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), written_whole(tmp_path / "kept", "checkpoint"):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    touched = tmp_path / "touched"

    class Trap:
        def __reduce__(self) -> Any:
            return (touched.touch, ())

    with path.open("wb") as file:
        np.savez(file, step=np.array([Trap()], dtype=object))
    with pytest.raises(BadValue, match="damaged or of another kind"):
        read_archive(path)
    assert not touched.exists()


def test_a_checkpoint_is_never_packed(tmp_path: Path) -> None:
    """So it cannot grow: a file of a few kilobytes does not hold 80 MB."""
    path = tmp_path / "kept"
    with path.open("wb") as file:
        np.savez_compressed(file, step=np.array(1), weights=np.zeros(10_000_000))
    with pytest.raises(BadValue, match="damaged or of another kind"):
        read_archive(path)


@pytest.mark.parametrize("value", [1e308, float("nan"), float("inf"), 2e6])
@pytest.mark.parametrize("name", ["weights", "sets", "average", "momentum", "baseline"])
def test_numbers_that_no_training_comes_to_are_refused(name: str, value: float, tmp_path: Path) -> None:
    path = tmp_path / "linear.npz.checkpoint"
    LinearTraining(LinearPlan()).save(path)
    kept = read_archive(path)
    kept[name].flat[0] = value
    write_archive(path, **kept)
    if name in ("momentum", "baseline") and np.isfinite(value):
        assert getattr(LinearTraining.load(path), name).flat[0] == value
    else:
        with pytest.raises(BadValue, match="not finite"):
            LinearTraining.load(path)


def test_a_step_beyond_the_plan_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "linear.npz.checkpoint"
    LinearTraining(LinearPlan()).save(path)
    for step in (-1, 10**15):
        write_archive(path, **(read_archive(path) | {"step": np.array(step)}))
        with pytest.raises(BadValue, match=f"step must be 0–.*, got {step}"):
            LinearTraining.load(path)


def test_a_checkpoint_with_another_version_of_results_is_refused_and_one_that_does_not_say_is_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, older = tmp_path / "kept", tmp_path / "older"
    write_archive(path, step=1)
    with older.open("wb") as file:
        np.savez(file, step=np.array(1))
    assert int(read_archive(path)["step"]) == int(read_archive(older)["step"]) == 1
    monkeypatch.setitem(vars(registry.game("uno")), "results_version", 2)
    for written in (path, older):
        with pytest.raises(BadValue, match=r"was made with version 1 of the results of uno, and this kibitz has 2; train again\.$"):
            read_archive(written)
