"""Times that cannot be: refused at every door, survived in old logs, and a way back from a clock that was wrong."""

from __future__ import annotations

import asyncio
import gzip
import json
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import bardo
from bardo.errors import BardoWarning, InvalidInputError
from bardo.model import Episode, Fact
from bardo.ports import Clock, Embedder, ManualClock
from bardo.surfaces.cli.app import app

NOW = 1_700_000_000_000_000
SECOND = NOW // 1_000_000
DAY = 86_400 * 1_000_000
YEAR_9999 = 253_402_300_799
NO_DATES = (2**62, 2**63 - 1, -(2**63), (YEAR_9999 + 1) * 1_000_000, -62_135_596_800_000_001)
#: Written by a version that took any time: six good episodes, five with `at` out of range, one dropped at tick 2**62.
OLD_LOG = Path(__file__).parents[1] / "rust/bardo-core/tests/golden/episodes-bad-times.redb.gz"


def opened(folder: Path, watch: Clock | None = None, **config: Any) -> bardo.Grimoire:
    return bardo.open(
        folder, clock=watch or ManualClock(NOW), embedder=None, config={"archive": {"days": True}, **config}
    )


def old(folder: Path, **config: Any) -> bardo.Grimoire:
    folder.mkdir()
    (folder / "episodes.redb").write_bytes(gzip.decompress(OLD_LOG.read_bytes()))
    return opened(folder, **config)


# -- doors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", NO_DATES)
def test_every_door_refuses_a_time_that_is_no_date(at: int, tmp_path: Path) -> None:
    with opened(tmp_path / "a") as grimoire:
        for leave in (
            lambda: grimoire.remember("said", at=at),
            lambda: grimoire.remember(Episode("said", at=at)),
            lambda: grimoire.remember(["good", Episode("said", at=at)]),
            lambda: bardo.drop(grimoire.path, "said", at=at),
            lambda: bardo.drop(grimoire.path, ["good", Episode("said", at=at)]),
        ):
            with pytest.raises(
                InvalidInputError, match=f"at is {at}, which is no date from the year 1 to 9999"
            ):
                leave()
        assert (len(list(grimoire.episodes.list())), grimoire.maintenance.drain_inbox()) == (0, 0)
        for last in (YEAR_9999 * 1_000_000, -62_135_596_800_000_000):
            assert grimoire.remember(f"said at {last}", at=last).at == last


@pytest.mark.parametrize("tick", [2**62, 2**63 - 1, 2**63, -1])
def test_every_door_refuses_a_tick_beyond_2_to_the_62(tick: int, tmp_path: Path) -> None:
    with opened(tmp_path / "a") as grimoire:
        for leave in (
            lambda: grimoire.remember("said", tick=tick),
            lambda: grimoire.remember(Episode("said", tick=tick)),
            lambda: grimoire.learn("known", tick=tick),
            lambda: grimoire.tick(tick),
            lambda: bardo.drop(grimoire.path, "said", tick=tick),
            lambda: bardo.drop(grimoire.path, Episode("said", tick=tick)),
        ):
            with pytest.raises(
                InvalidInputError, match=rf"tick is {tick}. A tick is a whole number from 0 to"
            ):
                leave()
        assert (grimoire.now_tick, grimoire.maintenance.drain_inbox()) == (SECOND, 0)


