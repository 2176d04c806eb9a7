"""Policies for UNO: features of actions, the network, what is remembered of opponents, evaluations of positions."""
