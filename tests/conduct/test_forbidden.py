"""Data of what a rejection forbids: proposed from its text, corrected by a person, recognised in actions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bardo
from bardo import errors
from bardo.conduct.match.matching import Reading
from bardo.conduct.match.recognition import compare
from bardo.conduct.parse.action import parse
from bardo.conduct.parse.conditions import conditions
from bardo.conduct.parse.forbids import LISTS, Forbids
from bardo.conduct.parse.rejections import rejection
from bardo.conduct.parse.rejections.forbidden import propose
from bardo.conduct.parse.vocabulary import vocabulary
from bardo.ports import ManualClock

#: Wednesday, 6 March 2024, 11:00 UTC, and the Friday after it.
WEDNESDAY, FRIDAY = 1_709_722_800_000_000, 1_709_895_600_000_000
NIGHT = WEDNESDAY + 12 * 3_600 * 1_000_000

BLOCKED = [
    ("don't add moment.js, we have Intl", "npm i moment"),
    ("don't add left-pad", "yarn add left-pad@1"),
    ("no lodash here", "sudo -E env A=1 npm install lodash@4.17.21"),
    ("No MongoDB", "pip install pymongo"),
    ("never skip the hooks", "git commit -am wip --no-verify"),
    ("never skip the hooks", "HUSKY=0 git commit -m wip"),
    ("no force pushes", "bash -c 'git push -f origin topic'"),
    ("no force pushes", "make test && git push --force-with-lease"),
    ("never drop tables", "mysql shop -e 'DROP TABLE old_invoices'"),
    ("never drop tables", 'db.query("drop table invoices")'),
    ("don't delete the backups", "ssh db1 'rm -rf /var/backups/pg'"),
    ("don't delete the backups", '{"tool": "bash", "arguments": {"command": "rm -rf /var/backups/pg"}}'),
    ("don't restart the database", "docker compose restart postgres"),
    ("no alcohol", "Buy two bottles of prosecco."),
    ("Never touch /etc/hosts", "echo '10.0.0.7 api' | sudo tee -a /etc/hosts"),
    ("No meetings before 10", 'calendar.create(title="Planning", start="8:30")'),
    ("Don't stop the nightly export", "systemctl stop nightly-export.timer"),
]
NOT_BLOCKED = [
    ("don't add moment.js, we have Intl", "npm uninstall moment"),
    ("don't add moment.js, we have Intl", "npm i moment-timezone"),
    ("No MongoDB", "Read the MongoDB guide so as to explain why we left."),
    ("no force pushes", "git push origin topic"),
    ("never skip the hooks", "git commit -am wip"),
    ("never drop tables", "mysql shop -e 'SHOW TABLES'"),
    ("don't delete the backups", "ls -lh /var/backups/pg"),
    ("don't delete the backups", "grep -r pg /var/backups"),
    ("don't restart the database", "systemctl status postgresql"),
    ("no nuts in the meal plan, she is allergic", "Check the meal plan for traces of nuts."),
    ("Never touch /etc/hosts", "cat /etc/hosts"),
    ("never give a discount of more than ten percent", "Offer the customer eight percent off."),
    ("No meetings before 10", 'calendar.create(title="Planning", start="10:30")'),
    ("No lights on in the greenhouse", 'home.set(device="greenhouse_lamp", state="off")'),
    ("Never force-push to main", "git push --force origin topic"),
    ("store passwords in plain text", "encrypt the plain text passwords"),
    ("book flights with Ryanair", "cancel the Ryanair booking"),
    ("don't mock in the integration tests", "Use a mock in the unit test of the formatter."),
    ("don't delete the migrations", "alembic upgrade head"),
]


def read(about: str, action: str, *, now: int = WEDNESDAY, approved: bool = False) -> Reading:
    return compare(rejection.parse(about), parse(action), now=now, approved=approved).reading


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(WEDNESDAY)


@pytest.mark.parametrize(("about", "action"), BLOCKED)
def test_a_command_that_does_what_was_rejected_in_other_words_is_blocked(
    gate: bardo.Gate, about: str, action: str
) -> None:
    gate.reject(about)
    assert gate.before(action).decision == "block"


@pytest.mark.parametrize(("about", "action"), NOT_BLOCKED)
def test_an_action_that_reads_undoes_or_differs_is_not_blocked(
    gate: bardo.Gate, about: str, action: str
) -> None:
    gate.reject(about)
    assert gate.before(action).decision != "block"


@pytest.mark.parametrize(
    ("about", "action", "now", "expected"),
    [
        ("Don't deploy on Fridays", "kubectl apply -f app.yaml", FRIDAY, True),
        ("Don't deploy on Fridays", "kubectl apply -f app.yaml", WEDNESDAY, False),
        ("Don't deploy on Fridays", "Deploy the app on Friday", WEDNESDAY, True),
        ("Never run migrations before 18:00 UTC", "flask db upgrade", WEDNESDAY, True),
        ("Never run migrations before 18:00 UTC", "flask db upgrade", NIGHT, False),
        ("Never run migrations before 18:00 UTC", "flask db upgrade  # 10:30 UTC", NIGHT, True),
        ("don't purge the CDN cache in office hours", "cloudflare.purge_cache(zone='a')", WEDNESDAY, True),
        ("don't purge the CDN cache in office hours", "cloudflare.purge_cache(zone='a')", NIGHT, False),
        (
            "Don't restart the database during the day",
            "echo 'systemctl restart mysql' | at 03:00",
            WEDNESDAY,
            False,
        ),
        ("Don't deploy to production", "fly deploy --app shop-prod", WEDNESDAY, True),
        ("Don't deploy to production", "fly deploy --app shop-staging", WEDNESDAY, False),
        ("Don't deploy to production", "fly deploy --app shop", WEDNESDAY, False),
    ],
)
def test_a_condition_is_decided_by_the_action_then_by_the_clock(
    gate: bardo.Gate, clock: ManualClock, *, about: str, action: str, now: int, expected: bool
) -> None:
    clock.set(now)
    gate.reject(about)
    assert (gate.before(action).decision == "block") is expected


def test_any_person_gives_the_approval_for_which_a_rejection_names_none(gate: bardo.Gate) -> None:
    gate.reject("Don't drop tables without a sign-off")
    assert gate.before("mysql shop -e 'DROP TABLE a'").decision == "block"
    assert gate.before("mysql shop -e 'DROP TABLE a'", approved_by=" ").decision == "block"
    assert gate.before("mysql shop -e 'DROP TABLE a'", approved_by="jana").decision == "allow"


def test_a_rejection_returns_what_it_forbids(gate: bardo.Gate) -> None:
    found = gate.reject("don't add moment.js on Fridays").forbidden
    assert found.packages == ("moment",)
    assert found.verbs == ("install",)
    assert found.conditions == ("on friday",)
    assert found.by == ""
    assert gate.reject("never run `git gc --aggressive` on build.internal").forbidden.flags == (
        "--aggressive",
    )
    assert gate.reject("nothing goes to files.example.com").forbidden.hosts == ("files.example.com",)


def test_a_correction_changes_what_is_blocked_and_stays_on_record(gate: bardo.Gate) -> None:
    entry = gate.reject("no more date libraries", by="anna")
    assert gate.before("npm i dayjs").decision != "block"
    corrected = gate.correct(entry.id, forbids={"packages": ["dayjs", "moment"]}, by="anna")
    assert corrected.forbidden.packages == ("dayjs", "moment")
    assert corrected.forbidden.by == "anna"
    assert gate.state("rejected") == [corrected]
    for action in ("npm i dayjs", "yarn add dayjs@2", "npm i moment/locale"):
        assert gate.before(action).decision == "block", action
    assert gate.before("npm uninstall dayjs").decision != "block"
    gate.correct(entry.id, forbids={"commands": ["bower install luxon*"]}, add=True)
    assert gate.before("bower install luxon").decision == "block"
    gate.correct(entry.id, forbids={"packages": ["moment"]}, by="anna")
    assert gate.before("npm i dayjs").decision != "block"


def test_a_rule_is_corrected_like_a_rejection(gate: bardo.Gate) -> None:
    rule = gate.rule("Tidy builds only", forbids="build with caches", by="anna")
    assert gate.before("ninja -C out").decision == "allow"
    gate.correct(rule.id, forbids={"commands": ["ninja *"]}, by="anna")
    assert gate.before("ninja -C out").decision == "block"
    gate.rule("Tidy builds only", forbids="build without a lock", by="anna")
    assert gate.before("ninja -C out").decision == "allow", "the correction was of another action"


def test_law_15_an_agent_alone_widens_and_does_not_narrow_what_is_forbidden(gate: bardo.Gate) -> None:
    entry = gate.reject("don't add moment.js", by="anna")
    gate.correct(entry.id, forbids={"packages": ["luxon"]}, add=True)
    assert gate.before("npm i luxon").decision == "block"
    for narrower in (
        {"packages": []}, {"packages": ["luxon"]}, {"things": ["other"]}, {"conditions": ["on fridays"]},
        {"verbs": ["sell"]},
    ):  # fmt: skip
        with pytest.raises(errors.InvalidInputError, match="only a person narrows"):
            gate.correct(entry.id, forbids=narrower)
        with pytest.raises(errors.InvalidInputError, match="only a person narrows"):
            gate.correct(entry.id, forbids=narrower, by="  ")
    assert gate.before("npm i moment").decision == "block"
    gate.correct(entry.id, forbids={"things": [], "packages": ["luxon"]}, by="anna")
    assert gate.before("npm i luxon").decision == "block"


@pytest.mark.parametrize(
    ("forbids", "message"),
    [
        ({"package": ["moment"]}, "there is no package. Use things"),
        ({"packages": [1]}, "packages is a list of texts"),
        ({"packages": ["a" * 201]}, "at most"),
        ({}, "nothing is corrected"),
        ([], "is a mapping"),
    ],
)
def test_a_correction_that_is_not_valid_is_refused(gate: bardo.Gate, forbids: object, message: str) -> None:
    entry = gate.reject("don't add moment.js")
    with pytest.raises(errors.InvalidInputError, match=message):
        gate.correct(entry.id, forbids=forbids, by="anna")  # type: ignore[arg-type]
    assert gate.state() == [entry]


def test_only_what_forbids_is_corrected(gate: bardo.Gate) -> None:
    ended = gate.reject("short ETH")
    gate.lift(ended.id, by="anna")
    with pytest.raises(errors.NotFoundError, match="was lifted already by"):
        gate.correct(ended.id, forbids={"things": ["ETH"]}, by="anna")
    for entry in (gate.note("task", "call Anna"), gate.rule("Measure twice")):
        with pytest.raises(errors.InvalidInputError, match="forbids nothing"):
            gate.correct(entry.id, forbids={"things": ["ETH"]}, by="anna")


def test_law_11_a_forgotten_rejection_leaves_no_correction(gate: bardo.Gate, home: Path) -> None:
    entry = gate.reject("no more date libraries")
    gate.correct(entry.id, forbids={"packages": ["zanzibarlib"]}, by="anna")
    assert b"zanzibarlib" in (home / "conduct.db").read_bytes() + (home / "conduct.db-wal").read_bytes()
    gate.forget(entry.id, by="anna")
    assert gate.before("npm i zanzibarlib").decision == "allow"
    gate.close()
    assert b"zanzibarlib" not in b"".join(file.read_bytes() for file in home.glob("conduct.db*"))


def test_commands_inside_of_commands_are_read() -> None:
    def commands(line: str) -> set[str]:
        return set(parse(line).lines)

    assert "git push -f" in commands("cd a && sudo -u ci git push -f | tee log")
    assert "rm -rf /a b" in commands("sh -c 'rm -rf \"/a b\"'")
    assert "crontab -" in commands("ssh mail 'echo \"0 3 * * * /opt/clean\" | crontab -'")
    assert "psql -c drop" in commands("docker exec db sh -c 'psql -c drop'")
    assert any(line.startswith("sql delete from users") for line in commands('psql -c "DELETE FROM users"'))
    assert commands("Delete the users; then rest") == set()
    # With its options after the duration, and with the prefix of the interpreter.
    assert "git push --force" in commands("timeout 5 git push --force")
    assert "sudo pip install x" in commands("sudo -H python3 -m pip install x")
    assert "prisma migrate deploy" in commands("yarn prisma migrate deploy")
    assert "rm -rf /a" in commands('echo "$(rm -rf /a)"')


def test_a_text_inside_of_a_command_is_no_command() -> None:
    assert parse('git commit -m "fix; rm -rf b"').operations == {"commit"}
    assert "delete" not in parse('git commit -m "fix; rm -rf b"').verbs
    assert parse("git log 2>&1 | head").lines == ("git log 2>&1", "head")
    assert parse("git log 2>&1 | head").reads
    assert parse('grep -rn "from tests" src').reads
    assert not parse("git log > log").reads
    assert parse("gh pr view 310  # chore(main): release").lines == ("gh pr view 310",)
    assert parse("ssh web 'cd /srv && git status'").reads


def test_the_vocabulary_is_sound() -> None:
    """Practices have names and patterns, kinds have members, and nothing is written twice."""
    words = vocabulary()
    names = [phrase.text for practice in words.practices for phrase in practice.said]
    assert len(names) == len(set(names))
    for practice in words.practices:
        assert practice.said
        assert any(getattr(practice.forbids, name) for name in LISTS)
        for name in LISTS:
            items = getattr(practice.forbids, name)
            assert "" not in items, (practice.said[0].text, name)
            assert len(items) == len(set(items)), (practice.said[0].text, name)
    assert all(words.members.values())


#: Words of no language.
WORDS = st.permutations(["qxzjkvw", "vwkjqzx", "zzqxkvj", "jkqvwxz", "xwvqkjz", "kvzxqjw"]).map(" ".join)


@given(WORDS, st.integers(1, 5))
def test_an_action_that_shares_no_word_with_a_rejection_of_unknown_words_is_unknown(
    words: str, place: int
) -> None:
    every = words.split()
    about, action = " ".join(every[:place]), " ".join(every[place:])
    for said in (f"no {about}", f"don't use {about}", f"never delete the {about}"):
        for done in (f"add {action}", f"npm i {action}", f"rm -rf {action}"):
            assert read(said, done) is Reading.UNKNOWN, (said, done)


@given(st.text(max_size=200), st.text(max_size=200), st.integers(0, 2**52))
def test_any_text_is_read_and_a_person_who_approves_forbids_no_more(
    about: str, action: str, now: int
) -> None:
    propose(about)
    alone, approved = read(about, action, now=now), read(about, action, now=now, approved=True)
    assert alone is Reading.SAME or approved is not Reading.SAME


@given(
    st.dictionaries(
        st.sampled_from(LISTS), st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=5)
    )
)
def test_a_correction_is_read_back_as_it_was_given(lists: dict[str, list[str]]) -> None:
    one = Forbids.of(lists)
    assert Forbids.from_json(json.dumps({name: list(getattr(one, name)) for name in LISTS})) == one


@given(st.integers(0, 23), st.integers(0, 59), st.integers(0, 23), st.integers(0, 59))
def test_before_and_after_an_hour_exclude_each_other(hour: int, minute: int, other: int, rest: int) -> None:
    action = f"deploy at {other:02}:{rest:02}"
    found = [
        conditions.holds(f"{side} {hour:02}:{minute:02}", action, now=0, approved=False, is_event=False)
        for side in ("before", "after")
    ]
    assert sorted(found) == [False, True]


@given(st.floats(0, 1e6), st.integers(1, 10**6))
def test_a_limit_holds_for_greater_figures_only(limit: float, figure: int) -> None:
    limit = round(limit)
    found = conditions.holds(
        f"above {limit}", f"transfer(amount={figure})", now=0, approved=False, is_event=False
    )
    assert found is (figure > limit)
