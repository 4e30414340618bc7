"""Asking within a budget, on the record; and what `costs` says about it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from serving import MISBEHAVIOURS, Misbehaviour, serving
from typer.testing import CliRunner

import bardo
from bardo import config
from bardo.language.advisor import Advisor
from bardo.language.client import OpenAIClient
from bardo.language.ledger import Ledger, priced
from bardo.ports import Completion, ManualClock, Message, Usage
from bardo.surfaces.cli.app import app

DAY = 86_400 * 1_000_000
SECRET = "the vault's number is 4711"
SPENT = Usage(900, 100)
QUESTION = [Message("system", "Judge."), Message("user", SECRET)]


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    good: bool


class Scripted:
    """A model of the caller's own that says its lines."""

    model = "scripted"

    def __init__(self, *lines: str | Exception, usage: Usage | None = SPENT) -> None:
        self.lines = list(lines)
        self.usage = usage
        self.seen: list[Sequence[Message]] = []

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Completion:
        self.seen.append(list(messages))
        line = self.lines.pop(0) if len(self.lines) > 1 else self.lines[0]
        if isinstance(line, Exception):
            raise line
        return Completion(line, self.usage)


def advisor(
    llm: Any, folder: Path, clock: ManualClock | None = None, **settings: Any
) -> tuple[Advisor, Ledger]:
    ledger = Ledger(folder)
    settings.setdefault("answer_tokens", 100)
    return (
        Advisor(
            llm, ledger, config.Llm(model="m", **settings), clock=clock or ManualClock(DAY), tick=lambda: 7
        ),
        ledger,
    )


def outcomes(ledger: Ledger) -> dict[str, int]:
    return {each.outcome: each.calls for each in ledger.spent(0)}


def test_an_answer_of_the_right_shape_is_a_value_and_an_entry(tmp_path: Path):
    asked, ledger = advisor(
        Scripted('{"good": true}'), tmp_path, prices={"scripted": config.Price(input=2.0, output=10.0)}
    )
    assert asked.ask("judge", QUESTION, Verdict).value == Verdict(good=True)
    (row,) = ledger.spent(0)
    assert (row.type, row.model, row.outcome, row.tokens_in, row.tokens_out) == (
        "judge",
        "scripted",
        "ok",
        900,
        100,
    )
    assert row.cost == pytest.approx((900 * 2 + 100 * 10) / 1e6)
    ledger.close()


def test_a_wrong_shape_is_asked_about_once_more_with_what_was_wrong(tmp_path: Path):
    model = Scripted('{"good": "perhaps"}', '{"good": false}')
    asked, ledger = advisor(model, tmp_path)
    assert asked.ask("judge", QUESTION, Verdict).value == Verdict(good=False)
    assert "good: " in model.seen[1][-1].content
    assert model.seen[1][-2].content == '{"good": "perhaps"}'
    assert outcomes(ledger) == {"invalid": 1, "ok": 1}
    ledger.close()


def test_after_two_wrong_shapes_the_model_is_not_asked_again(tmp_path: Path):
    model = Scripted("no idea")
    asked, ledger = advisor(model, tmp_path)
    advice = asked.ask("judge", QUESTION, Verdict)
    assert advice.value is None
    assert "2 times with nothing usable" in advice.note
    assert len(model.seen) == 2
    assert outcomes(ledger) == {"invalid": 2}
    ledger.close()


def test_a_model_that_failed_is_left_alone_until_the_next_piece_of_work(tmp_path: Path):
    model = Scripted(RuntimeError(SECRET))
    asked, ledger = advisor(model, tmp_path)
    notes = {asked.ask("judge", QUESTION, Verdict).note for _ in range(3)}
    assert len(notes) == len(model.seen) == 1
    assert SECRET not in notes.pop()
    asked.begin()
    asked.ask("judge", QUESTION, Verdict)
    assert len(model.seen) == 2
    assert outcomes(ledger) == {"failed": 2}
    ledger.close()


