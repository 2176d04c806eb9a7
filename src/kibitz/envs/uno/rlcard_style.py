"""UNO in the manner of RLCard: its 61 actions, its planes and its methods over our engine, so that its agents play and train as they are.

    env = RLCardStyleEnv(players=4)
    env.set_agents([agent, *others])
    trajectories, payoffs = env.run(is_training=True)

`state_of` and `action_of` translate a view and an answer; they are all that an agent of RLCard needs to sit anywhere else. RLCard itself
is not needed. Cards are written as there: `r-5`, `g-skip`, `b-reverse`, `y-draw_2`, and `r-wild` for a Wild that is red now. A wild in a hand
or under the top card has no colour, and is written as a red one; an opening Wild whose colour is open is written `-wild`.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kibitz.core.errors import BadValue
from kibitz.core.seeds import check_seed
from kibitz.envs.episode import lineup_with
from kibitz.games.uno.cards import (
    COLOUR_LETTERS,
    COLOURED_TYPES,
    DRAW,
    FIRST_WILD_ACTION,
    KEEP,
    NO_COLOUR,
    VALUES,
    WILD_SHUFFLE_HANDS,
)
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.rules import Rules, switch_text
from kibitz.games.uno.view import DRAWN, TURN, View
from kibitz.play.loop import FORCED, OVER
from kibitz.play.sitting import Sitting

# What RLCard plays, without its mistakes.
RULES = "classic,starter=seat_0,drawn_card=must_play,must_play=on,wild_draw_four=last_resort,refill=when_needed"

REGISTERED = "kibitz-uno"  # in RLCard's registry

TRAITS = (*"0123456789", "skip", "reverse", "draw_2", "wild", "wild_draw_4")
ACTION_NAMES = (*(f"{colour}-{trait}" for colour in COLOUR_LETTERS for trait in TRAITS), "draw")
DRAW_ID = ACTION_NAMES.index("draw")
PLANES, COLUMNS = 4, len(TRAITS)
PLANE = 4 * COLUMNS  # places in one
MOST_COPIES = 2  # that the planes tell apart

# What the actions and planes can express, where a switch has other values too.
ACCEPTED: Mapping[str, Sequence[str]] = {
    "drawn_card": ("must_play", "may_not_play"),
    "wild_draw_four": ("free", "honest_only", "last_resort"),
    "stacking": ("off",),
    "seven_zero": ("off",),
    "jump_in": ("off",),
    "uno_call": ("off",),
}
_DECKS = f"decks with at most {MOST_COPIES} copies of a coloured card and no wilds but Wild and Wild Draw Four"

# Action ids by our numbers: plays, then drawing.
_IDS = {
    **{card: card // VALUES * COLUMNS + card % VALUES for card in range(COLOURED_TYPES)},
    **{FIRST_WILD_ACTION + 4 * wild + colour: colour * COLUMNS + VALUES + wild for wild in range(2) for colour in range(4)},
    DRAW: DRAW_ID,
}
_ACTIONS = {action_id: action for action, action_id in _IDS.items()}
# For each card type: its plays, which are its places in a plane as well; and how it is written without a colour of its own.
_PLAYS = [[card // VALUES * COLUMNS + card % VALUES] for card in range(COLOURED_TYPES)]
_PLAYS += [[colour * COLUMNS + VALUES + wild for colour in range(4)] for wild in range(2)]
_CARD_TEXTS = [ACTION_NAMES[plays[0]] for plays in _PLAYS]
_NAMED = {name: action_id for action_id, name in enumerate(ACTION_NAMES)}

_NO_CARDS = bytes([1] * PLANE + [0] * (PLANES - 1) * PLANE)  # the planes of an empty hand

State = dict[str, Any]


def check_rules(rules: Rules) -> None:
    """Refuse rules with a decision or a card that RLCard has no number for."""
    wrong = [f"{switch}={switch_text(switch, getattr(rules, switch))}" for switch in ACCEPTED if not _is_accepted(rules, switch)]
    if not _knows_cards(rules):
        wrong.insert(0, f"deck={switch_text('deck', rules.deck)}")
    if wrong:
        accepted = ", ".join(f"{switch}={' or '.join(values)}" for switch, values in ACCEPTED.items())
        raise BadValue(f"RLCard's actions and planes can't express {', '.join(wrong)}; accepted are {accepted}, and {_DECKS}.")


def check_cards(rules: Rules) -> None:
    """Refuse cards that RLCard has no number for: all that an agent needs that is asked for plays alone, not in windows."""
    if not _knows_cards(rules):
        raise BadValue(f"RLCard's actions and planes can't express deck={switch_text('deck', rules.deck)}; accepted are {_DECKS}.")


def _knows_cards(rules: Rules) -> bool:
    return max(rules.deck[:COLOURED_TYPES]) <= MOST_COPIES and not any(rules.deck[WILD_SHUFFLE_HANDS:])


def _is_accepted(rules: Rules, switch: str) -> bool:
    return switch_text(switch, getattr(rules, switch)) in ACCEPTED[switch]


# -- translation --


def action_of(view: View, action_id: int) -> int:
    """Our number of an action id. Where a drawn card may be kept, `draw` stands for keeping it."""
    if not 0 <= action_id < len(ACTION_NAMES):
        raise BadValue(f"action {action_id} is not an action of RLCard's; they are numbered 0 to {DRAW_ID}.")
    return KEEP if action_id == DRAW_ID and view.phase == DRAWN else _ACTIONS[int(action_id)]


def legal_ids(view: View) -> list[int]:
    """The ids of the viewer's legal actions, in order; none while another player is to act."""
    found = []
    for card in _types_in(view.playable_types):
        found += _PLAYS[card]
    found.sort()
    if view.seat == view.current and (view.is_legal(DRAW) or view.is_legal(KEEP)):
        found.append(DRAW_ID)
    return found


