"""What goes over HTTP, in both directions: strict shapes with every field described, from which the page of the API is made.

What does not have the shape is refused with 422; what has it and still cannot be done, such as a bot that does not exist, with 409.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator
from pydantic.fields import FieldInfo

from kibitz import registry
from kibitz.experiments.experiment import Experiment
from kibitz.experiments.measurement import Evaluate, Match
from kibitz.experiments.settings import schema_of
from kibitz.experiments.tournament.hold import HoldTournament
from kibitz.table.sessions import LONGEST_NAME, LONGEST_TITLE

MOST_SEATS = 10
GREATEST_SEED = 2**53 - 1  # up to here every number is exact in a browser


if TYPE_CHECKING:
    GameName = str
else:
    GameName = Annotated[Literal[tuple(registry.BUILT_IN)], Field(description="The game.")]
DEFAULT_GAME = registry.game().name
RulesText = Annotated[
    str,
    Field(
        max_length=400,
        pattern=r"^[a-z0-9_]+(,[a-z_]+=[a-z0-9_+-]+)*$",
        description="Rules: a preset, then any switch=value, separated by commas.",
        examples=["classic", "official,stacking=progressive"],
    ),
]
BotName = Annotated[
    str,
    Field(max_length=60, pattern=r"^[a-z0-9_]+(:[a-z0-9_]+)?$", description="A bot, with a preset if it has some.", examples=["mix2"]),
]
SeatNumber = Annotated[int, Field(ge=0, lt=MOST_SEATS, description="A seat, counted from 0.")]
Seed = Annotated[int, Field(ge=0, le=GREATEST_SEED, description="Decides the cards.")]
Target = Annotated[
    str, Field(pattern=r"^[1-9][0-9]{0,5}\+?$", description="Play deals until somebody has so many points (500), or more (500+).")
]
TableId = Annotated[str, Field(description="The table's unguessable name.")]


class Strict(BaseModel):
    """No guessing: every type is meant, and nothing may be there that has no meaning."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _whole_numbers(cls, value: Any) -> Any:
        """JSON does not tell 7.0 from 7, so neither do we; nothing here is a fraction."""
        if not isinstance(value, dict):
            return value
        return {key: int(item) if isinstance(item, float) and item.is_integer() else item for key, item in value.items()}


class Failure(BaseModel):
    """Why something was refused."""

    error: str = Field(description="One sentence: what was wrong, and what is accepted.")


class Health(BaseModel):
    """That the server is there."""

    ok: bool = Field(description="Always true.")
    version: str = Field(description="The version of kibitz.")
    tables: int = Field(description="Tables in memory just now.")


# -- games --


class ValueShown(BaseModel):
    """Something that one can choose, such as a value of a switch."""

    name: str = Field(description="As it is written.")
    about: str = Field(description="What it means, in short.")


class PresetShown(ValueShown):
    """Rules by name."""

    switches: dict[str, str] = Field(description="The value of every switch.")


class SwitchShown(ValueShown):
    """One thing that rules may differ in."""

    values: list[ValueShown] = Field(description="Its values; none if it is a number.")
    low: int | None = Field(description="The least, if it is a number.")
    high: int | None = Field(description="The most, if it is a number.")
    also: str = Field(description="What else may be written, in words.")
    default: str = Field(description="Its value under the usual rules.")


class BotShown(ValueShown):
    """A bot."""

    presets: list[str] = Field(description="Its presets, written name:preset.")
    searches: bool = Field(description="Whether it thinks ahead, which takes it some milliseconds.")
    cheats: bool = Field(description="Whether it sees hidden cards: not for tables with people.")
    min_players: int = Field(description="The fewest it can play among.")
    max_players: int = Field(description="The most it can play among.")


class SuggestedShown(BaseModel):
    """What forms begin with."""

    table: list[str] = Field(description="Bots at a table with a person.")
    rules: str = Field(description="Rules at such a table.")
    film: list[str] = Field(description="Bots to watch.")
    run: list[str] = Field(description="Bots of a run.")