def test_beyond_the_daily_budget_nothing_is_asked_until_midnight(tmp_path: Path):
    clock = ManualClock(DAY + DAY // 2)
    model = Scripted('{"good": true}')
    asked, ledger = advisor(model, tmp_path, clock, daily_tokens=2_500)
    values = []
    for _ in range(4):
        asked.begin()
        values.append(asked.ask("judge", QUESTION, Verdict))
    assert [advice.value is None for advice in values] == [False, False, False, True]
    assert "3000 of 2500 tokens of the day" in values[3].note
    assert outcomes(ledger) == {"ok": 3, "budget": 1}
    # Midnight, UTC.
    clock.set(2 * DAY)
    asked.begin()
    assert asked.ask("judge", QUESTION, Verdict).value == Verdict(good=True)
    assert ledger.tokens_of_day(2 * DAY) == 1_000
    ledger.close()


def test_tokens_are_estimated_where_the_server_does_not_count_them(tmp_path: Path):
    asked, ledger = advisor(Scripted('{"good": true}', usage=None), tmp_path)
    asked.ask("judge", QUESTION, Verdict)
    (row,) = ledger.spent(0)
    assert row.tokens_in == asked.tokens(QUESTION) > 10
    assert row.tokens_out > 0
    ledger.close()


def test_a_ledger_that_cannot_be_written_stops_the_asking_and_nothing_else(tmp_path: Path):
    (tmp_path / "ledger.db").write_bytes(
        b"not a database, and long enough to be taken for a damaged one" * 40
    )
    model = Scripted('{"good": true}')
    asked, _ = advisor(model, tmp_path)
    advice = asked.ask("judge", QUESTION, Verdict)
    assert advice.value is None
    assert "ledger.db is damaged" in advice.note
    assert model.seen == []


@pytest.mark.parametrize("bad", MISBEHAVIOURS, ids=lambda bad: bad.name)
def test_every_fault_of_a_server_is_a_note_and_an_entry(tmp_path: Path, bad: Misbehaviour):
    with serving(*bad.behaviours) as server:
        settings = {"base_url": server.url, **bad.settings}
        llm = OpenAIClient(config.Llm(model="m", **settings), wait=lambda seconds: None)
        asked, ledger = advisor(llm, tmp_path)
        advice = asked.ask("extraction", QUESTION, Verdict)
    assert advice.value is None
    assert advice.note
    assert set(outcomes(ledger)) == {bad.outcome}
    ledger.close()


def test_the_ledger_holds_no_text(tmp_path: Path):
    asked, ledger = advisor(Scripted(json.dumps({"good": True, "why": SECRET})), tmp_path)
    asked.ask("judge", QUESTION, Verdict)
    ledger.close()
    assert SECRET.encode() not in (tmp_path / "ledger.db").read_bytes()


def test_cached_tokens_cost_their_own_price_and_an_unknown_model_has_none():
    prices = {"m": config.Price(input=4.0, output=8.0, cached=1.0)}
    assert priced(prices, "m", 1_000_000, 500_000, 250_000) == pytest.approx(0.75 * 4 + 0.25 * 1 + 0.5 * 8)
    assert priced(prices, "other", 1, 1, 0) is None


def test_prices_are_read_from_the_settings(tmp_path: Path):
    (tmp_path / "bardo.toml").write_text(
        '[llm]\nmodel = "small"\nprices = { "small" = { input = 1, output = 2.5 } }\n', encoding="utf-8"
    )
    assert config.Config.load(tmp_path).llm.prices == {"small": config.Price(1.0, 2.5)}
    (tmp_path / "bardo.toml").write_text("[llm.prices.small]\ncheap = true\n", encoding="utf-8")
    with pytest.raises(bardo.BardoError, match="cheap"):
        config.Config.load(tmp_path)


def test_costs_say_what_was_spent_on_the_command_line_too(tmp_path: Path):
    clock = ManualClock(40 * DAY)
    with bardo.open(tmp_path / "a", clock=clock, llm=Scripted('{"good": true}')) as grimoire:
        assert grimoire.maintenance.costs().calls == 0
        assert grimoire._extraction.advisor is not None
        grimoire._extraction.advisor.ask("judge", QUESTION, Verdict)
        clock.advance(2 * 86_400)
        grimoire._extraction.advisor.ask("judge", QUESTION, Verdict)
        found = grimoire.maintenance.costs()
        assert (found.calls, found.tokens, found.tokens_today) == (2, 2_000, 1_000)
        assert grimoire.maintenance.costs(days=1).calls == 1
    with sqlite3.connect(tmp_path / "a" / "ledger.db") as database:
        assert database.execute("SELECT count(*) FROM calls").fetchone() == (2,)
    database.close()

    result = CliRunner().invoke(
        app, ["maintenance", "costs", "--days", "36500", "--json", "--at", str(tmp_path / "a")]
    )
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["calls"] == 2
    shown = CliRunner().invoke(app, ["maintenance", "costs", "--days", "36500", "--at", str(tmp_path / "a")])
    assert "no price" in shown.stdout


def test_without_a_model_nothing_can_be_asked_and_nothing_is_written(tmp_path: Path):
    with bardo.open(tmp_path / "a") as grimoire:
        assert grimoire._extraction.advisor is None
        assert grimoire.maintenance.costs().spent == ()
    assert not (tmp_path / "a" / "ledger.db").exists()