def test_a_tick_after_the_clock_is_refused_where_ticks_are_seconds(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as grimoire:
        fact = grimoire.learn("The user is allergic to nuts", confidence=0.9)
        bardo.drop(grimoire.path, ["from the year 9999", "well dated"], tick=YEAR_9999)
        bardo.drop(grimoire.path, "a good neighbour")
        with pytest.warns(BardoWarning, match=r"2 of 2 episodes .* were set aside .*seconds after the clock"):
            assert grimoire.maintenance.drain_inbox() == 1
        assert (grimoire.now_tick, grimoire.facts.confidence(fact)) == (SECOND, pytest.approx(0.9))
    with opened(tmp_path / "b", clock={"unit": "seconds"}) as grimoire:
        for leave in (
            lambda: grimoire.remember("said", tick=YEAR_9999),
            lambda: grimoire.remember(Episode("said", tick=YEAR_9999)),
            lambda: grimoire.learn("known", tick=YEAR_9999),
            lambda: grimoire.tick(YEAR_9999),
        ):
            with pytest.raises(InvalidInputError, match="seconds after the clock"):
                leave()
        assert grimoire.remember("a clock of another machine", tick=SECOND + 86_400).tick == SECOND + 86_400


def test_a_fact_cannot_bring_the_tick_of_a_look_that_is_not_yet(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as grimoire:
        grimoire.learn(Fact("Tides turn", created_tick=2**61, reinforced_tick=2**61, accessed_tick=2**61))
    with opened(tmp_path / "a") as grimoire:
        assert grimoire.now_tick == SECOND


def test_a_clock_without_now_is_refused_with_what_to_pass(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"no method now\(\)"):
        bardo.open(tmp_path / "agent", clock=lambda: NOW)  # type: ignore[arg-type]


def test_one_bad_line_of_an_inbox_file_is_set_aside_and_the_others_are_taken(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as grimoire:
        ids = bardo.drop(grimoire.path, [f"line {number}" for number in range(4)])
        (path,) = (tmp_path / "a" / "inbox").glob("*.jsonl")
        header, *lines = path.read_text().splitlines()
        broken = [json.loads(line) for line in lines]
        broken[1]["at"], broken[2]["curiosity"] = 2**62, "much"
        path.write_text("\n".join([header, *map(json.dumps, broken), ""]))
        with pytest.warns(
            BardoWarning, match=f"2 of 4 episodes .* were set aside .*{ids[1]}: at is .*{ids[2]}"
        ):
            assert grimoire.maintenance.drain_inbox() == 2
        assert [episode.text for episode in grimoire.episodes.list()] == ["line 0", "line 3"]
        aside = (tmp_path / "a" / "inbox" / "rejected" / path.name).read_text().splitlines()
        assert [json.loads(line).get("id") for line in aside] == [None, *ids[1:3]]
        assert (
            ids[1]
            in (tmp_path / "a" / "inbox" / "rejected" / path.name).with_suffix(".reason.txt").read_text()
        )
        assert (grimoire.maintenance.drain_inbox(), path.exists()) == (0, False)


# -- old logs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["auto", "loops"])
def test_an_old_log_with_impossible_times_is_slept_over_rebuilt_and_bequeathed(
    unit: str, tmp_path: Path
) -> None:
    with pytest.warns(
        BardoWarning, match="018bcfe5-6800-7f23-a453-c95baa1ed51e does not count|ticks after the last"
    ):
        elder = old(tmp_path / "elder", clock={"unit": unit})
    with elder:
        wrong = [episode for episode in elder.episodes.list() if episode.text.startswith("I went")]
        assert sorted(episode.at for episode in wrong) == sorted(
            (*NO_DATES[:3], -(2**62), 253_402_300_800_000_000)
        )
        rehearsed = elder.sleep(dry_run=True)
        assert rehearsed.episodes == 12
        report = elder.sleep()
        assert (report.episodes, report.pending, report.days > 1) == (12, 0, True)
        for episode in wrong:
            assert any(episode.id in note and "undated.json" in note for note in report.notes), episode.id
        assert any("was not read for facts" in note and wrong[0].id in note for note in report.notes)
        assert {"tide.height"} == {fact.text.partition(":")[0] for fact in elder.facts.list(status=None)}
        undated = json.loads((tmp_path / "elder" / "archive" / "undated.json").read_text())
        assert {record["id"] for record in undated["episodes"]} == {episode.id for episode in wrong}
        assert elder.maintenance.rebuild()["rebuilt"]["days"] == {
            "episodes": 11,
            "missing": 0,
            "different": 0,
        }
        assert elder.curator.dream().replayed == 12
        assert elder.recall("harbour", limit=10, window=2)
        assert "harbour" in str(elder.context("What of the harbour?", budget=3_000))
        assert str(elder.pages.dossier())
        elder.forget(wrong[0], reason="test")
        assert wrong[0].id not in (tmp_path / "elder" / "archive" / "undated.json").read_text()
        elder.bequeath(tmp_path / "elder.testament")
    shown = CliRunner().invoke(app, ["episodes", "list", "--at", str(tmp_path / "elder")])
    assert shown.exit_code == 0, shown.output
    with bardo.inherit(
        tmp_path / "elder.testament", tmp_path / "heir", clock=ManualClock(NOW), embedder=None
    ) as heir:
        assert heir.sleep().pending == 0
        assert heir.recall("tide")


def test_a_dropped_tick_of_an_old_log_that_is_not_yet_does_not_count(tmp_path: Path) -> None:
    with pytest.warns(BardoWarning, match="018bcfe5-6800-7f23-a453-c95baa1ed51e does not count"):
        elder = old(tmp_path / "elder")
    with elder:
        fact = elder.learn("The user is allergic to nuts", confidence=0.9)
        assert (elder.now_tick, elder.facts.confidence(fact)) == (SECOND, pytest.approx(0.9))
        elder.sleep()
        assert elder.remember("high water").tick == elder.now_tick == SECOND


def test_a_text_that_states_a_fact_beyond_the_limits_stops_no_pass(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as grimoire:
        many = tuple(f"subject {number}" for number in range(256))
        spoken: dict[str, Any] = {"kind": "turn", "role": "user", "speaker": "Ann"}
        wide = grimoire.remember(Episode("I am allergic to walnuts", subjects=many, **spoken))
        grimoire.remember(Episode("I live in Oslo", **spoken))
        report = grimoire.sleep()
        assert [note for note in report.notes if wide.id in note and "257 subjects" in note], report.notes
        assert [fact.text for fact in grimoire.facts.list()] == ["Ann lives in Oslo"]
        assert grimoire.sleep().notes == ()


# -- clocks ----------------------------------------------------------------------------------------------------------


class SayingClock:
    """A clock of a caller's that says what it is told to."""

    def __init__(self, said: Any) -> None:
        self.said = said

    def now(self) -> Any:
        return self.said


@pytest.mark.parametrize("seconds", [float("inf"), float("nan"), -1, -0.5, 1e30, 10**400, "1", None, True])
def test_a_manual_clock_advances_by_a_finite_time_alone(seconds: Any) -> None:
    clock = ManualClock(NOW)
    with pytest.raises(InvalidInputError, match="advance"):
        clock.advance(seconds)
    assert clock.now() == NOW


@pytest.mark.parametrize("now", [float("inf"), float("nan"), 2**63, -(10**30), 1.5, "noon", None, True])
def test_a_manual_clock_is_set_to_dates_alone(now: Any) -> None:
    clock = ManualClock(NOW)
    for move in (clock.set, ManualClock):
        with pytest.raises(InvalidInputError, match="the time of a ManualClock is"):
            move(now)
    assert clock.now() == NOW
    clock.set(-1)
    assert clock.now() == -1


@pytest.mark.parametrize("said", [2**63 - 1, 2**63, 2**70, -(2**63) - 1, 1.5, float("nan"), "noon", None])
def test_a_clock_that_says_no_time_is_a_typed_error_in_every_verb(said: Any, tmp_path: Path) -> None:
    clock = SayingClock(NOW)
    grimoire = opened(tmp_path / "a", clock)
    grimoire.learn("The moon is rock")
    grimoire.sleep()
    clock.said = said
    with (
        bardo.gate(tmp_path / "a", clock=clock) as gate,
        pytest.raises(InvalidInputError, match="the clock says"),
    ):
        gate.reject("buying back the coin")
    verbs: list[Callable[[], object]] = [
        grimoire.sleep, grimoire.curator.dream, grimoire.curator.lint, grimoire.pages.dossier,
        grimoire.embedding.check, grimoire.stats,
        lambda: grimoire.recall("moon"), lambda: grimoire.context("moon"), lambda: grimoire.learn("Tides turn"),
        lambda: grimoire.remember("high water"), lambda: grimoire.now_tick,
        lambda: grimoire.bequeath(tmp_path / "a.testament"), grimoire.maintenance.rebase_ticks,
        lambda: bardo.open(tmp_path / "b", clock=clock, embedder=None),
        lambda: bardo.visit(tmp_path / "a", clock=clock, embedder=None).recall("moon"),
    ]  # fmt: skip
    for verb in verbs:
        with pytest.raises(InvalidInputError, match="the clock says"):
            verb()
    clock.said = NOW
    assert grimoire.remember("high water").tick == SECOND
    grimoire.close()


def leapt(folder: Path) -> tuple[ManualClock, str, str, str]:
    """A memory whose machine had the date of 2050 for an hour; the ids of a fact of before and one of meanwhile."""
    clock = ManualClock(NOW)
    with opened(folder, clock) as grimoire:
        before = grimoire.learn("The user is allergic to nuts", confidence=0.9, importance=1.0)
        plan = grimoire.learn(
            Fact("The fee holiday is on", confidence=0.9, expires_tick=SECOND + 30 * 86_400)
        )
        clock.set(NOW + DAY)
        grimoire.remember("a day later")
        clock.set(NOW + 9_000 * DAY)
        with pytest.warns(BardoWarning, match="ticks after the last one"):
            grimoire.remember("as if it were 2048")
        meanwhile = grimoire.learn("The moon is rock", confidence=0.9)
        assert grimoire.facts.confidence(grimoire.facts.get(before.id)) < 1e-6
        assert any("rebase_ticks" in note for note in grimoire.sleep().notes)
    clock.set(NOW + 2 * DAY)
    return clock, before.id, plan.id, meanwhile.id


def test_a_leap_of_the_clock_is_reported_until_it_is_taken_back(tmp_path: Path) -> None:
    clock, before, plan, meanwhile = leapt(tmp_path / "a")
    with pytest.warns(BardoWarning, match=r"seconds after the clock.*rebase_ticks"):
        grimoire = opened(tmp_path / "a", clock)
    with grimoire:
        stood = grimoire.now_tick
        assert stood == SECOND + 9_000 * 86_400
        assert any("rebase_ticks" in note for note in grimoire.sleep().notes)
        done = grimoire.maintenance.rebase_ticks()
        assert (done.tick, done.by, done.offset) == (stood, 8_998 * 86_400, 8_998 * 86_400)
        for act in done.acts:
            grimoire.journal.undo(act)
        # Two days of fading and no more, and what is to end ends as far from now as it did.
        assert grimoire.facts.confidence(grimoire.facts.get(before)) == pytest.approx(
            0.9 * 2.718281828 ** (-2 / 112), rel=1e-3
        )
        assert grimoire.facts.get(plan).expires_tick == stood + 28 * 86_400  # type: ignore[union-attr]
        assert grimoire.facts.confidence(grimoire.facts.get(meanwhile)) == pytest.approx(0.9)
        clock.advance(86_400)
        assert grimoire.now_tick == grimoire.remember("and on it goes").tick == stood + 86_400
        assert not [note for note in grimoire.sleep().notes if "rebase_ticks" in note]
        with pytest.raises(InvalidInputError, match="does not run ahead"):
            grimoire.maintenance.rebase_ticks()
        # How it was thought to stand meanwhile can still be asked for (law 3).
        assert grimoire.facts.list(as_of=SECOND)[0].reinforced_tick == SECOND
    with warnings.catch_warnings():
        warnings.simplefilter("error", BardoWarning)
        with opened(tmp_path / "a", clock) as grimoire:
            assert grimoire.now_tick == stood + 86_400
    with bardo.visit(tmp_path / "a", clock=clock, embedder=None) as visitor:
        clock.advance(86_400)
        assert visitor.now_tick == stood + 2 * 86_400


def test_ticks_never_go_back_when_a_leap_is_taken_back(tmp_path: Path) -> None:
    clock, *_ = leapt(tmp_path / "a")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BardoWarning)
        grimoire = opened(tmp_path / "a", clock)
    with grimoire:
        seen = [episode.tick for episode in grimoire.episodes.list()]
        grimoire.maintenance.rebase_ticks()
        for _ in range(3):
            clock.advance(10)
            seen.append(grimoire.remember(f"at {clock.now()}").tick)
        assert seen == sorted(seen)
        assert [episode.tick for episode in grimoire.episodes.list()] == seen


def test_a_tick_that_was_passed_by_mistake_is_taken_back_by_name(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as grimoire:
        fact = grimoire.learn("Oracle updates are followed by liquidations", tick=19_000_000, confidence=0.9)
        with pytest.warns(BardoWarning, match="ticks after the last one"):
            grimoire.remember("a mistake", tick=190_000_000)
        with pytest.raises(InvalidInputError, match="Pass it as tick"):
            grimoire.maintenance.rebase_ticks()
        done = grimoire.maintenance.rebase_ticks(tick=19_000_100)
        assert (done.by, done.facts) == (170_999_900, 1)
        assert grimoire.facts.confidence(grimoire.facts.get(fact.id)) == pytest.approx(
            0.9 * 2.718281828 ** (-100 / 4_000)
        )
        assert grimoire.remember("goes on", tick=19_000_200).tick == 190_000_100
    with opened(tmp_path / "a") as grimoire:
        bardo.drop(grimoire.path, "from elsewhere", tick=19_000_300)
        assert grimoire.maintenance.drain_inbox() == 1
        assert grimoire.now_tick == 190_000_200
        grimoire.tick(19_000_301)
        assert grimoire.now_tick == 190_000_201


def test_the_command_line_and_asyncio_take_a_leap_back(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as grimoire:
        grimoire.learn("Oracle updates are followed by liquidations", tick=100, confidence=0.9)
        grimoire.remember("a mistake", tick=100_000)
    run = CliRunner().invoke(
        app, ["maintenance", "rebase-ticks", "--tick", "150", "--at", str(tmp_path / "a"), "--json"]
    )
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout) == {"tick": 100_000, "by": 99_850, "offset": 99_850, "facts": 1, "acts": []}
    again = CliRunner().invoke(
        app, ["maintenance", "rebase-ticks", "--tick", "150", "--at", str(tmp_path / "a")]
    )
    assert (again.exit_code, "does not run ahead" in again.output) == (2, True)

    async def on_and_on() -> int:
        async with bardo.AsyncGrimoire.open(tmp_path / "a", clock=ManualClock(NOW), embedder=None) as memory:
            await memory.remember("another", tick=200_000)
            return (await memory.maintenance.rebase_ticks(tick=200)).tick

    assert asyncio.run(on_and_on()) == 299_850


@pytest.mark.parametrize(("factor", "unit"), [(1, "seconds"), (1_000, "milliseconds")])
def test_a_time_in_another_unit_is_refused_with_the_likely_one(
    tmp_path: Path, minilm: Embedder, factor: int, unit: str
) -> None:
    wrong = 1_700_000_000 * factor
    with bardo.open(tmp_path / "a", clock=ManualClock(1_760_000_000_000_000), embedder=minilm, seed=1) as g:
        calls: dict[str, Callable[[], object]] = {
            "at": lambda: g.remember("x", at=wrong),
            "at ": lambda: g.remember(bardo.Episode("x", at=wrong)),
            "at  ": lambda: bardo.drop(g.path, "x", at=wrong, now=1_760_000_000_000_000),
            "since": lambda: g.recall("x", since=wrong),
            "until": lambda: g.learn("x", subject="a", attribute="port", value="1", until=wrong),
            "valid_at": lambda: g.facts.list(valid_at=wrong),
        }
        for name, call in calls.items():
            with pytest.raises(
                InvalidInputError, match=rf"^{name.strip()} is .* in {unit} it is 14 November 2023"
            ):
                call()
        assert g.episodes.list() == []
        # Times before 2000, and of January 1970 as a datetime, are what they are.
        assert g.remember("the landing", at=-14_182_940_000_000).at == -14_182_940_000_000
        assert g.remember("early", at=datetime(1970, 1, 20, tzinfo=UTC)).at == 19 * 86_400_000_000
    # A simulation that counts from 0 may use any number.
    with bardo.open(tmp_path / "b", clock=ManualClock(5), embedder=minilm, seed=1) as g:
        assert g.remember("x", at=wrong).at == wrong


@pytest.mark.parametrize("factor", [1, 1_000, 1_000_000])
def test_a_first_tick_that_is_the_time_of_the_clock_is_warned_of(
    tmp_path: Path, minilm: Embedder, factor: int
) -> None:
    now = 1_760_000_000
    with (
        bardo.open(tmp_path / "a", clock=ManualClock(now * 1_000_000), embedder=minilm, seed=1) as g,
        pytest.warns(BardoWarning, match="is the time of the clock in .*seconds"),
    ):
        g.remember("x", tick=now * factor)
    for folder, unit, tick in (("b", "auto", 19_000_000), ("c", "seconds", now), ("d", "loops", now)):
        with (
            warnings.catch_warnings(action="error"),
            bardo.open(
                tmp_path / folder, clock=ManualClock(now * 1_000_000), embedder=minilm, seed=1,
                config={"clock": {"unit": unit}},
            ) as g,
        ):  # fmt: skip
            g.remember("x", tick=tick)
