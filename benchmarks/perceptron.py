"""How long 2,000 generations of 200 deals take: python benchmarks/perceptron.py [THREADS]

It should be at most 15 s on two cores. Compiling is not counted; the time on the processors is shown as well, since the
machine may be busy. Nothing in the tests depends on these numbers.
"""

from __future__ import annotations

import sys
import time

from kibitz.experiments.training.uno.perceptron.plan import PerceptronPlan
from kibitz.experiments.training.uno.perceptron.training import PerceptronTraining


def main() -> None:
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else None
    PerceptronTraining(PerceptronPlan(generations=1)).run(threads)
    for model in ("cards", "hidden"):
        training = PerceptronTraining(PerceptronPlan(model=model, generations=2_000, games=200))
        start, worked = time.perf_counter(), time.process_time()
        training.run(threads)
        seconds, busy = time.perf_counter() - start, time.process_time() - worked
        print(
            f"{model:>7}: 2,000 generations of 200 deals in {seconds:.1f} s ({busy:.1f} s of processor time), {training.games / seconds:,.0f} deals/s"
        )


if __name__ == "__main__":
    main()
