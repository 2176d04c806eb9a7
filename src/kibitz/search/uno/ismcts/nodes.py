"""The tree: nodes are what the searcher may have seen at a decision, edges the actions that were tried there.

A node is found by its key, a digest of all actions since the search began, of the searcher's own hand and of what it knows of
others: what is hidden from the searcher has no part in it, so one node stands for many worlds. There is no list of a node's
successors, since a draw leads to many. All of it lies in arrays of fixed length; when they are full, the tree grows no more.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import Word, number, word
from kibitz.core.layouts import Int
from kibitz.core.seeds import scramble
from kibitz.games.uno.cards import MAX_PLAYERS
from kibitz.games.uno.state import State
from kibitz.policies.uno.net.forward import NetWorkspace
from kibitz.policies.uno.sightings import Sightings
from kibitz.policies.valuation import MOST_ACTIONS
from kibitz.search.parts import part_of, words_for
from kibitz.search.race import Race
from kibitz.search.uno.belief import Belief
from kibitz.search.uno.chain import Chain
from kibitz.search.uno.history import History
from kibitz.search.uno.worlds import Hidden, World

NODES = 1 << 14
PLACES = 2 * NODES  # of the table in which nodes are looked up: never more than half full
EDGES = 3 * NODES
DEEPEST = 64  # decisions of one descent that are remembered
NONE = -1

_ACTION_PLACE = Word(24)
_SEAT_BITS = Word(4)


class IsmctsMemory(Belief, History):
    """What the searcher remembers: a belief, what opponents did lately, and sightings that serve every seat."""

    remembered: Annotated[list[int], "u8", words_for(Sightings)]


class IsmctsSearch(Race):
    """All that a search works with, after the race between the candidates of the decision that is searched."""

    # By place in the table.
    keys: Annotated[list[int], "u8", PLACES]
    nodes: Annotated[list[int], "i4", PLACES]  # NONE if the place is free
    # By node.
    first_edges: Annotated[list[int], "i4", NODES]
    # By edge: an action at a node.
    following: Annotated[list[int], "i4", EDGES]  # the next edge of the same node
    edge_actions: Annotated[list[int], "i4", EDGES]
    edge_visits: Annotated[list[int], "i4", EDGES]
    edge_offers: Annotated[list[int], "i4", EDGES]  # how often the action was legal
    edge_sums: Annotated[list[float], "f8", EDGES]  # results of the player who acts there, added up
    edge_squares: Annotated[list[float], "f8", EDGES]  # the squares of these
    node_count: Int
    edge_count: Int
    table_size: Int  # places in use: a power of two
    # The decisions of the present descent.
    path_edges: Annotated[list[int], "i4", DEEPEST]
    path_seats: Annotated[list[int], "i1", DEEPEST]
    path_length: Int
    # The candidates of the decision at hand.
    candidates: Annotated[list[int], "i4", MOST_ACTIONS]
    states: Annotated[list[int], "u8", words_for(State, 2)]  # a world laid out, and the game that is played
    chains: Annotated[list[int], "u8", words_for(Chain)]  # the world at hand, from which the next one comes
    spares: Annotated[list[int], "u8", words_for(World)]  # room for another
    hiddens: Annotated[list[int], "u8", words_for(Hidden)]
    sightings: Annotated[list[int], "u8", words_for(Sightings)]
    thoughts: Annotated[list[int], "u8", words_for(NetWorkspace)]


remembered_of = part_of(IsmctsMemory, "remembered", Sightings)
state_of = part_of(IsmctsSearch, "states", State)
chain_of = part_of(IsmctsSearch, "chains", Chain)
spare_of = part_of(IsmctsSearch, "spares", World)
hidden_of = part_of(IsmctsSearch, "hiddens", Hidden)
sightings_of = part_of(IsmctsSearch, "sightings", Sightings)
workspace_of = part_of(IsmctsSearch, "thoughts", NetWorkspace)


def clear_tree(search: IsmctsSearch, expected: int) -> None:
    """An empty tree with room for so many nodes, or as many as there can be."""
    size = number(64)
    while size < PLACES and size < 2 * expected:
        size *= 2
    search.table_size = size
    for place in range(size):
        search.nodes[place] = NONE
    search.node_count = 0
    search.edge_count = 0


def extend_history(history: int, action: int) -> int:
    """A digest of all that was done up to this action."""
    return scramble(history ^ (word(action + 1) << _ACTION_PLACE))


def node_key(state: State, me: int, history: int) -> int:
    """The key of a decision: what was done, whose decision it is, and what the searcher holds and knows."""
    key = history ^ ((word(state.current) << _SEAT_BITS) | word(state.phase))
    key = scramble(key ^ state.hands0[me])
    key = scramble(key ^ state.hands1[me])
    key = scramble(key ^ state.hands2[me])
    for seat in range(number(state.players)):
        key = scramble(key ^ word(state.sizes[seat]))
    if state.any_known:
        for seat in range(number(state.players)):
            place = me * MAX_PLAYERS + seat
            key = scramble(key ^ state.knowledge0[place])
            key = scramble(key ^ state.knowledge1[place])
            key = scramble(key ^ state.knowledge2[place])
    return key


def find_place(search: IsmctsSearch, key: int) -> int:
    """The place of a key in the table: where it is, or where it would be put."""
    mask = number(search.table_size) - 1
    place = number(key & word(mask))
    while search.nodes[place] != NONE and search.keys[place] != key:
        place = (place + 1) & mask
    return place


def add_node(search: IsmctsSearch, place: int, key: int) -> int:
    """Put a new node at a free place of the table; NONE if there is no room."""
    node = number(search.node_count)
    if node >= NODES or 2 * node >= number(search.table_size):
        return NONE
    search.node_count = node + 1
    search.keys[place] = key
    search.nodes[place] = node
    search.first_edges[node] = NONE
    return node


def find_edge(search: IsmctsSearch, node: int, action: int) -> int:
    """The edge of an action at a node, made if need be; NONE if there is no room."""
    edge = number(search.first_edges[node])
    while edge != NONE:
        if search.edge_actions[edge] == action:
            return edge
        edge = number(search.following[edge])
    edge = number(search.edge_count)
    if edge >= EDGES:
        return NONE
    search.edge_count = edge + 1
    search.edge_actions[edge] = action
    search.edge_visits[edge] = 0
    search.edge_offers[edge] = 0
    search.edge_sums[edge] = 0.0
    search.edge_squares[edge] = 0.0
    search.following[edge] = search.first_edges[node]
    search.first_edges[node] = edge
    return edge
