"""The pages' files as they lie there: they know no game by name, and the first page announces exactly the modules it needs."""

from __future__ import annotations

import json
import re
from pathlib import Path

from kibitz import registry
from kibitz.table.pages import STATIC

ROOT = Path(__file__).parents[2]
IMPORT = re.compile(r"^(?:import|export) [^;]*?from \"(\.[^\"]+)\"", re.MULTILINE)


def pages_files() -> dict[str, str]:
    """Every script, style sheet and page that is ours, by its path."""
    found = [path for path in STATIC.rglob("*") if path.suffix in (".js", ".ts", ".css", ".html")]
    named = {path.relative_to(STATIC).as_posix(): path.read_text(encoding="utf-8") for path in found}
    return {name: text for name, text in named.items() if not name.startswith("vendor/")}


def words_in(text: str, words: list[str]) -> list[str]:
    """The lines that have one of these words, alone or as a part of a longer name."""
    pattern = re.compile(rf"(?<![a-z])(?:{'|'.join(words)})(?![a-z])", re.IGNORECASE)
    camel = re.compile(rf"(?:\b|[a-z])(?:{'|'.join(word.title() for word in words)})(?:[A-Z]|\b)")
    return [line.strip() for line in text.splitlines() if pattern.search(line) or camel.search(line)]


def test_words_are_found() -> None:
    """In any case, and in names; not inside other words."""
    for line in ('if (game === "uno")', "/* -- UNO -- */", ".hanabi .felt { }", "<${UnoCard} />", "UNO_KEYS", "isUno", "uno-board"):
        assert words_in(line, ["uno", "hanabi"]) == [line], line
    assert words_in("a game of hanab.live\nunopened, of the unowned", ["uno", "hanabi"]) == []


def test_no_game_is_named_outside_its_folder() -> None:
    games = list(registry.BUILT_IN)
    files = pages_files()
    assert {f"games/{game}/face.js" for game in games} <= files.keys() and len(files) > 30
    shared = {name: text for name, text in files.items() if not any(f"/{game}/" in f"/{name}" for game in games)}
    assert {name: lines for name, text in shared.items() if (lines := words_in(text, games))} == {}


def test_the_first_page_announces_the_modules_it_loads() -> None:
    """What app.js imports, directly or not, is fetched at once instead of step by step; boards are not among it."""
    loaded, waiting = set[str](), ["app.js"]
    while waiting:
        file = waiting.pop()
        loaded.add(file)
        for found in IMPORT.findall((STATIC / file).read_text(encoding="utf-8")):
            path = (STATIC / file).parent.joinpath(found).resolve().relative_to(STATIC.resolve()).as_posix()
            if path not in loaded:
                waiting.append(path)
    announced = re.findall(r"rel=\"modulepreload\" href=\"/static/([^\"]+)\"", (STATIC / "index.html").read_text(encoding="utf-8"))
    assert sorted(announced) == sorted(loaded)
    assert not [file for file in loaded if file.startswith("games/")]


def test_types_are_those_of_the_vendored_modules() -> None:
    """`tsc` reads the types of the preact package; it has to be the version that pages load."""
    packages = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    readme = (STATIC / "vendor" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"preact ([\d.]+),", readme) == [packages["preact"]] * 2


def test_packages_are_pinned_without_an_address() -> None:
    """Exact versions, checked by their hashes, from whichever registry npm is set to."""
    packages = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in packages.values())
    assert {name: lock[f"node_modules/{name}"]["version"] for name in packages} == packages
    assert all("resolved" not in each and each["integrity"] for path, each in lock.items() if path)
