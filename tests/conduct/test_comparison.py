"""The learned comparison blocks by meaning, and takes back blocks of the table where the action is only near."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.conduct.match import comparison
from bardo.conduct.parse.rejections.forbidden import propose
from bardo.ports import Embedder, ManualClock
from helpers.models import letters

#: Wednesday, 6 March 2024, 11:00 UTC.
WEDNESDAY = 1_709_722_800_000_000
#: Near misses that the table alone reads as the rejected action.
DEMOTED = [
    ("No crypto", 'exchange.sell(pair="BTC/EUR", amount="all")'),
    ("no leverage on anything, ever", "I'll pay off the small margin loan that is still open."),
    ("don't ship on a Friday", "On Friday I'll undo the broken release from yesterday."),
]
#: Rejected actions that the table alone lets pass or only warns of.
PROMOTED = [
    (
        "never order new laptops before the budget is approved",
        "The budget is still open, but the laptops are cheap right now, so I'll get five of them.",
    ),
    (
        "no mails to clients at night",
        "It's almost midnight, but the client is waiting, so I'll get the contract over to her right away.",
    ),
    ("don't swap the insurance", "The other insurer is 20 % cheaper, so I'll go there from now on."),
]
KEPT = [
    ("don't add moment.js, we have Intl", "npm i moment"),
    ("never skip the hooks", "git commit -am wip --no-verify"),
    ("Don't turn off the firewall", "I'll just switch the firewall off for a minute."),
    ("no pushing to main", "I'll just push it to main directly, it's tiny."),
    ("short ETH on weekends", "Short 3 ETH this weekend"),
]
UNRELATED = ["pytest -k parser", "Water the tomatoes on the balcony.", 'calendar.create(title="Dentist")']


@pytest.fixture
def home(tmp_path: Path, minilm: Embedder) -> Path:
    bardo.open(tmp_path, agent="trader", embedder=minilm).close()
    return tmp_path


@pytest.fixture
def gate(home: Path, minilm: Embedder) -> Iterator[bardo.Gate]:
    with bardo.gate(home, embedder=minilm, clock=ManualClock(WEDNESDAY)) as opened:
        yield opened


@pytest.fixture
def words(home: Path) -> Iterator[bardo.Gate]:
    with bardo.gate(home, words_only=True, clock=ManualClock(WEDNESDAY)) as opened:
        yield opened


@pytest.mark.parametrize(("about", "action"), DEMOTED)
def test_a_near_miss_that_the_table_blocks_is_a_warning_with_the_model(
    gate: bardo.Gate, words: bardo.Gate, about: str, action: str
) -> None:
    gate.reject(about)
    assert words.before(action).decision == "block"
    assert gate.before(action).decision == "warn"


@pytest.mark.parametrize(("about", "action"), PROMOTED)
def test_a_rejected_action_that_the_table_does_not_know_is_blocked_by_the_model(
    gate: bardo.Gate, words: bardo.Gate, about: str, action: str
) -> None:
    gate.reject(about)
    assert words.before(action).decision != "block"
    assert gate.before(action).decision == "block"


@pytest.mark.parametrize(("about", "action"), KEPT)
def test_a_sure_reading_of_the_table_stays_a_block(gate: bardo.Gate, about: str, action: str) -> None:
    gate.reject(about)
    assert gate.before(action).decision == "block"


@pytest.mark.parametrize("action", UNRELATED)
def test_an_unrelated_action_is_allowed_among_many_rejections(gate: bardo.Gate, action: str) -> None:
    for about, _ in (*DEMOTED, *PROMOTED, *KEPT):
        gate.reject(about)
    assert gate.before(action).decision == "allow"


def test_a_correction_by_a_person_is_a_sure_reading(gate: bardo.Gate) -> None:
    kept = gate.reject("leave the old tool alone")
    gate.correct(kept.id, forbids={"commands": ["frobnicate *"]}, by="anna")
    verdict = gate.before("frobnicate --all old.cfg")
    assert verdict.findings[0].touch.sure
    assert verdict.decision == "block"


def test_a_finding_says_which_comparison_or_which_pattern_decided(gate: bardo.Gate) -> None:
    gate.reject(PROMOTED[2][0])
    gate.reject("no pushing to main")
    (by_odds,) = gate.before(PROMOTED[2][1]).findings
    assert by_odds.decided_by == "regression"
    assert by_odds.because.startswith("by comparison with labelled pairs the same action; ")
    (by_letters,) = gate.before("git push origin main").findings
    assert (by_letters.decided_by, by_letters.because.partition(" ")[0]) == ("pattern", "command")


def test_vectors_of_another_model_are_compared_without_the_regressions(home: Path) -> None:
    other = letters(8)
    assert not comparison.is_fitted(other)
    assert not comparison.is_fitted(None)
    with bardo.gate(home, embedder=other, clock=ManualClock(WEDNESDAY)) as gate:
        gate.reject("No crypto")
        (finding,) = gate.before("Buy some crypto").findings
    assert finding.touch.learned is None


def test_more_comparisons_raise_the_limit_of_warnings() -> None:
    limits = [comparison.near_limit(count) for count in (0, 1, 2, 50, 1_000, 10_000)]
    assert limits == sorted(limits)
    assert limits[0] == limits[1] < limits[2]
    assert limits[-2] == limits[-1]


@pytest.mark.parametrize(
    "action",
    ["mkdir -p certs", "npm run dev -- --port 80", "docker build -t shop .", "pytest tests/test_mail.py -q"],
)
def test_an_everyday_command_is_not_warned_of_by_its_meaning_alone(
    home: Path, minilm: Embedder, action: str
) -> None:
    with bardo.gate(home, embedder=minilm, clock=ManualClock(WEDNESDAY)) as gate:
        for about in (
            *(about for about, _ in (*DEMOTED, *PROMOTED, *KEPT)),
            "no root logins on the build server",
            "never paste customer data into a prompt",
            "no breaking changes of the API",
        ):
            gate.reject(about)
        verdict = gate.before(action)
    assert verdict.decision == "allow"
    assert verdict.candidates


def test_weights_are_small() -> None:
    path = Path(comparison.__file__).with_name("comparison.json")
    assert path.stat().st_size < 320_000
    assert {"near", "warn", "same", "read", "model", "about"} == set(json.loads(path.read_text()))


@pytest.mark.parametrize(
    ("rejection", "action"),
    [
        ("please don't restart postgres", "systemctl restart redis"),
        ("please don't restart postgres", "systemctl restart mysql"),
        ("please don't restart postgres", "docker restart mongodb"),
        ("please don't restart postgres", "sudo reboot"),
        ("don't delete old backups", "rm core.dump"),
        ("never push to main", "git push origin feature/main-menu"),
        ("never push to main", "git push origin main-fixes"),
    ],
)
def test_a_rejection_blocks_nothing_beside_what_it_names(home: Path, rejection: str, action: str) -> None:
    with bardo.gate(home, words_only=True) as gate:
        gate.reject(rejection)
        assert gate.before(action).decision != "block"


@pytest.mark.parametrize(
    ("rejection", "action"),
    [
        ("please don't restart postgres", "systemctl restart postgresql"),
        ("don't delete old backups", "rm -rf /srv/backups/old"),
        ("never push to main", "git push origin main"),
        ("never push to main", "git push origin HEAD:main"),
        ("never push to main", "git push origin refs/heads/main"),
    ],
)
def test_a_rejection_blocks_what_it_names(home: Path, rejection: str, action: str) -> None:
    with bardo.gate(home, words_only=True) as gate:
        gate.reject(rejection)
        assert gate.before(action).decision == "block"


@pytest.mark.parametrize(
    ("rejection", "field", "items"),
    [
        ("no, I don't want Kafka", "things", ("Kafka",)),
        ("I veto the Datadog plan", "things", ("Datadog plan",)),
        ("I'd rather you didn't email customers, go through Priya", "things", ("customers",)),
        ("I'd rather you didn't email customers, go through Priya", "conditions", ()),
        ("nobody restarts the relay", "things", ("relay",)),
    ],
)
def test_a_rejection_is_read_without_its_wording(rejection: str, field: str, items: tuple[str, ...]) -> None:
    assert getattr(propose(rejection), field) == items


def test_a_corrected_command_blocks_a_line_of_an_unknown_program(home: Path) -> None:
    with bardo.gate(home, words_only=True) as gate:
        rejected = gate.reject("deploy the billing service")
        gate.correct(
            rejected.id, forbids={"commands": ["deploy billing*", "./deploy.sh billing*"]}, by="anna"
        )
        for action in ("deploy billing", "./deploy.sh billing prod", "deploy billing --now"):
            assert gate.before(action).decision == "block"
        assert gate.before("read the billing report").decision != "block"


@pytest.mark.parametrize("action", ["helm uninstall kafka", "grep -r kafka src", "systemctl status kafka"])
def test_a_command_that_reads_or_undoes_is_not_warned_of(home: Path, minilm: Embedder, action: str) -> None:
    with bardo.gate(home, embedder=minilm) as gate:
        gate.reject("no Kafka in this stack")
        assert gate.before(action).decision == "allow"
