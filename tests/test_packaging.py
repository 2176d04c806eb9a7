"""What is no Python module travels with the package only if pyproject.toml says so."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "kibitz"


def test_every_data_file_is_installed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = settings["tool"]["setuptools"]["package-data"]["kibitz"]
    installed = {path for pattern in patterns for path in PACKAGE.glob(pattern)}
    data = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts}
    assert len([path for path in data if path.suffix == ".npz"]) >= 3
    assert not sorted(data - installed)
