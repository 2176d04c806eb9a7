"""What a policy computes from a view, for bots, search and training alike: features, networks, opponent models, files of weights."""
