"""Meanimax: a search for two Hanabi players that averages over what a move may lead to and takes the best mean.

The player to move knows each card as counts of the types it may be. After a move the partner is expected to pick what looks
best by its own hints alone; that move is then scored by what is really known here. The search never takes cards out of the
counts, so that one table made at the root serves all of it.

A *card* is a number of 22 bits: what its holder was told (a mask of 5 ranks, then of 5 colours), and what the searcher counts
it as (the same two masks, then which cards are counted). A *scene* packs what lies on the table: five piles of 3 bits, tokens,
lives and the turns left. An *outlook* is what follows each move of the player to act, as far as it does not matter which of
the slots is used: at the last two plies that is always so, and most of the work is shared that way.
"""
