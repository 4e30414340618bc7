"""Whether confidences mean what they say, after 1,000 simulated outcomes: Brier scores and the reliability curve."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from bardo._core import FactStore, judge_facts
from bardo.model import Fact

FACTS = 100
#: Outcomes told before anything is judged, and outcomes that are judged.
TOLD, JUDGED = 1_000, 1_000
#: Ticks between outcomes: a reinforcement within 50 of the last counts once.
PACE = 5
REINFORCEMENT = 0.1
#: e-folding time of the decay: long against the run, so that the steps and not the decay are measured.
TAU = 1e6
NOW = 1_700_000_000_000_000
PARTS = 10
CAVEAT = f"""\
{FACTS} facts hold with a probability each of its own, drawn evenly from 0 to 1, and start at a confidence of .7.
{TOLD:,} outcomes are told (`outcome` of +1 or -1, of facts drawn evenly); then {JUDGED:,} more are foretold one by one
and told. "Raw" is the confidence as the spec moves it, "stated" what `why` states beside it at that moment, "known"
the true probability. Brier score: mean of (forecast - outcome)^2. Calibration error: mean distance of forecast
and frequency over ten parts of 0..1."""


def section(seeds: int, picture: Path | None) -> str:
    """The table over so many seeds, and its picture."""
    runs = [_run(seed) for seed in range(seeds)]
    forecasts = {name: np.concatenate([run[name] for run in runs]) for name in runs[0]}
    came = forecasts.pop("came")
    rows = ["| forecast | Brier score | calibration error |", "|---|---|---|"]
    for name, forecast in forecasts.items():
        rows.append(f"| {name} | {np.mean((forecast - came) ** 2):.4f} | {_error(forecast, came):.3f} |")
    if picture is not None:
        _draw(forecasts, came, picture)
    return "\n\n".join(
        [
            "## What a confidence is worth",
            f"{CAVEAT} {seeds} seeds.",
            "\n".join(rows),
            "![Reliability](confidence.png)",
        ]
    )


def _run(seed: int) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(seed)
    truth = chance.uniform(size=FACTS)
    told: dict[str, list[float]] = {"always .5": [], "raw": [], "stated": [], "known": [], "came": []}
    with tempfile.TemporaryDirectory() as folder:
        facts = FactStore(Path(folder) / "facts.db", agent="student", seed=seed, now=NOW, tau_ticks=TAU)
        given = [
            Fact(f"claim number {n} holds", category=f"claims/{n}", confidence=0.7, support=1)
            for n in range(FACTS)
        ]
        ids = [entry.id for entry in facts.upsert(given, tick=1, now=NOW)]
        for number in range(TOLD + JUDGED):
            tick = 2 + number * PACE
            chosen = int(chance.integers(FACTS))
            holds = bool(chance.random() < truth[chosen])
            if number >= TOLD:
                raw = facts.confidence_now([ids[chosen]], tick=tick)[0]
                assert raw is not None
                stated = facts.stated([ids[chosen]], tick=tick)[0]
                assert stated is not None
                for name, forecast in zip(told, (0.5, raw, stated, truth[chosen], holds), strict=True):
                    told[name].append(float(forecast))
            judge_facts(facts, [ids[chosen]], 1.0 if holds else -1.0, tick=tick, reinforcement=REINFORCEMENT)
        facts.close()
    return {name: np.array(values) for name, values in told.items()}


def _curve(forecast: np.ndarray, came: np.ndarray) -> list[tuple[float, float, int]]:
    part = np.minimum((forecast * PARTS).astype(int), PARTS - 1)
    return [
        (float(forecast[part == one].mean()), float(came[part == one].mean()), int((part == one).sum()))
        for one in range(PARTS)
        if (part == one).any()
    ]


def _error(forecast: np.ndarray, came: np.ndarray) -> float:
    return sum(count * abs(said - held) for said, held, count in _curve(forecast, came)) / len(came)


def _draw(forecasts: dict[str, np.ndarray], came: np.ndarray, picture: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 5), layout="constrained")
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    for name in ("raw", "stated"):
        curve = _curve(forecasts[name], came)
        axes.plot([said for said, _, _ in curve], [held for _, held, _ in curve], marker="o", label=name)
    axes.set(xlabel="confidence", ylabel="share of outcomes that were good", xlim=(0, 1), ylim=(0, 1))
    axes.set_title("What a confidence is worth after 1,000 outcomes")
    axes.legend()
    figure.savefig(picture, dpi=110)
    plt.close(figure)
