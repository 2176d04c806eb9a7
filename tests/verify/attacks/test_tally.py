"""The tally itself: what is lost fails the test, and the table shows it. These tests are quick and no attacks."""

from __future__ import annotations

import pytest

from tests.verify.attacks.tally import Attack, attacking, table


def attack_doors(rows: list[Attack]) -> None:
    with attacking("doors", rows) as attack:
        attack.check("first", True)
        with attack.attempt("second"):
            raise OSError("gone")
        attack.check("third", False, "no")


def test_an_attack_tries_everything_and_fails_if_anything_was_lost() -> None:
    rows: list[Attack] = []
    with pytest.raises(AssertionError, match=r"2 of 3 attempts: second: gone; third: no"):
        attack_doors(rows)
    with attacking("windows", rows) as attack:
        attack.check("only", True)
    lines = table(rows)
    assert [line.split() for line in lines[2:4]] == [["doors", "3", "1", "2"], ["windows", "1", "1", "0"]]
    assert lines[5].split() == ["total", "4", "2", "2"]
    assert lines[6] == "lost: doors: second: gone" and len(lines) == 8


def test_an_attack_that_breaks_off_is_lost_and_one_that_cannot_be_tried_is_not_held() -> None:
    rows: list[Attack] = []
    with pytest.raises(OSError, match="broken"), attacking("broken off", rows):
        raise OSError("broken")
    with pytest.raises(pytest.skip.Exception), attacking("impossible", rows) as attack:
        attack.impossible("no mounts")
    assert [(row.attempts, row.held, len(row.lost)) for row in rows] == [(1, 0, 1), (0, 0, 0)]
    assert table(rows)[3].endswith("not possible here: no mounts")
