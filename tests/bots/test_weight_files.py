"""Files of trained weights: a damaged one is refused with a sentence, wherever the damage is."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz.bots.uno import linear, net
from kibitz.core.errors import BadValue
from kibitz.core.reading import MEGABYTE
from kibitz.policies.uno import perceptron_models
from kibitz.policies.weight_files import LARGEST, read_arrays, written_whole


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


# -- archives that grow --


def array_bytes(array: Any, header: dict[str, Any] | None = None) -> bytes:
    """An array as an .npy file, perhaps with another header."""
    file = io.BytesIO()
    if header is None:
        np.lib.format.write_array(file, array)
    else:
        np.lib.format.write_array_header_1_0(file, header)
        file.write(array.tobytes())
    return file.getvalue()


def archive(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return path


def refused_within(read: Callable[[Path], Any], path: Path, most: int = 40 * MEGABYTE) -> str:
    """What a reader says, having used no more memory than that."""
    tracemalloc.start()
    try:
        with pytest.raises(BadValue) as error:
            read(path)
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()
    return str(error.value)


@pytest.mark.parametrize("read", [linear.read_weights, net.read_net, lambda path: read_arrays(path, "network")])
def test_an_archive_that_grows_is_refused_before_it_is_unpacked(read: Callable[[Path], Any], tmp_path: Path) -> None:
    zeros = array_bytes(np.zeros(100 * MEGABYTE, dtype=np.uint8))
    path = archive(tmp_path / "bomb.npz", {"weights.npy": zeros, "features.npy": zeros, "version.npy": array_bytes(np.array(2))})
    assert path.stat().st_size < MEGABYTE
    said = refused_within(read, path)
    assert "unpacks to" in said and "bytes are accepted" in said


def test_an_archive_that_lies_about_its_sizes_is_refused(tmp_path: Path) -> None:
    content = array_bytes(np.zeros(100 * MEGABYTE, dtype=np.uint8))
    path = archive(tmp_path / "bomb.npz", {"weights.npy": content})
    stated, told = len(content).to_bytes(4, "little"), (1000).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(stated, told))
    assert "damaged or of another kind" in refused_within(lambda each: read_arrays(each, "network"), path)


HEADER = {"descr": "<f8", "fortran_order": False, "shape": (10,)}


@pytest.mark.parametrize(
    "content",
    [
        array_bytes(np.zeros(10), HEADER | {"shape": (10**12,)}),
        array_bytes(np.zeros(10), HEADER | {"shape": (-1, -10)}),
        array_bytes(np.zeros(10), HEADER | {"shape": (9,)}),
        array_bytes(np.zeros(10), HEADER | {"descr": "|O"}),
        array_bytes(np.zeros(0), HEADER | {"descr": "<U0", "shape": (10**12,)}),
        array_bytes(np.zeros(10), HEADER | {"descr": [("x", "<f8")]}),
        b"not an array",
    ],
    ids=range(7),
)
def test_a_header_that_does_not_fit_is_refused(content: bytes, tmp_path: Path) -> None:
    path = archive(tmp_path / "odd.npz", {"weights.npy": content})
    assert "damaged or of another kind" in refused_within(lambda each: read_arrays(each, "network"), path)


def test_other_kinds_of_archives_are_refused(tmp_path: Path) -> None:
    whole = array_bytes(np.zeros(10))
    packed = archive(tmp_path / "packed.npz", {"weights.npy": whole}, zipfile.ZIP_LZMA)
    other = archive(tmp_path / "other.npz", {"weights.txt": whole})
    many = archive(tmp_path / "many.npz", {f"{place}.npy": whole for place in range(1001)})
    for path in (packed, other, many):
        refused_within(lambda each: read_arrays(each, "network"), path)


# -- weights that overflow --

HUGE = (1e308, -1e308, float("nan"), float("inf"), 1.01 * LARGEST)


@pytest.mark.parametrize("value", HUGE)
def test_weights_that_could_overflow_are_refused(value: float, tmp_path: Path) -> None:
    sets = linear.read_weights(linear.SHIPPED_FILE).copy()
    sets[1, 5] = value
    np.savez(tmp_path / "linear.npz", features=np.array(linear.features_name()), weights=sets)
    with pytest.raises(BadValue, match="weights that are not finite numbers from -1,000,000 to 1,000,000"):
        linear.read_weights(tmp_path / "linear.npz")
    kept = dict(np.load(net.SHIPPED_FILE))
    kept["out"] = kept["out"].astype(np.float64)
    kept["out"].flat[3] = value
    np.savez(tmp_path / "net.npz", **kept)
    with pytest.raises(BadValue, match="weights that are not finite numbers"):
        net.read_net(tmp_path / "net.npz")
    content = json.loads(perceptron_models.SHIPPED_FILE.read_text())
    content["weights"][0] = value
    (tmp_path / "perceptron.json").write_text(json.dumps(content))
    with pytest.raises(BadValue, match="weights that are not finite numbers"):
        perceptron_models.read_perceptron(tmp_path / "perceptron.json")


def test_shipped_weights_are_far_from_the_limit() -> None:
    for weights in (linear.read_weights("shipped"), net.read_net("shipped"), perceptron_models.read_perceptron("shipped").weights):
        assert np.abs(weights).max() < LARGEST / 1000