def _types_in(types: int) -> list[int]:
    """The card types of a mask."""
    found = []
    while types:
        lowest = types & -types
        found.append(lowest.bit_length() - 1)
        types ^= lowest
    return found


def planes_of(view: View) -> np.ndarray[Any, np.dtype[np.int64]]:
    """What the viewer holds and the top card, 4 x 4 x 15: colours by values.

    Planes 0, 1 and 2 mark the cards of which the hand has none, one and two; a wild is marked in all rows, and in plane 1 however many
    there are. Plane 3 marks the top card; a wild in the row of its colour, or in all rows if that is open.
    """
    return _planes(view, _hand_of(view))


def _hand_of(view: View) -> list[int]:
    return cards_from((view.hand0, view.hand1, view.hand2))


def _planes(view: View, hand: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    marks = bytearray(_NO_CARDS)
    for card in hand:
        for place in _PLAYS[card]:
            if marks[place]:
                marks[place], marks[PLANE + place] = 0, 1
            elif card < COLOURED_TYPES:
                marks[PLANE + place], marks[2 * PLANE + place] = 0, 1
    plays = _PLAYS[view.top]
    for place in plays if len(plays) == 1 or view.colour == NO_COLOUR else plays[view.colour : view.colour + 1]:
        marks[3 * PLANE + place] = 1
    return np.frombuffer(marks, np.int8).astype(np.int64).reshape(PLANES, 4, COLUMNS)


def state_of(view: View, action_record: Sequence[tuple[int, str]] = (), must_play: bool = False) -> State:
    """What RLCard's agents are given: `obs`, `legal_actions`, `raw_obs`, `raw_legal_actions` and `action_record`.

    With `must_play`, drawing is not among the legal actions while there is a card to play, as agents of RLCard are used to.
    """
    ids, hand = legal_ids(view), _hand_of(view)
    if must_play and len(ids) > 1 and ids[-1] == DRAW_ID:
        del ids[-1]
    names = [ACTION_NAMES[action_id] for action_id in ids]
    target = _target_of(view)
    raw = {
        "hand": [_CARD_TEXTS[card] for card in hand],
        "target": target,
        "played_cards": [*[_CARD_TEXTS[card] for card in view.discard[: view.discard_size]], target],
        "legal_actions": names,
        "num_cards": view.sizes[: view.players],
        "num_players": view.players,
        "current_player": view.current,
    }
    return {
        "obs": _planes(view, hand),
        "legal_actions": OrderedDict.fromkeys(ids),
        "raw_obs": raw,
        "raw_legal_actions": names[:],
        "action_record": action_record,
    }


def _target_of(view: View) -> str:
    """The top card as RLCard writes it, with the colour of a wild."""
    if view.top < COLOURED_TYPES:
        return _CARD_TEXTS[view.top]
    return ("" if view.colour == NO_COLOUR else COLOUR_LETTERS[view.colour]) + _CARD_TEXTS[view.top][1:]


# -- the environment --


class RLCardStyleEnv:
    """RLCard's environment, for 2 to 10 players and correct rules. Every turn is asked about, also one with a single legal action.

    A drawn card that must be played is played at once; only a wild asks for its colour. An action that is not legal raises an error
    and changes nothing. A player who is not to act has no legal actions. Taking steps back is not offered.
    """

    name = "uno"
    allow_step_back = False

    def __init__(self, players: int = 2, rules: Any = None, seed: int | None = None) -> None:
        lineup = lineup_with(self.name, [None] * players, RULES if rules is None else rules, "fixed")
        check_rules(lineup.rules)
        self._sitting = Sitting(lineup, 0)
        self._sitting.prepare("find_action", "answer_with", "show", "show_actor")
        self.num_players, self.num_actions = players, len(ACTION_NAMES)
        self.state_shape = [[PLANES, 4, COLUMNS] for _ in range(players)]
        self.action_shape = [None] * players
        self.agents: list[Any] = []
        self.timestep = 0  # of all games
        self._record: list[tuple[int, str]] = []
        self._over = True
        self.seed(seed)

    def seed(self, seed: int | None = None) -> int:
        """The next game is the first one of this seed."""
        self._sitting.seed = check_seed(secrets.randbits(63) if seed is None else int(seed))
        self._index = 0
        return self._sitting.seed

    def reset(self) -> tuple[State, int]:
        """Deal the next game: the first state, and who is to act."""
        self._sitting.begin(self._index)
        self._index += 1
        self._record = []
        self._go_on()
        return self._now()

    def step(self, action: Any, raw_action: bool = False) -> tuple[State, int]:
        """Carry out an action of the player to act, by its id or, with `raw_action`, by its name: the next state, and who is to act then."""
        if self._over:
            raise BadValue(f"action {action} comes after the end of the game; reset the environment.")
        view = self._view
        number = _NAMED.get(action, -1) if raw_action else int(action)
        if not 0 <= number <= DRAW_ID or not view.is_legal(action_of(view, number)):
            legal = ", ".join(f"{action_id} ({ACTION_NAMES[action_id]})" for action_id in legal_ids(view))
            raise BadValue(f"action {action} of player {view.seat} is not legal; legal are {legal}.")
        self.timestep += 1
        self._record.append((view.seat, ACTION_NAMES[number]))
        self._sitting.take(action_of(view, number))
        self._go_on()
        return self._now()

    def run(self, is_training: bool = False) -> tuple[list[list[Any]], np.ndarray[Any, Any]]:
        """Play a game between the agents: for each player states and actions in turn, and the payoffs."""
        if len(self.agents) != self.num_players:
            raise BadValue(f"{len(self.agents)} agents are set for {self.num_players} players; set_agents takes one for each.")
        trajectories: list[list[Any]] = [[] for _ in range(self.num_players)]
        state, player = self.reset()
        while not self._over:
            agent = self.agents[player]
            action = agent.step(state) if is_training else agent.eval_step(state)[0]
            trajectories[player] += [state, action]
            state, player = self.step(action, agent.use_raw)
        for player, trajectory in enumerate(trajectories):
            trajectory.append(self.get_state(player))
        return trajectories, self.get_payoffs()

    def set_agents(self, agents: Sequence[Any]) -> None:
        """Who plays in `run`, by seat."""
        self.agents = list(agents)

    def get_state(self, player_id: int) -> State:
        """What a player sees."""
        return state_of(self._sitting.look(player_id), self._record)

    def get_player_id(self) -> int:
        """Who is to act."""
        return int(self._sitting.place.current)

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._over

    def get_payoffs(self) -> np.ndarray[Any, Any]:
        """1 for the winner, -1 for the others; zeros before the end, and if nobody has won."""
        winner = self._sitting.game.outcome(self._sitting.state)["winner"] if self._over else None
        return np.array([0 if winner is None else 1 if seat == winner else -1 for seat in range(self.num_players)])

    def get_perfect_information(self) -> dict[str, Any]:
        """The table with all hands open."""
        raw = [self.get_state(player)["raw_obs"] for player in range(self.num_players)]
        current = self.get_player_id()
        shared = {name: raw[current][name] for name in ("num_players", "played_cards", "target", "current_player", "legal_actions")}
        return {**shared, "hand_cards": [each["hand"] for each in raw]}

    def get_action_feature(self, action: int) -> np.ndarray[Any, np.dtype[np.int8]]:
        """An action as a vector with a single one."""
        feature = np.zeros(self.num_actions, dtype=np.int8)
        feature[action] = 1
        return feature

    @property
    def action_recorder(self) -> list[tuple[int, str]]:
        """Every player's actions in this game: what `action_record` in a state is."""
        return self._record

    def _go_on(self) -> None:
        """Go on to the next turn, or to the colour of a drawn wild; what else leaves no choice is carried out."""
        sitting = self._sitting
        while True:
            why = sitting.find()
            self._view: View = sitting.place.view()
            if why != FORCED or self._view.phase == TURN:
                break
            sitting.take(sitting.found)
        self._over = why == OVER

    def _now(self) -> tuple[State, int]:
        return state_of(self._view, self._record), self._view.current


def from_config(config: Mapping[str, Any]) -> RLCardStyleEnv:
    """The environment as RLCard's registry makes it: `seed`, `game_num_players`, `game_rules`."""
    if config.get("allow_step_back"):
        raise BadValue("allow_step_back=True is not accepted: this environment takes no steps back.")
    return RLCardStyleEnv(int(config.get("game_num_players", 2)), config.get("game_rules"), config.get("seed"))


def register() -> None:
    """Make it known to RLCard, as `rlcard.make("kibitz-uno")`."""
    try:
        from rlcard.envs import registration
    except ImportError:
        raise BadValue("RLCard is not installed; get it with: pip install rlcard") from None
    if REGISTERED not in registration.registry.env_specs:
        registration.register(REGISTERED, f"{__name__}:{from_config.__name__}")
