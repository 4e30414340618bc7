"""Process of a test: runs a sweep, and is killed in the middle of it."""

import sys
from pathlib import Path

from bardo.simulate import experiment, runner


def main() -> None:
    config, results = map(Path, sys.argv[1:])

    def tell(stage: str, done: int, total: int) -> None:
        print(done, flush=True)  # noqa: T201

    runner.sweep(experiment.read(config), results, workers=1, progress=tell)


if __name__ == "__main__":
    main()
