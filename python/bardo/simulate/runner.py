"""Runs of an experiment on all cores, or on Ray; finished runs are kept in a file, so that a sweep can be resumed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bardo._atomic import unavailable, write_atomically
from bardo.errors import ConfigError, InvalidInputError, MissingPackageError
from bardo.ports import Progress, no_progress
from bardo.simulate.experiment import Experiment, Run, execute, runs

#: Stage of the progress callback.
STAGE = "simulate"
#: Runs that wait for a worker, per worker: enough that none idles.
_AHEAD = 4
_SETUP_BYTES = 8


@dataclass(frozen=True, slots=True)
class Result:
    """Records of one run.

    Args:
        world: Name of the world.
        arm: Name of the arm.
        seed: Seed.
        setup: Hash of the settings of world and arm.
        generations: One record per generation.
    """

    world: str
    arm: str
    seed: int
    setup: str
    generations: tuple[dict[str, Any], ...]

    def line(self) -> bytes:
        """One line of the results file."""
        fields = {name: getattr(self, name) for name in ("world", "arm", "seed", "setup", "generations")}
        return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def sweep(
    experiment: Experiment,
    path: Path,
    *,
    workers: int | None = None,
    ray: bool = False,
    progress: Progress = no_progress,
) -> list[Result]:
    """Executes all runs that the results file does not hold yet.

    Each finished run is appended to the file at once. A complete file has the runs in the order of the experiment, so
    that it is the same for any number of workers, on Ray, and after an interruption.

    Args:
        experiment: Worlds, arms and seeds.
        path: Results file, JSON lines; made if absent, resumed if present.
        workers: Number of threads, or of Ray workers; None for the number of cores.
        ray: Whether to run on Ray.
        progress: Callback with the number of finished runs.

    Returns:
        Results in the order of the experiment.

    Raises:
        ConfigError: The file holds runs with other settings under the same names.
        InvalidInputError: The simulation refuses a setting, or the number of workers is not positive.
        MissingPackageError: `ray` is asked for and not installed.
        StoreUnavailableError: The file cannot be read or written.
    """
    workers = os.cpu_count() or 1 if workers is None else workers
    if workers < 1:
        raise InvalidInputError(f"workers is {workers}. Use at least 1")
    wanted = runs(experiment)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        found = _load(path, wanted)
        missing = [run for run in wanted if _key(run) not in found]
        progress(STAGE, len(wanted) - len(missing), len(wanted))
        finished = _on_ray(missing, workers) if ray else _on_threads(missing, workers)
        with path.open("ab") as file:
            for run, records in finished:
                result = Result(run.world, run.arm, run.seed, _setup(run), tuple(records))
                file.write(result.line())
                file.flush()
                found[_key(run)] = result
                progress(STAGE, len(found), len(wanted))
        ordered = [found[_key(run)] for run in wanted]
        write_atomically(path, b"".join(result.line() for result in ordered))
    except OSError as error:
        raise unavailable("use", path, error) from error
    return ordered


def load(experiment: Experiment, path: Path) -> list[Result]:
    """Returns the results of a complete file.

    Raises:
        ConfigError: Runs are missing, or have other settings.
        StoreUnavailableError: The file cannot be read.
    """
    wanted = runs(experiment)
    try:
        found = _load(path, wanted, mend=False)
    except OSError as error:
        raise unavailable("read", path, error) from error
    missing = sum(_key(run) not in found for run in wanted)
    if missing:
        raise ConfigError(
            f"{path} lacks {missing} of {len(wanted)} runs. Run `bardo simulate` again to resume it"
        )
    return [found[_key(run)] for run in wanted]


def _key(run: Run) -> tuple[str, str, int]:
    return run.world, run.arm, run.seed


def _setup(run: Run) -> str:
    text = f"{run.world_json}\n{run.arm_json}".encode()
    return hashlib.blake2b(text, digest_size=_SETUP_BYTES).hexdigest()


def _load(path: Path, wanted: Sequence[Run], *, mend: bool = True) -> dict[tuple[str, str, int], Result]:
    """Reads the finished runs; `mend` cuts off a line that a killed process left unfinished."""
    if not path.exists():
        return {}
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if mend and end < len(data):
        os.truncate(path, end)
    setups = {_key(run): _setup(run) for run in wanted}
    found = {}
    for number, line in enumerate(data[:end].splitlines(), 1):
        try:
            fields = json.loads(line)
            result = Result(**{**fields, "generations": tuple(fields["generations"])})
            key = (result.world, result.arm, result.seed)
        except (ValueError, TypeError, KeyError) as error:
            raise ConfigError(
                f"{path}, line {number}, is no result of a simulation. Choose another folder with --out"
            ) from error
        if setups.get(key) != result.setup:
            raise ConfigError(
                f"{path}, line {number}: world {result.world!r}, arm {result.arm!r}, seed {result.seed} is of an "
                "experiment with other settings. Choose another folder with --out, or delete the file"
            )
        found[key] = result
    return found


def _on_threads(missing: Sequence[Run], workers: int) -> Iterator[tuple[Run, list[dict[str, Any]]]]:
    """Runs on threads, as the core releases the global interpreter lock."""
    left = iter(missing)
    pending: dict[Future[list[dict[str, Any]]], Run] = {}
    with ThreadPoolExecutor(workers) as pool:
        try:
            while True:
                for run in _take(left, workers * _AHEAD - len(pending)):
                    pending[pool.submit(execute, run)] = run
                if not pending:
                    return
                for future in wait(pending, return_when=FIRST_COMPLETED).done:
                    yield pending.pop(future), future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _on_ray(missing: Sequence[Run], workers: int) -> Iterator[tuple[Run, list[dict[str, Any]]]]:
    """Runs on the Ray cluster that is connected, or on a local one of so many workers."""
    try:
        import ray
    except ImportError as error:
        raise MissingPackageError(
            f"--ray needs Ray, which does not load ({error}). Run: pip install 'bardo[ray]'"
        ) from error
    started = not ray.is_initialized()
    if started:
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        task = ray.remote(num_cpus=1)(execute)
        left = iter(missing)
        pending: dict[Any, Run] = {}
        while True:
            for run in _take(left, workers * _AHEAD - len(pending)):
                pending[task.remote(run)] = run
            if not pending:
                return
            done, _ = ray.wait(list(pending), num_returns=1)
            for reference in done:
                yield pending.pop(reference), ray.get(reference)
    finally:
        if started:
            ray.shutdown()


def _take(runs: Iterator[Run], count: int) -> Iterable[Run]:
    for _, run in zip(range(count), runs, strict=False):
        yield run
