"""The face of UNO: where its words, its screens and all else are that no other game has."""

from __future__ import annotations

from typing import Any

from kibitz.games.face import Budget, Face, GamePage
from kibitz.games.uno.cards import PASS
from kibitz.games.uno.decisions import COLUMNS, columns_of
from kibitz.games.uno.names import card_name
from kibitz.games.uno.view import JUMPING_IN

_RULES = "official,stacking=progressive,seven_zero=on,jump_in=on,uno_call=on"


def hide_hands(message: dict[str, Any], players: int) -> dict[str, Any]:
    """A view's message without any hand."""
    return {"hand": [], "ordered": False, "playable": [], "drawn": None, "known": [[] for _ in range(players)]}


FACE = Face(
    telling="kibitz.report.uno.telling:make_telling",
    transcript="kibitz.report.uno.transcript:transcript",
    counted_end="kibitz.report.uno.transcript:counted_end",
    action_text="kibitz.report.uno.reasons:action_text",
    action_parts="kibitz.report.uno.reasons:action_parts",
    card_name=card_name,
    describe_rules="kibitz.games.uno.explain:describe_rules",
    rules_example="official,stacking=progressive,hand_size=5; the first value is the classic one",
    screen="kibitz.terminal.uno.screen:UnoScreen",
    usual_bots=("linear", "mix2"),
    table_bot="mix2",
    hide_hands=hide_hands,
    decline=lambda state: PASS if state.phase == JUMPING_IN else -1,
    page=GamePage(
        about="Get rid of your cards first.",
        notice="UNO is a trademark of Mattel; Kibitz is not affiliated with Mattel.",
        table_bots=("champion", "mix2"),
        table_rules="official",
        film_bots=("champion", "mix2", "greedy"),
        run_bots=("mix2", "greedy", "random"),
        pictures=("red-4.svg", "yellow-7.svg", "wild.svg", "blue-skip.svg"),
    ),
    likely=("mix2", "advice", "net", "champion"),
    adviser=lambda players: "champion",
    further_advisers=("net",),
    analyst="kibitz.play.uno.advice:UnoAnalyst",
    analyst_follows=True,
    rlcard="kibitz.envs.uno.rlcard_style",
    worlds="kibitz.play.uno.world_drawing:UnoWorlds",
    budget=Budget(6_000, 400_000, 0.005),
    analysis_games=4_800,
    check_view="kibitz.search.uno.worlds:check_view",
    columns=COLUMNS,
    columns_of=columns_of,
    check_scenes=(
        ("classic", 2, None),
        ("classic", 4, None),
        ("classic", 10, None),
        ("official", 3, None),
        ("davies", 4, None),
        ("hearn", 2, None),
        ("modern", 4, None),
        ("numbers", 2, None),
        (_RULES, 4, None),
        ("classic,draw=until_playable", 2, None),
        ("classic", 2, "200"),
    ),
    check_opponent="kibitz.outside.uno.forgetful:opponent",
    classroom="kibitz.bots.uno.classroom",
    bench="kibitz.experiments.studies.uno.speed:measure",
    published="kibitz.report.published",
    experiments={
        "study rules": ("kibitz.experiments.studies.uno.rules_and_contests.study:StudyRules", "How much do rules matter?"),
        "study contests": (
            "kibitz.experiments.studies.uno.rules_and_contests.study:StudyContests",
            "Why does a strategy that wins half its deals win most of its contests?",
        ),
        "study expectiminimax": (
            "kibitz.experiments.studies.uno.expectiminimax.study:StudyExpectiminimax",
            "How good is expectiminimax, and how far are its values off?",
        ),
        "study perceptrons": (
            "kibitz.experiments.studies.uno.perceptrons.study:StudyPerceptrons",
            "How strong do perceptrons that score cards get?",
        ),
        "study skill": ("kibitz.experiments.studies.uno.skill.study:StudySkill", "How much of UNO is skill?"),
        "train linear": ("kibitz.experiments.training.uno.linear:TrainLinear", "Train the weights of the bot linear, by policy gradient."),
        "train perceptron": (
            "kibitz.experiments.training.uno.perceptron.training:TrainPerceptron",
            "Train a perceptron that scores cards, by playing.",
        ),
        "train net": ("kibitz.experiments.training.uno.net.training:TrainNet", "Train the network of the bot net by PPO (needs PyTorch)."),
    },
    solver="kibitz.play.uno.open_sitting:OpenUno",
    solved_rules={
        "tiny": "numbers,deck=r1*2/r2*2/g1*2/g2*2,hand_size=2",
        "small": "numbers,deck=r1*2/r2*2/r3/g1*2/g2*2/g3,hand_size=3",
        "wild": "classic,must_play=on,deck=r1*2/r2*2/g1*2/g2*2/wild,hand_size=2,starter=seat_0",
    },
    solver_references="kibitz.experiments.studies.exact.uno.references:References",
)
