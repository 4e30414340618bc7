"""The real command on a real folder: through Typer's runner, and as a process of its own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

import bardo
from bardo import _core
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import SECTIONS, app
from bardo.surfaces.cli.group import commands

runner = CliRunner()
NOUNS = {name for name, each in typer.main.get_command(app).commands.items() if hasattr(each, "commands")}


def run(*words: str | Path, stdin: str | None = None) -> Result:
    return runner.invoke(app, [str(word) for word in words], input=stdin, env={"BARDO_HOME": None})


def answer(*words: str | Path, stdin: str | None = None) -> dict:
    """The JSON document of a verb that must succeed."""
    result = run(*words, "--json", stdin=stdin)
    assert result.exit_code == exits.OK, result.stderr
    return json.loads(result.stdout)


def process(*words: str | Path, stdin: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BARDO_HOME")}
    return subprocess.run(
        [sys.executable, "-m", "bardo", *map(str, words)],
        input=stdin,
        env={**clean, "PYTHONUTF8": "1", **env},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


@pytest.fixture
def home(tmp_path: Path, minilm: object) -> Path:
    """A grimoire that knows nothing yet."""
    folder = tmp_path / "trader"
    assert answer("init", folder, "--agent", "trader-7")["agent"] == "trader-7"
    return folder


def test_a_life_from_the_command_line(home: Path, tmp_path: Path):
    lags = "\n".join(
        json.dumps(
            {
                "text": f"Liquidations followed oracle update {n} by {n % 3 + 1} blocks",
                "subjects": ["aave"],
                "payload": {"lag": n % 3 + 1},
                "tick": n + 1,
                "verified": True,
                "importance": 0.8,
            }
        )
        for n in range(80)
    )
    stored = answer("remember", "--jsonl", "-", "--at", home, stdin=lags)
    assert stored["count"] == len(set(stored["ids"])) == 80

    found = answer("recall", "what follows an oracle update?", "--at", home, "-n", "3")
    assert 1 <= len(found["memories"]) <= 3
    best = found["memories"][0]
    assert "oracle update" in best["text"]
    assert best["why"]["relevance"] > 0
    assert best["reason"]

    slept = answer("sleep", "--at", home)
    assert slept["episodes"] == 80
    facts = answer("facts", "list", "--at", home)["facts"]
    assert any(fact["kind"] == "baseline" and "aave" in fact["subjects"] for fact in facts)

    prompt = answer("context", "Rebalance?", "--at", home, "--budget", "900", "--block", "positions=1 ETH")
    assert prompt["tokens"] <= 900
    assert "1 ETH" in prompt["text"]

    told = answer("context", "What follows an oracle update?", "--at", home)
    shown = [memory["id"] for block in told["blocks"] for memory in block["memories"]]
    assert shown == [memory["id"] for memory in told["memories"]] != []

    will = tmp_path / "trader.testament"
    left = answer("bequeath", will, "--cause", "economic", "--at", home)
    assert left["cause"] == "economic"
    assert left["reflection"].startswith("# ")
    assert answer("show", will)["hash"] == left["hash"]

    heir = tmp_path / "heir"
    born = answer("inherit", will, "--at", heir, "--agent", "trader-8")
    assert born["generation"] == 1
    assert born["facts"] == left["facts"] > 0
    known = answer("recall", "lag after oracle updates on aave", "--at", heir, "--layer", "fact")
    assert all(memory["inherited"] and memory["source"] == "testament" for memory in known["memories"])
    assert all(memory["confidence"] <= 0.4 for memory in known["memories"])

    refused = run("remember", "one more thing", "--at", home)
    assert refused.exit_code == exits.STORE
    assert "read-only" in refused.stderr


def test_a_process_recalls_what_another_remembered(home: Path):
    told = process("remember", "-", "--at", home, "--json", stdin="Катя любит 抹茶 и не любит кофе ☕\n")
    assert told.returncode == exits.OK, told.stderr
    found = process("recall", "抹茶 Катя", "--json", BARDO_HOME=str(home))
    assert found.returncode == exits.OK, found.stderr
    assert json.loads(found.stdout)["memories"][0]["text"].strip() == "Катя любит 抹茶 и не любит кофе ☕"


def test_a_chat_is_remembered_turn_by_turn(home: Path):
    chat = "Mira: I only drink rooibos now\nAssistant: Noted, rooibos.\n"
    assert answer("remember", "--chat", "-", "--at", home, stdin=chat)["count"] == 2
    listed = answer("episodes", "list", "--at", home)["episodes"]
    assert [(turn["speaker"], turn["role"], turn["kind"]) for turn in listed] == [
        ("Mira", "user", "turn"),
        ("Assistant", "agent", "turn"),
    ]


def test_tables_give_the_reasons(home: Path):
    run("remember", "The gas price doubles on Friday evenings", "-s", "gas", "--at", home)
    shown = run("recall", "gas price", "--at", home)
    assert shown.exit_code == exits.OK
    assert "doubles on Friday" in re.sub(r"\s+", " ", shown.stdout)
    assert "words: " in shown.stdout
    assert "relevance" in shown.stdout


def test_a_record_can_be_shown_whole(home: Path):
    (record,) = answer("remember", "a" * 500, "--payload", '{"n": 1}', "--at", home)["ids"]
    whole = answer("show", record, "--at", home)
    assert (whole["text"], whole["payload"], whole["layer"]) == ("a" * 500, {"n": 1}, "episode")


def test_stats_and_rebuild_report(home: Path):
    answer("remember", "one", "two", "--at", home)
    assert answer("stats", "--at", home)["log"]["episodes"] == 2
    assert isinstance(answer("maintenance", "rebuild", "--at", home), dict)
    assert answer("recall", "two", "--at", home)["memories"][0]["text"] == "two"


def test_init_twice_keeps_what_is_there(home: Path):
    answer("remember", "kept", "--at", home)
    assert answer("init", home)["created"] is False
    assert answer("stats", "--at", home)["log"]["episodes"] == 1


def test_init_writes_the_settings_that_were_asked_for(tmp_path: Path):
    answer("init", tmp_path / "g", "--model", "minilm-int8", "--unit", "loops", "--agent", 'a "quoted" name')
    settings = bardo.Config.load(tmp_path / "g")
    assert (settings.embedding.model, settings.clock.unit) == ("minilm-int8", "loops")
    assert settings.agent == 'a "quoted" name'


def expect(result: Result, code: int, *said: str) -> None:
    assert result.exit_code == code, (result.stdout, result.stderr)
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert "Traceback" not in result.stderr
    for words in said:
        assert words in result.stderr


def test_wrong_usage_exits_with_2(home: Path, tmp_path: Path):
    assert run("recall").exit_code == exits.USAGE
    assert run("fly").exit_code == exits.USAGE
    expect(run("remember", "--at", home), exits.USAGE, "nothing to remember")
    expect(run("remember", "  ", "--at", home), exits.USAGE, "empty")
    expect(run("remember", "x", "--payload", "{", "--at", home), exits.USAGE, "--payload is not JSON")
    expect(run("recall", "x", "--since", "tomorrow", "--at", home), exits.USAGE, "--since is 'tomorrow'")
    expect(run("init", tmp_path / "new", "--model", "nonsense"), exits.USAGE, "embedding.model")
    expect(run("init", tmp_path / "new", "--unit", "weeks"), exits.USAGE, "unit")
    assert not (tmp_path / "new").exists()


def test_a_bad_line_stores_nothing(home: Path):
    expect(run("remember", "--jsonl", "-", "--at", home, stdin='"fine"\n{oops\n'), exits.USAGE, "line 2 of -")
    assert run("episodes", "list", "--at", home).exit_code == exits.NOTHING_FOUND


def test_nothing_found_exits_with_3(home: Path, tmp_path: Path):
    expect(run("recall", "x", "--at", tmp_path / "nowhere"), exits.NOTHING_FOUND, "no grimoire", "bardo init")
    assert not (tmp_path / "nowhere").exists()
    empty = run("recall", "anything", "--json", "--at", home)
    assert empty.exit_code == exits.NOTHING_FOUND
    assert json.loads(empty.stdout)["memories"] == []
    missing = "01890000-0000-7000-8000-000000000000"
    expect(run("show", missing, "--at", home), exits.NOTHING_FOUND, missing)


def test_a_grimoire_of_another_process_exits_with_4_and_takes_drops(home: Path):
    with bardo.open(home) as owner:
        locked = process("sleep", "--at", home)
        assert locked.returncode == exits.LOCKED
        assert str(os.getpid()) in locked.stderr
        dropped = process("remember", "from outside", "--drop", "--json", "--at", home)
        told = json.loads(dropped.stdout)
        assert told["dropped"] is True
        assert [memory.id for memory in owner.recall("outside")] == told["ids"]


def test_nothing_is_dropped_into_a_folder_without_an_owner(home: Path, tmp_path: Path):
    plain = tmp_path / "plain"
    plain.mkdir()
    refused = run("remember", "one more thing", "--drop", "--at", plain)
    assert refused.exit_code == exits.NOTHING_FOUND
    assert "--at" in refused.stderr
    assert list(plain.iterdir()) == []
    assert run("bequeath", tmp_path / "left", "--at", home).exit_code == exits.OK
    refused = run("remember", "one more thing", "--drop", "--at", home)
    assert refused.exit_code == exits.STORE
    assert "has died" in refused.stderr


def test_a_grimoire_of_another_process_can_be_looked_into(home: Path):
    with bardo.open(home) as owner:
        owner.remember("the ferry left early")
        owner.learn("Ferries leave early", subjects=["ferry"])
        facts = process("facts", "list", "--json", "--at", home)
        assert facts.returncode == exits.OK, facts.stderr
        document = json.loads(facts.stdout)
        assert [fact["text"] for fact in document["facts"]] == ["Ferries leave early"]
        assert document["facts"][0]["confidence_now"] == pytest.approx(
            owner.facts.confidence(owner.facts.list()[0]), abs=1e-3
        )
        assert str(os.getpid()) in document["notes"][0]

        known = process("recall", "when do ferries leave?", "--session", "s", "--at", home)
        assert known.returncode == exits.OK, known.stderr
        assert "Ferries leave early" in known.stdout
        for said in ("seen from outside", str(os.getpid()), "until the owner sleeps", "--session"):
            assert said in known.stderr

        owner.sleep()
        found = process("recall", "the ferry left early", "--json", "--layer", "episode", "--at", home)
        assert found.returncode == exits.OK, found.stderr
        document = json.loads(found.stdout)
        assert document["memories"][0]["text"] == "the ferry left early"
        assert any("seen from outside" in note for note in document["notes"])
        assert any("up to arrival 1" in note for note in document["notes"])

        counted = json.loads(process("stats", "--json", "--at", home).stdout)
        assert counted["facts"]["facts"] == 1
        assert counted["archive"]["rows"] == 1
        assert counted["notes"]
        assert process("episodes", "list", "--at", home).returncode == exits.LOCKED
        assert owner.facts.list()[0].mentions == 0


def test_a_store_that_cannot_be_used_exits_with_5(tmp_path: Path):
    file = tmp_path / "file"
    file.write_text("I am not a folder")
    expect(run("init", file), exits.STORE, "it is a file")
    damaged = tmp_path / "damaged"
    answer("init", damaged)
    (damaged / "episodes.redb").write_bytes(b"scribbles" * 1_000)
    expect(run("stats", "--at", damaged), exits.STORE, "episodes.redb")


def test_a_grimoire_that_lost_its_log_is_no_missing_one(home: Path):
    (home / "episodes.redb").unlink()
    for words in (("stats",), ("recall", "anything"), ("remember", "anything"), ("init",)):
        refused = run(*words, "--at", home)
        assert refused.exit_code == exits.STORE
        assert "episodes.redb is missing" in refused.stderr
    assert not (home / "episodes.redb").exists()


def test_a_testament_is_shown_as_markdown_of_so_many_tokens(home: Path, tmp_path: Path):
    with (home / "bardo.toml").open("a") as settings:
        settings.write("\n[bequeath]\ntokens = 80\n")
    for number in range(9):
        answer("learn", f"Relay {number} of the north yard opens with key {number}{number}", "--at", home)
    will = tmp_path / "w.testament"
    written = answer("bequeath", will, "--at", home)
    assert written["left_out"]["over_tokens"] > 0
    shown = answer("show", will, "--markdown")["markdown"]
    assert "of the north yard opens with key" in shown
    assert _core.count_tokens(shown) <= 80
    assert run("show", will, "--markdown").stdout.strip() == shown.strip()
    assert "is no file" in run("show", "0190b6a2", "--markdown", "--at", home).stderr


def test_a_testament_that_was_touched_exits_with_6(home: Path, tmp_path: Path):
    answer("remember", "x", "--verified", "--at", home)
    will = tmp_path / "w.testament"
    answer("bequeath", will, "--at", home)
    content = bytearray(will.read_bytes())
    content[len(content) // 2] ^= 1
    will.write_bytes(content)
    expect(run("show", will), exits.TESTAMENT)
    expect(run("inherit", will, "--at", tmp_path / "heir"), exits.TESTAMENT)


@pytest.mark.parametrize("words", [["stats"], ["stats", "--json"], ["--help"], ["--version"]])
@pytest.mark.parametrize(
    ("where", "why"), [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")]
)
def test_an_answer_that_cannot_be_written_is_no_success_and_no_bug(
    home: Path, words: list[str], where: str, why: str
):
    at = ["--at", str(home)] * (words[0] == "stats")
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m bardo "$@" {where}', sys.executable, *words, *at],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (exits.FAILED, 1)
    assert f"could not be written to standard output: {why}" in done.stderr


def test_a_pipe_that_was_closed_early_is_no_complaint(home: Path):
    with subprocess.Popen(
        [sys.executable, "-m", "bardo", "stats", "--json", "--at", str(home)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == exits.FAILED


def test_a_playbook_without_versions_says_so(home: Path):
    assert "There is no version so far" in run("pages", "versions", "--at", home).stdout
    assert json.loads(run("pages", "versions", "--json", "--at", home).stdout) == []


def test_a_command_completes_with_a_closed_output(home: Path):
    for text, closed in (("to a closed ear", ">&-"), ("to closed eyes as well", ">&- 2>&-")):
        command = f'exec "$0" -m bardo remember "$1" --at "$2" {closed}'
        done = subprocess.run(
            ["sh", "-c", command, sys.executable, text, str(home)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == exits.FAILED
        assert text in [episode["text"] for episode in answer("episodes", "list", "--at", home)["episodes"]]
    nothing = subprocess.run(
        ["sh", "-c", 'exec "$0" -m bardo remember - --at "$1" <&-', sys.executable, str(home)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert nothing.returncode == exits.USAGE
    assert "bug" not in nothing.stderr


def test_debug_shows_where_an_error_came_from(tmp_path: Path):
    nowhere = tmp_path / "nowhere"
    assert "Traceback" not in process("stats", "--at", nowhere).stderr
    for words in (["--debug", "stats"], ["stats", "--debug"]):
        told = process(*words, "--at", nowhere)
        assert told.returncode == exits.NOTHING_FOUND
        assert "Traceback" in told.stderr
        assert told.stderr.splitlines()[-1].startswith("bardo: ")


def test_the_model_says_whether_it_is_there(minilm: object):
    status = answer("embedding", "status")
    assert status["installed"] is True
    assert any("minilm" in name for name in status["built"])


def test_every_verb_explains_itself():
    told = run("--help")
    assert told.exit_code == exits.OK
    for title, names in SECTIONS.items():
        assert f"\n{title}:\n" in told.stdout
        for name in names:
            assert f"\n  {name} " in told.stdout
    for command in commands(typer.main.get_command(app)):
        own = run(*command.split(), "--help")
        assert own.exit_code == exits.OK
        assert command in NOUNS or "--json" in own.stdout
    assert "Exit codes" in told.stdout


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom bardo.surfaces.cli.app import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'rich', 'numpy', 'lancedb', 'onnxruntime', 'bardo.grimoire'} & set(sys.modules)\n"
        "print(sorted(heavy), file=sys.stderr)"
    )
    began = os.times().children_user
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr.strip() == "[]", done.stderr
    # Processor time, tenfold of what is measured: a guard against an accident, not a benchmark.
    assert os.times().children_user - began < 1.5


def test_an_heir_is_born_and_an_agent_that_lived_adopts(home: Path, tmp_path: Path):
    will, heir = tmp_path / "will", tmp_path / "heir"
    answer("remember", "the vault opens at noon", "--at", home)
    answer("bequeath", will, "--at", home)
    assert run("bequeath", will, "--at", home).exit_code != exits.OK
    assert "An heir is born" in run("inherit", will, "--at", heir).stdout
    other = tmp_path / "other"
    answer("init", other)
    answer("remember", "gas doubles on Mondays", "--at", other)
    told = run("inherit", will, "--at", other).stdout
    assert "Adopted by an agent with a life of its own" in told
    assert "heir is born" not in told
    refused = run("bequeath", will, "--at", other)
    assert refused.exit_code == exits.USAGE
    assert "exists already" in refused.stderr


def test_forget_asks_first_and_then_deletes_permanently(home: Path):
    stored = answer("remember", "the code of the vault is nine four two", "--at", home)["ids"][0]
    declined = runner.invoke(app, ["forget", stored, "--at", str(home)], input="n\n")
    assert declined.exit_code == exits.FAILED
    assert answer("show", stored, "--at", home)["id"] == stored
    report = answer("forget", stored, "--reason", "told in confidence", "--yes", "--at", home)
    assert report["episodes"] == [stored]
    assert {look["place"] for look in report["looked"]} >= {"log", "facts", "episodes.redb"}
    assert run("forget", stored, "--yes", "--at", home).exit_code == exits.NOTHING_FOUND
    again = run("remember", "the code of the vault is nine four two", "--at", home)
    assert (again.exit_code, "on purpose" in again.stderr) == (exits.USAGE, True)


def test_entities_are_merged_parted_and_listed_of_one_memory(home: Path):
    (told,) = answer("remember", "Mira Castell met Anna Lindqvist in Porto", "--at", home)["ids"]
    answer("remember", "Castell wrote to Anna Lindqvist", "--at", home)
    named = answer("entities", "of", told, "--at", home)["entities"]
    assert {"Mira Castell", "Anna Lindqvist"} <= {each["name"] for each in named}
    merged = answer("entities", "merge", "Mira Castell", "The Captain", "--at", home)["entity"]
    assert "The Captain" in merged["aliases"]
    parted = answer("entities", "part", "Mira Castell", "The Captain", "--at", home)["entity"]
    assert "The Captain" not in parted["aliases"]
    (listed,) = answer("entities", "list", "Mira Castell", "--at", home)["entities"]
    assert listed["name"] == "Mira Castell"
    related = answer("entities", "related", "Mira Castell", "--at", home)["related"]
    assert "Anna Lindqvist" in {each["name"] for each in related}
    assert run("entities", "part", "Mira Castell", "--at", home).exit_code == exits.USAGE
    assert run("entities", "part", "Mira Castell", "Nobody", "--at", home).exit_code == exits.NOTHING_FOUND


def test_init_refuses_a_folder_whose_name_is_not_utf8(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["init", str(tmp_path / "\udc80agent")])

    assert result.exit_code == 2
    assert "not valid Unicode" in result.output
    assert not list(tmp_path.iterdir())
