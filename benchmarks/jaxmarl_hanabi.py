"""Steps per second of JaxMARL's Hanabi, on what JAX finds here: python benchmarks/jaxmarl_hanabi.py

It stands by itself, so that it can run in a Python that has jax and jaxmarl and not Kibitz; benchmarks/envs.py starts it with `--jax`.
Everybody plays random legal moves; observations are written, for all players, and games begin again by themselves.
"""

from __future__ import annotations

import json
import time
from importlib.metadata import version
from typing import Any

import jax
import jaxmarl

ENVS, STEPS = 4096, 16


def main() -> None:
    """Print the figures as JSON."""
    env = jaxmarl.make("hanabi")

    def one(key: Any, state: Any) -> Any:
        legal = env.get_legal_moves(state)
        choosing, stepping = jax.random.split(key)
        keys = jax.random.split(choosing, env.num_agents)
        actions = {
            agent: jax.random.categorical(each, jax.numpy.log(legal[agent] + 1e-9)) for agent, each in zip(env.agents, keys, strict=True)
        }
        seen, state, *_ = env.step(stepping, state, actions)
        return seen, state

    def step(carried: Any, key: Any) -> Any:
        states, _ = carried
        seen, states = jax.vmap(one)(jax.random.split(key, ENVS), states)
        return (states, seen), None

    run = jax.jit(lambda states, seen, key: jax.lax.scan(step, (states, seen), jax.random.split(key, STEPS))[0])

    seen, states = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.key(0), ENVS))
    states, seen = jax.block_until_ready(run(states, seen, jax.random.key(1)))
    spent = []
    for repeat in range(3):
        start = time.perf_counter(), time.process_time()
        states, seen = jax.block_until_ready(run(states, seen, jax.random.key(repeat)))
        spent.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    clock, processor = (min(times) for times in zip(*spent, strict=True))
    device = str(jax.devices()[0].platform)
    versions = {"jaxmarl": version("jaxmarl"), "jax": version("jax"), "device": device}
    print(json.dumps({"steps": ENVS * STEPS, "clock": clock, "processor": processor, **versions}))


if __name__ == "__main__":
    main()
