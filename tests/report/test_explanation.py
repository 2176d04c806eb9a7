"""Tables of what a bot thinks: aligned, several rows side by side where there are many, and no wider than 80."""

from __future__ import annotations

from dataclasses import replace

from kibitz.play.explaining import CHOSEN, DEFAULT, ONLY, ActionValue, Explanation
from kibitz.report.explanation import advice_lines, explanation_lines


def explanation(unit: str, *rows: ActionValue, action: int = 1, players: int = 2, bot: str = "champion") -> Explanation:
    name = next(row.name for row in rows if row.action == action)
    game = "hanabi" if name.startswith(("play:", "discard:", "hint:")) else "uno"
    return Explanation(bot, 0, 1, players, action, name, CHOSEN, unit, rows, game=game)


def text_of(made: Explanation, indent: int = 0, width: int = 80) -> list[str]:
    return [str(line) for line in explanation_lines(made, indent, width)]


def test_chances_are_per_cent_with_errors_and_visits() -> None:
    rows = (
        ActionValue(2, "wild:g", 0.6132, 0.0081, 1200),
        ActionValue(1, "r5", 0.58, 0.012, 300),
        ActionValue(68, "draw", 0.0449, 0.0, 2),
        ActionValue(3, "y1", None, None, 0),
    )
    assert text_of(explanation("chance to win", *rows), 4) == [
        "    chance to win ± standard error, visits",
        "    wild:g shows more, but the bot goes by more than these numbers.",
        "      wild:g  61.3 % ± 0.8   1,200",
        "    > r5      58.0 % ± 1.2     300",
        "      draw     4.5 % ± 0.0       2",
        "      y1           –             0",
    ]


def test_exact_values_stand_alone() -> None:
    rows = ActionValue(1, "play:0", 1.0, 0.0, 1), ActionValue(2, "hint:1:red", -0.001, 0.0, 1), ActionValue(3, "discard:4", -102.5, 0.0, 1)
    assert text_of(explanation("expected points", *rows)) == [
        "expected points",
        "> play slot 1        1.00",
        "  hint red           0.00",
        "  discard slot 5  -102.50",
    ]


def test_preferences_are_per_cent_without_errors_below_the_bots_own_guess() -> None:
    made = explanation("preference", ActionValue(1, "r5", 0.8214, 0.0, 1), ActionValue(68, "draw", 0.1786, 0.0, 1), bot="net")
    rows = ["> r5    82.1 %", "  draw  17.9 %"]
    assert text_of(made) == ["preference", *rows]
    guessing = replace(made, win_chance=0.456)
    assert text_of(guessing) == ["preference; its own guess at the chance to win: 46 %", *rows]
    assert str(advice_lines(guessing)[0]) == "Advice of net: preference; its own guess at the chance to win: 46 %"


def test_the_marked_action_has_the_best_number_or_a_line_says_why_not() -> None:
    marked = ActionValue(1, "r5", 0.58, 0.01, 600)
    found = {}
    for other in (
        ActionValue(2, "y1", 0.58, 0.01, 600),
        ActionValue(2, "y1", 0.5804, 0.01, 600),  # shown as the same
        ActionValue(2, "y1", 0.596, 0.01, 600),
        ActionValue(2, "y1", 0.64, 0.03, 80),
        ActionValue(2, "y1", 0.64, 0.01, 600),
    ):
        _, *lines = text_of(explanation("chance to win", *sorted((marked, other), key=lambda row: -(row.value or 0))))
        found[other.value, other.visits] = [line for line in lines if "%" not in line[:12]]
    assert list(found.values()) == [
        [],
        [],
        ["y1 leads by 1.6 %, within the error, so the bot stays with r5."],
        ["y1 shows more, but from only 80 tries: it fell behind and was given up."],
        ["y1 shows more, but the bot goes by more than these numbers."],
    ]


def test_hints_among_more_than_two_name_the_seat() -> None:
    made = explanation("expected points", ActionValue(1, "hint:2:3", 1.0, 0.0, 1), players=3)
    assert text_of(made)[1] == "> hint seat 2: 3  1.00"


def test_many_rows_stand_side_by_side_to_be_read_across() -> None:
    rows = [ActionValue(action, f"r{action}", 1 - action / 10, 0.01 if action else 0.123, 100) for action in range(8)]
    lines = text_of(explanation("chance to win", *rows), 8)
    assert lines == [
        "        chance to win ± standard error, visits",
        "        r0 leads by 10.0 %, within the error, so the bot stays with r1.",
        "          r0  100.0 % ± 12.3   100   > r1   90.0 % ±  1.0   100",
        "          r2   80.0 % ±  1.0   100     r3   70.0 % ±  1.0   100",
        "          r4   60.0 % ±  1.0   100     r5   50.0 % ±  1.0   100",
        "          r6   40.0 % ±  1.0   100     r7   30.0 % ±  1.0   100",
    ]
    assert len(text_of(explanation("chance to win", *rows), 8, width=40)) == 11
    wide = [ActionValue(action, "wildcustom:y", 0.5, 0.5, 10**9) for action in range(40)]
    assert max(len(line) for line in text_of(explanation("chance to win", *wide), 8)) <= 80


def test_without_a_table_there_is_the_action_alone() -> None:
    assert explanation_lines(Explanation("linear", 0, 1, 2, 5, "r5")) == []
    said = {why: str(advice_lines(Explanation("linear", 0, 1, 2, 5, "r5", why))[0]) for why in (CHOSEN, ONLY, DEFAULT)}
    assert said == {
        CHOSEN: "Advice of linear: r5.",
        ONLY: "Advice of linear: r5, the only choice.",
        DEFAULT: "Advice of linear: r5, the usual choice, on which it has no opinion.",
    }


def test_advice_names_the_adviser() -> None:
    lines = advice_lines(explanation("expected points", ActionValue(1, "play:0", 1.0, 0.0, 1), bot="meanimax:plus"))
    assert [str(line) for line in lines] == ["Advice of meanimax:plus: expected points", "> play slot 1  1.00"]
