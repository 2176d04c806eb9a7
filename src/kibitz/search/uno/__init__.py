"""Search and learning in UNO: what a player may believe, worlds that agree with it, and features of actions.

A search bot keeps a `belief.Belief` as its memory. At a decision it prepares the hidden cards once (`worlds.prepare`), samples as
many worlds as it likes (`worlds.sample_world`), and lays each out as a state (`layout.lay_out`) from which the engine plays on.
"""
