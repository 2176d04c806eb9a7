"""Training of the network: games on the compiled engine, a league of opponents, and PPO in PyTorch."""