class GuidePartShown(BaseModel):
    """A section of a guide."""

    heading: str = Field(description="Its heading.")
    text: str = Field(description="A paragraph.")
    picture: str = Field(description="The address of a picture; empty if there is none.")
    alt: str = Field(description="What the picture shows, in words.")


class GuideShown(BaseModel):
    """How a bot plays, for people who play with it."""

    bot: str = Field(description="The bot.")
    title: str = Field(description="The title of the page.")
    about: str = Field(description="What it is about.")
    parts: list[GuidePartShown] = Field(description="Its sections.")


class GameShown(ValueShown):
    """A game with all that one can choose."""

    title: str = Field(description="As people call it.")
    min_players: int = Field(description="The fewest players.")
    max_players: int = Field(description="The most players.")
    cooperative: bool = Field(description="Whether all play together.")
    has_contests: bool = Field(description="Whether it is played to a number of points (`to`).")
    default_rules: str = Field(description="The usual rules.")
    presets: list[PresetShown] = Field(description="Rules by name.")
    switches: list[SwitchShown] = Field(description="What rules may differ in.")
    bots: list[BotShown] = Field(description="Who can play.")
    offered: list[BotShown] = Field(description="Bots of the server's owner, for tables only.")
    adviser: str = Field(description="Who advises two players if nobody is named.")
    advisers: dict[str, str] = Field(description="Who advises if nobody is named, by the number of players.")
    also_asked: list[str] = Field(description="Further bots whose opinion on a decision a page shows from the start.")
    notice: str = Field(description="What has to be said of it, such as whose trademark it is.")
    suggested: SuggestedShown = Field(description="What forms begin with.")
    face: str | None = Field(description="The address of the module with its board; none if the plain board shows it.")
    style: str | None = Field(description="The address of its style sheet, if it has one.")
    pictures: list[str] = Field(description="Addresses of pictures of its cards.")
    guide: GuideShown | None = Field(description="How one of its bots plays, if that is explained.")


# -- sessions --


