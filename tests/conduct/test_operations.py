"""Operations of actions, read by a table: commands of a shell, calls in code and the first words of a sentence."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bardo
from bardo.conduct.match.matching import Reading
from bardo.conduct.match.operation_match import compare
from bardo.conduct.parse.action import parse
from bardo.conduct.parse.rejections.rejection import parse_text
from bardo.ports import ManualClock
from helpers.models import flat

TABLE = tomllib.loads(
    resources.files("bardo.conduct.parse.actions").joinpath("operations.toml").read_text("utf-8")
)

BLOCKED = [
    ("don't add lodash", "npm i lodash"),
    ("don't add lodash", "pnpm add lodash@4.17 --save-exact"),
    ("don't add lodash", "cd web && npm install --save lodash"),
    ("don't add moment.js", "npm i moment.js"),
    ("Please don't install numpy", "python3.11 -m pip install 'numpy>=2'"),
    ("no Docker in this project", "docker run -d nginx"),
    ("We agreed against Webpack", "npx webpack --mode production"),
    ("no conda here, we use uv", "conda install scipy"),
    ("never force-push to main", "git push -f origin main"),
    ("never force-push to main", "git push origin +main"),
    ("database migrations", "alembic upgrade head"),
    ("database migrations", "bin/rails db:migrate"),
    ("database migrations", "npx prisma migrate deploy"),
    ("database migrations", "python manage.py migrate"),
    ("database migrations", "flyway -url=jdbc:x migrate"),
    ("deploy to production", "kubectl apply -f production.yaml"),
    ("deploys to production need the approval of the lead", "vercel deploy --prod production"),
    ("Never delete the invoices folder", "rm -rf ./invoices"),
    ("Never run terraform destroy against prod", "terraform -chdir=prod destroy"),
    ("Never disable the freezer alarm", 'house.set("freezer_alarm", enabled=False)'),
    ("Let nobody unlock the front door", "unlock(door='front')"),
    ("never commit secrets", "git commit id_ed25519 -m key"),
    ("don't add moment.js", "add a moment dependency to package.json"),
    ("no merges on Fridays or Wednesdays", "Merge the branch"),
    ("no calls before nine or after six", "Call Ben at 19:30"),
    ("no dropping tables in production", "Drop the tables in production and staging"),
]
WARNED = [
    ("don't add moment.js", "wait a moment and retry the build"),
    ("don't add moment.js", "npm i moment-timezone"),
    ("never force-push to main", "git push --force origin topic"),
    ("Never run terraform destroy against prod", "terraform destroy -var-file=test.tfvars"),
    ("no yarn in this repo", "Buy wool and yarn, and add yarn to the basket"),
    ("never go near the payments table", "psqlx --table payments"),
    # Clauses after one that only reads, or delegated.
    ("never rewrite history", "Review the diff and rewrite history"),
    ("never rewrite history", "Ask Ben to rewrite history"),
    # A second environment, or a word for one that may be a verb; a later time than that of the clock.
    ("no dropping tables in production", "cargo test && psql -c 'drop table users'"),
    ("no merges on Fridays", "Merge the branch next week"),
    ("don't restart the mysql server", "Restart redis and the database"),
    ("nothing but calls to api.acme.io", "curl https://api.evil.io/x"),
    # A call that reads with a forbidden argument, and reading from a forbidden host.
    ("nothing is fetched from api.mixpanel.com", "Read the report at api.mixpanel.com"),
    ("the team voted no on GraphQL", "Post why we have no GraphQL"),
]
ALLOWED = [
    # Tomorrow is a Thursday.
    ("no merges on Fridays", "Merge the branch tomorrow"),
    ("never commit secrets", "git add identity.py"),
    ("don't add moment.js", "npm uninstall moment"),
    ("don't add moment.js", "npm i date-fns"),
    ("don't add moment.js", "ls -la"),
    ("never force-push to main", "git push origin main"),
    ("never force-push to main", "git log main"),
    ("database migrations", "alembic history"),
    ("database migrations", "prisma migrate status"),
    ("Never run terraform destroy against prod", "terraform plan -var-file=prod.tfvars"),
    ("deploy to production on Fridays", "fly deploy --app shop-staging"),
    ("deploy to production on Fridays", "fly deploy --app shop-production"),
    ("no Docker in this project", "docker system prune"),
    ("no conda here, we use uv", "conda --version"),
    ("Never delete the invoices folder", "ls invoices | wc -l"),
    ("Raise the leverage above 3x", "Lower the leverage to 2x"),
    # Only reads.
    ("never rewrite history", "Explain what rewriting history means"),
    ("no Kafka here", "List the services that talk to Kafka"),
    # Undoes it.
    ("no Tailwind please", "pnpm remove tailwindcss"),
    ("don't commit node_modules", "git rm -r --cached node_modules"),
    ("don't switch off the alarm", "Turn the alarm back on"),
    # Other things.
    ("don't restart mysql", "Restart redis"),
    ("I don't want Chart.js in the dashboard, D3 does it all", "npm i d3"),
    ("nothing goes to api.mixpanel.com", "curl https://api.github.com/zen"),
    # Another environment, day or time.
    ("no dropping tables in production", "Drop the users table in the staging database"),
    ("no merges on Fridays or Saturdays", "Merge the branch on Monday"),
    ("never deploy before 10:00 UTC", "fly deploy --app shop"),
]
#: Commands that seem to read or undo but do more: they may be warned of or blocked, and never lowered.
NOT_LOWERED = [
    ("Never delete the invoices folder", "find invoices -name '*.pdf' -delete"),
    ("Never delete the invoices folder", "ls invoices/* | xargs rm"),
    ("Never delete the invoices folder", "cat list > invoices"),
    ("Never delete the invoices folder", "ls invoices && ./clean.sh invoices"),
    ("Never delete the invoices folder", "echo $(rm -r invoices)"),
    ("Never disable the freezer alarm", "Start disabling the freezer alarm"),
    ("Never disable the freezer alarm", "Check the freezer, then disable its alarm"),
    ("never add moment.js", "Remove dayjs and add moment.js"),
    ("Never email the board", "Ask Jan to email the board"),
    ("don't print secrets", "cat secrets"),
]


def read(about: str, what: str) -> Reading:
    return compare(parse_text(about), parse(what)).reading


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = flat()
    made = tmp_path_factory.mktemp("operations") / "agent"
    bardo.open(made, agent="trader", embedder=model).close()
    return made


@pytest.mark.parametrize(
    ("decision", "about", "what"),
    [
        *(("block", *pair) for pair in BLOCKED),
        *(("warn", *pair) for pair in WARNED),
        *(("allow", *pair) for pair in ALLOWED),
    ],
)
def test_a_gate_decides_by_what_a_command_does(folder: Path, decision: str, about: str, what: str) -> None:
    # A Wednesday at 11:00.
    with bardo.gate(folder, words_only=True, clock=ManualClock(1_709_722_800_000_000)) as gate:
        rejected = gate.reject(about)
        try:
            assert gate.before(what).decision == decision
        finally:
            gate.forget(rejected.id, by="anna")


@pytest.mark.parametrize(("about", "what"), NOT_LOWERED)
def test_a_command_that_does_more_than_it_seems_is_not_allowed(about: str, what: str) -> None:
    assert read(about, what) is not Reading.OTHER


@pytest.mark.parametrize(
    "what",
    [
        "cut costs by a half", "find a buyer for the car", "sort out the files of the invoices", "kill the deal",
        "go get the milk", "top of the list", "head to the bank", "make the cake",
    ],
)  # fmt: skip
def test_a_sentence_that_begins_like_a_program_is_no_command(what: str) -> None:
    assert not parse(what).is_command


def test_the_approver_is_no_part_of_the_operation() -> None:
    for text in (
        "Wiring money requires Ana's approval",
        "Wiring money is only fine if Ana agrees",
        "Wiring money needs a sign-off by two people",
        "Don't wire money, we use cheques",
    ):
        assert not parse_text(text).things & {"ana", "approv", "peopl", "chequ", "sign"}, text


def test_the_table_is_sound() -> None:
    """Operations that entries name are there; programs and words are written once and in lower case."""
    operations = TABLE["operation"]
    for name, given_ in operations.items():
        others = [*given_.get("opposite", ()), *given_.get("milder", ()), *given_.get("within", ())]
        assert set(others) <= set(operations), name
        assert [word for word in given_["words"] if word != word.lower()] == [], name
        assert set(given_) <= {
            "words",
            "called",
            "done",
            "leading",
            "opposite",
            "milder",
            "within",
            "grave",
            "reads",
            "keeps",
        }, name
    for entry in TABLE["command"]:
        assert entry["does"] in operations, entry
        known = {
            "programs",
            "verbs",
            "flags",
            "unless",
            "does",
            "about",
            "named",
            "reaches",
            "declared",
            "objects",
        }
        assert set(entry) <= known, entry
        assert len(set(entry["programs"])) == len(entry["programs"]), entry
    for clause in TABLE["framing"]["clauses"]:
        re.compile(clause)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_read(about: str, what: str) -> None:
    assert read(about, what) in Reading
    assert read(f"never {about}", f"git push {what}") in Reading
    assert read(f"no {about}", f"npm i '{what}") in Reading