class SessionAsked(Strict):
    """Who somebody wants to be."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME, description="The name that others see.", examples=["Ann"])


class SessionShown(BaseModel):
    """A session."""

    name: str = Field(description="The name that others see.")


class SessionGiven(SessionShown):
    """A new session. The token is shown this once; who has it is this person."""

    token: str = Field(description="Goes into `Authorization: Bearer …` and the first message of a WebSocket.")


# -- tables --


class BotSeat(Strict):
    """A seat for a bot."""

    bot: BotName


class PersonSeat(Strict):
    """A seat for a person: for whoever comes by the link, or for oneself."""

    person: Literal[True] = Field(description="Always true.")


class StartAsked(Strict):
    """A position of a recorded game to go on from."""

    record: str = Field(min_length=1, max_length=60_000, description="The record as one line of text.")
    position: int = Field(ge=0, le=10_000, description="After how many actions of the record.")
    seat: SeatNumber | None = Field(default=None, description="One's own seat, if not given beside.")


class TableAsked(Strict):
    """A table to be opened."""

    game: GameName
    rules: RulesText | None = Field(default=None, description="Rules; without them the game's usual ones.")
    seats: list[BotSeat | PersonSeat] = Field(min_length=2, max_length=MOST_SEATS, description="Who sits where.")
    seat: SeatNumber | None = Field(default=None, description="The person's seat that one takes oneself; without it one looks on.")
    to: Target | None = Field(default=None, description="Play a contest to so many points.")
    seed: Seed | None = Field(default=None, description="Decides the cards; without it new ones are dealt.")
    start: StartAsked | None = Field(default=None, description="Begin at a position of a record: what if?")


class TableGiven(BaseModel):
    """A table that was opened or joined."""

    table: TableId
    seat: int | None = Field(description="One's own seat; null for a spectator.")


class SeatAsked(Strict):
    """A seat to take."""

    seat: SeatNumber | None = Field(default=None, description="Which; without it the first that is free.")


class FillAsked(Strict):
    """Bots for the seats that no person has taken."""

    bot: BotName | None = Field(default=None, description="Which bot; without it a usual one.")


class SeatShown(BaseModel):
    """Who sits in a seat."""

    seat: int = Field(description="The seat, from 0.")
    kind: Literal["person", "bot", "free"] = Field(description="A person, a bot, or still free for a person.")
    name: str = Field(description="The person's name, or the bot.")
    present: bool = Field(description="Whether a person is connected just now; bots always are.")


class TableShown(BaseModel):
    """A table from outside."""

    table: TableId
    game: str = Field(description="The game.")
    rules: str = Field(description="The rules.")
    to: str | None = Field(description="Points that a contest is played to.")
    seats: list[SeatShown] = Field(description="Who sits where.")
    you: int | None = Field(description="One's own seat.")
    owner: bool = Field(description="Whether one opened it oneself.")
    status: Literal["waiting", "playing", "over"] = Field(description="Waiting for people, being played, or finished.")
    made: float = Field(description="When it was opened, in seconds since 1970.")
    following: str | None = Field(description="The table where the players went on.")


class TablesShown(BaseModel):
    """Tables."""

    tables: list[TableShown] = Field(description="One's own, the newest first.")


# -- films --


class RecordAsked(Strict):
    """A recorded game."""

    record: str = Field(
        min_length=1,
        max_length=1_000_000,
        description="A record as text or JSON, or hanab.live's JSON of a game.",
        examples=[f"{DEFAULT_GAME}/1;classic;…"],
    )


class BotsAsked(Strict):
    """A game to be played now by bots."""

    bots: list[BotName] = Field(min_length=2, max_length=MOST_SEATS, description="The line-up.")
    game: GameName | None = Field(default=None, description=f"The game; without it that of the bots, {DEFAULT_GAME} if they play both.")
    rules: RulesText | None = Field(default=None, description="Rules; without them the game's usual ones.")
    seed: Seed | None = Field(default=None, description="Decides the cards; without it new ones are dealt.")
    index: int = Field(default=0, ge=0, le=10**9, description="Which game of that seed.")
    seating: Literal["random", "fixed", "rotate"] = Field(default="fixed", description="How seats are given out.")
    to: Target | None = Field(default=None, description="Play a contest to so many points.")
    deal: int = Field(default=0, ge=0, le=1000, description="Which deal of the contest, from 0.")


class FilmShown(BaseModel):
    """A game with every position in it and all cards open."""

    model_config = ConfigDict(extra="allow")

    game: str = Field(description="The game.")
    names: list[str] = Field(description="The players by seat.")
    record: str | None = Field(description="The record as one line.")
    outcome: dict[str, Any] = Field(description="How it ended, as it counted.")
    ending: str | None = Field(default=None, description="Of a forfeited game: who forfeited, why, and what counted.")
    frames: list[dict[str, Any]] = Field(
        description="Every position, from the opening on; `substitute` marks moves made for an outside bot."
    )


# -- runs --

Games = Annotated[int, Field(ge=1, le=10_000_000)]
Players = Annotated[int, Field(ge=2, le=MOST_SEATS)]

# The settings of an experiment that a visitor can choose, by name, and from what: often less than the command accepts.
VISITORS: dict[str, Any] = {
    "bots": Annotated[list[BotName], Field(min_length=1, max_length=30)],
    "games": Games,
    "game": GameName | None,
    "rules": RulesText | None,
    "seed": Seed | None,
    "to": Target | None,
    "players": Players,
    "seating": Literal["random", "fixed", "rotate"],
    "against": BotName | None,
    "format": Literal["round-robin", "swiss", "gauntlet", "free-for-all", "teams", "mixed"] | None,
    "table": Players | None,
    "rounds": Annotated[int, Field(ge=1, le=100)] | None,
}
NEEDED = ("bots", "games")  # whatever the command does without them


class RunAsked(Strict):
    """What every kind of run has."""

    kind: str
    bots: list[BotName]
    games: Games
    game: GameName | None = Field(default=None, description=f"The game; without it that of the bots, {DEFAULT_GAME} if they play both.")
    rules: RulesText | None = Field(default=None, description="Rules; without them the game's usual ones.")
    seed: Seed | None = Field(default=None, description="Without it a new one is drawn.")
    to: Target | None = Field(default=None, description="Play contests to so many points.")


def asked_of(experiment: type[Experiment[Any]], without: Collection[str] = (), **own: Any) -> type[RunAsked]:
    """What can be asked of an experiment: its settings as far as visitors can choose them, with their meanings and defaults.

    A setting that `RunAsked` describes for all kinds is described there; `own` are fields that are no settings, or mean less to a visitor.
    """
    schema, literal = schema_of(experiment), Literal
    summary = schema["description"].partition("\n\n")[0].replace("\n", " ")
    fields: dict[str, Any] = {"kind": (literal[experiment.kind], Field(description=summary))}
    for name, setting in schema["properties"].items():
        if name in VISITORS and name not in without and RunAsked.model_fields.get(name, FieldInfo()).description is None:
            default = ... if name in NEEDED else setting.get("default")
            fields[name] = (VISITORS[name], Field(default=default, description=setting["description"]))
    made: type[RunAsked] = create_model(f"{experiment.kind.title()}Asked", __base__=RunAsked, __doc__=summary, **{**fields, **own})
    return made


LineUp = Annotated[list[BotName], Field(min_length=1, max_length=MOST_SEATS)]
Entrants = Annotated[list[BotName], Field(min_length=2, max_length=30)]
Title = Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE)]
RUNS = (
    asked_of(Match, bots=(LineUp, Field(description="The line-up; of a team one may stand for all seats."))),
    asked_of(Evaluate, without=["seating"], bots=(VISITORS["bots"], Field(description="The bots, one row each."))),
    asked_of(
        HoldTournament,
        bots=(Entrants, Field(description="Who takes part.")),
        games=(Games, Field(description="Games of each match.")),
        title=(Title, Field(default="Tournament", description="What it is called.")),
    ),
)
if TYPE_CHECKING:
    AnyRunAsked = RunAsked
else:
    AnyRunAsked = Annotated[Union[RUNS], Field(discriminator="kind")]  # noqa: UP007 - of as many as there are


class RunGiven(BaseModel):
    """A run that was started."""

    run: int = Field(description="Its number.")


class RowShown(BaseModel):
    """How one bot fares."""

    bot: str = Field(description="The bot, or the player of a tournament.")
    games: int = Field(description="Games, or contests, that count for it so far.")
    wins: int | None = Field(description="Of these, won; null in a game played together.")
    win_rate: float | None = Field(description="The share of them; null in a game played together.")
    points: int = Field(description="All points together.")
    mean: float = Field(description="Points a game (a deal, in contests); of a team the mean score.")
    error: float | None = Field(description="The standard error: of the share of wins, of a team's mean score.")


class RunShown(BaseModel):
    """A run of the store."""

    run: int = Field(description="Its number.")
    kind: str = Field(description="The command: match, evaluate, tournament, compare …")
    command: str = Field(description="As typed, or as typed for you.")
    title: str = Field(description="What is played, in a few words.")
    game: str = Field(description="The game.")
    status: Literal["running", "complete", "interrupted", "failed", "killed"] = Field(description="How it stands.")
    reason: str = Field(description="Why it failed.")
    done: int = Field(description="Games played.")
    asked: int | None = Field(description="Games asked for.")
    seconds: float = Field(description="Seconds it was played for.")
    rate: float | None = Field(description="Games a second.")
    seconds_left: float | None = Field(description="About how long it will take.")
    started: float = Field(description="When it began, in seconds since 1970.")
    ended: float | None = Field(description="When it ended.")
    own: bool = Field(description="Whether this server started it and can stop it.")
    rows: list[RowShown] = Field(description="How everybody fares so far; none in a list of runs.")


class RunsShown(BaseModel):
    """Runs."""

    runs: list[RunShown] = Field(description="The newest first.")
