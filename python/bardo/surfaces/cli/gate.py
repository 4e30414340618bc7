"""`bardo gate`: rejections, decisions and rules, for hooks and people; the memory may be open elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bardo._atomic import parse_json
from bardo.conduct.model.entries import Answer, StateKind
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.opening import found
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.texts import read_stdin
from bardo.surfaces.cli.values import moment, plain

if TYPE_CHECKING:
    from bardo.conduct.gate import Gate
    from bardo.conduct.model.entries import Rule, StateEntry

app = noun("Ask before an action what was rejected, ruled and decided; tell after it what came of it.")

Action = Annotated[
    str,
    typer.Argument(help="The action: words, a command or the JSON of a tool call; - reads it from stdin."),
]
Id = Annotated[str, typer.Argument(metavar="ID", help="Id from `bardo gate show`.")]
By = Annotated[str, typer.Option("--by", help="The person who says so.")]
Why = Annotated[str, typer.Option("--why", help="The reason.")]
Domain = Annotated[str, typer.Option("--domain", help="Domain of the entry.")]
Words = Annotated[
    bool, typer.Option("--words", help="Compare by words alone: no model is loaded, it answers at once.")
]
Listed = Annotated[list[str] | None, typer.Option(help="Item of the list; may be repeated.")]
#: Number of items of a list that `reject` and `correct` print.
_ITEMS = 8
#: Attributes of a verdict that are made when they are read.
_TEXTS = ("text", "tokens", "notes", "brief", "brief_notes")
#: Exit codes of `before`.
_CODES = {"allow": exits.OK, "warn": exits.WARNED, "block": exits.BLOCKED}


@app.command()
def before(
    action: Action,
    *,
    approved_by: Annotated[str, typer.Option("--approved-by", help="The person who approved it.")] = "",
    prompt: Annotated[
        bool,
        typer.Option(
            "--prompt",
            help="Print the text for a prompt: also the rules and the state that hold for every action.",
        ),
    ] = False,
    words: Words = False,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Print the objections to an action; exits with 8 if it is blocked, 9 if it is warned of, 0 if it is allowed."""
    output = Output(as_json=as_json)
    with open_gate(at, words=words) as opened:
        verdict = opened.before(_action(action), approved_by=approved_by)
    if as_json:
        output.document(plain(verdict) | {name: plain(getattr(verdict, name)) for name in _TEXTS})
    output.text((verdict.text if prompt else "") or verdict.brief)
    for note in verdict.notes if prompt else verdict.brief_notes:
        output.note(note)
    if code := _CODES[verdict.decision]:
        raise typer.Exit(code)


@app.command()
def why(
    action: Action,
    *,
    approved_by: Annotated[str, typer.Option("--approved-by", help="The person who approved it.")] = "",
    words: Words = False,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """List the rejections and rules that an action is compared with, and which pattern, words or odds decide each."""
    output = Output(as_json=as_json)
    with open_gate(at, words=words) as opened:
        verdict = opened.before(_action(action), approved_by=approved_by)
    findings = {(each.id, each.touch): each for each in verdict.findings}
    rows = []
    for each in verdict.candidates:
        finding = findings.pop((each.id, each.touch), None)
        decision = "allow" if finding is None else "block" if finding.blocks else "warn"
        decided = finding or each.touch
        rows.append((each.id, decision, decided.decided_by, decided.because, each.text))
    names = ("id", "decision", "decided_by", "because", "text")
    output.document(
        {
            "decision": verdict.decision,
            "candidates": [dict(zip(names, row, strict=True)) for row in rows],
            "notes": list(verdict.matching),
        }
    )
    if not as_json:
        from bardo.surfaces.cli import tables

        grid = tables.grid(*(name.replace("_", " ") for name in names), title=f"Decision: {verdict.decision}")
        for row in rows:
            grid.add_row(*row)
        output.show(grid)
    for line in verdict.matching:
        output.note(line)


@app.command()
def after(
    action: Action,
    *,
    failed: Annotated[bool, typer.Option("--failed", help="It did not go well.")] = False,
    note: Annotated[str, typer.Option("--note", help="Lesson from the action.")] = "",
    rule: Annotated[
        list[str] | None, typer.Option("--rule", help="Id of a rule that was followed; may be repeated.")
    ] = None,
    flow: Annotated[str, typer.Option("--flow", help="Name or id of the flow that was followed.")] = "",
    changed: Annotated[
        Answer | None, typer.Option("--changed", help="What changed, so that it holds by itself.")
    ] = None,
    words: Words = False,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Record the outcome of an action: a pass raises the score of rules that applied, a failure counts against them."""
    output = Output(as_json=as_json)
    with open_gate(at, words=words) as opened:
        told = opened.after(
            _action(action), passed=not failed, note=note, rules=rule or (), flow=flow, changed=changed
        )
    output.document(told)
    output.text(f"{told.outcome.id}  {told.outcome.action}: {told.outcome.last}")
    for name, ids in (("confirmed", told.confirmed), ("violated", told.violated), ("failed", told.failed)):
        if ids:
            output.text(f"{name}: {', '.join(ids)}")
    if told.flow is not None:
        output.text(
            f"flow {told.flow.id}  {told.flow.name}: {told.flow.succeeded} of {told.flow.used} succeeded"
        )
    if told.question:
        output.text(told.question)
    for line in told.notes:
        output.note(line)


@app.command()
def answer(
    id_: Annotated[str, typer.Argument(metavar="ID", help="Id that `bardo gate after` printed.")],
    changed: Annotated[Answer, typer.Argument(help="What changed, so that it holds by itself.")],
    *,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Answer the question after an action: did a flow, a tool or a check change, or only a rule?"""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        outcome = opened.answer(id_, changed)
    output.document(outcome)
    output.text(f"{outcome.id}  {outcome.action}: {outcome.answer}")


@app.command()
def outcomes(*, at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """List the outcomes of actions, the latest first."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        found = opened.outcomes()
    output.document({"outcomes": plain(found)})
    for each in found:
        counts = f"{each.passed} passed, {each.failed} failed"
        output.text("  ".join(filter(None, [each.id, each.action, counts, each.note, each.answer])))


@app.command()
def consolidate(*, words: Words = False, at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """Merge near-duplicate rules, and retire the least used above 80 in force."""
    output = Output(as_json=as_json)
    with open_gate(at, words=words) as opened:
        merged, left = opened.consolidate()
    output.document({"merged": plain(merged), "left": plain(left)})
    for each in (*merged, *left):
        output.text(f"{each.id}  {each.text} ({each.retired_why})")
    output.text(f"{len(merged)} merged, {len(left)} retired")


@app.command()
def reject(
    what: Annotated[str, typer.Argument(help="Unwanted action, in its own words.")],
    *,
    why: Why = "",
    by: By = "",
    domain: Domain = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Reject a kind of action: the gate blocks such actions until a person lifts the rejection."""
    with open_gate(at, words=True) as opened:
        _forbidding(opened.reject(what, why=why, by=by, domain=domain), as_json=as_json)


@app.command()
def correct(
    id_: Id,
    *,
    thing: Listed = None,
    verb: Listed = None,
    phrase: Listed = None,
    command: Annotated[
        list[str] | None, typer.Option("--command", help="Command line as a glob, such as 'npm i moment*'.")
    ] = None,
    package: Listed = None,
    flag: Listed = None,
    host: Listed = None,
    path: Listed = None,
    condition: Listed = None,
    allowed: Listed = None,
    clear: Annotated[
        list[str] | None,
        typer.Option("--clear", help="List to empty, such as `conditions`; may be repeated."),
    ] = None,
    add: Annotated[bool, typer.Option("--add", help="Add to the lists instead of replacing them.")] = False,
    by: By = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Correct what a rejection or a rule forbids; each option may be repeated. Only a person narrows it."""
    given = {
        "things": thing, "verbs": verb, "phrases": phrase, "commands": command, "packages": package, "flags": flag,
        "hosts": host, "paths": path, "conditions": condition, "allowed": allowed,
    }  # fmt: skip
    changes = {name: items for name, items in given.items() if items} | {name: [] for name in clear or ()}
    with open_gate(at, words=True) as opened:
        _forbidding(opened.correct(id_, forbids=changes, add=add, by=by), as_json=as_json)


@app.command()
def lift(
    id_: Id,
    *,
    by: Annotated[str, typer.Option("--by", help="The person who lifts it.")],
    why: Why = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """End a rejection; its record is kept with the person who lifted it."""
    with open_gate(at, words=True) as opened:
        _kept(opened.lift(id_, by=by, why=why), as_json=as_json)


@app.command()
def rule(
    text: Annotated[str, typer.Argument(help="The rule, in words.")],
    *,
    forbids: Annotated[str, typer.Option("--forbids", help="The action that it forbids.")] = "",
    approval: Annotated[
        str, typer.Option("--approval", help="The action that needs a person's approval.")
    ] = "",
    score: Annotated[
        float | None,
        typer.Option("--score", min=1, max=10, help="9 with --by and 5 without, if not given."),
    ] = None,
    by: By = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Add a rule, or confirm it if it exists."""
    with open_gate(at, words=True) as opened:
        _kept(opened.rule(text, forbids=forbids, approval=approval, score=score, by=by), as_json=as_json)


@app.command()
def retire(id_: Id, *, by: By = "", at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """End a rule; a critical one needs the name of a person."""
    with open_gate(at, words=True) as opened:
        _kept(opened.retire(id_, by=by), as_json=as_json)


@app.command()
def note(
    kind: Annotated[StateKind, typer.Argument(help="Kind of entry.")],
    summary: Annotated[str, typer.Argument(help="Summary in a sentence.")],
    *,
    detail: Annotated[str, typer.Option("--detail", help="Further details.")] = "",
    supersedes: Annotated[
        str, typer.Option("--supersedes", metavar="ID", help="Entry that this one replaces.")
    ] = "",
    by: By = "",
    domain: Domain = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Add an entry of state: a decision, a task, a discovery."""
    with open_gate(at, words=True) as opened:
        kept = opened.note(kind, summary, detail=detail, by=by, domain=domain, supersedes=supersedes)
        _kept(kept, as_json=as_json)


@app.command()
def finish(
    id_: Id, *, by: By = "", why: Why = "", at: At = HERE, as_json: Json = False, debug: Debug = False
) -> None:
    """Mark an entry as done."""
    with open_gate(at, words=True) as opened:
        _kept(opened.finish(id_, by=by, why=why), as_json=as_json)


@app.command()
def show(
    *,
    every: Annotated[
        bool, typer.Option("--all", help="Include done, lifted, faded and retired entries.")
    ] = False,
    domain: Annotated[str | None, typer.Option("--domain", help="Only entries of this domain.")] = None,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """List entries of state and rules."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        state, rules, now = opened.state(domain=domain, every=every), opened.rules(every=every), opened.now
    scores = {each.id: each.score_at(now) for each in rules}
    output.document(
        {"state": plain(state), "rules": [{**plain(each), "score_now": scores[each.id]} for each in rules]}
    )
    if as_json:
        return
    from bardo.conduct.model.authors import word_at
    from bardo.surfaces.cli import tables

    entries = tables.grid("id", "kind", "what", "status", "by", "when", title="State")
    for entry in state:
        told = (f"{name}: {items}" for name, items in _listed(entry.forbidden.lists()))
        what = "\n".join(
            filter(
                None, (entry.summary, entry.detail, *(told if entry.kind == "rejected" else ()), entry.doubt)
            )
        )
        when = word_at(entry) if entry.status == "active" else entry.changed_at
        entries.add_row(entry.id, entry.kind, what, entry.status, entry.by, moment(when))
    ruled = tables.grid("id", "score", "rule", "forbids", "needs approval", "by", title="Rules")
    for each in rules:
        text = "\n".join(filter(None, (each.text, each.doubt)))
        ruled.add_row(each.id, f"{scores[each.id]:.1f}", text, each.forbids, each.approval, each.by)
    output.show(entries, ruled)


@app.command()
def history(id_: Id, *, at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """List the versions of an entry, a rule or a flow, the earliest first."""
    from bardo.conduct.storage.rows import table_of

    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        versions = opened.history(id_)
    output.document({"versions": plain(versions)})
    for each in versions:
        texts = filter(None, table_of(each).texts_of(each))
        said = ("; ".join(text.splitlines()) for text in texts)
        output.text("  ".join([moment(getattr(each, "changed_at", 0) or each.at), *said]))


@app.command("accept-loss")
def accept_loss(
    *,
    by: Annotated[str, typer.Option("--by", help="The person who accepts it.")],
    why: Why = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Open gates again after the loss of conduct.db; its content is given up, and the accepting person is recorded."""
    with open_gate(at, words=True) as opened:
        _kept(opened.accept_loss(by=by, why=why), as_json=as_json)


@app.command()
def forget(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of entries and rules.")],
    *,
    by: Annotated[str, typer.Option("--by", help="The person who wants it.")] = "",
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Delete entries and rules permanently."""
    output = Output(as_json=as_json)
    with open_gate(at, words=True) as opened:
        gone = opened.forget(ids, by=by)
    output.document({"forgotten": gone})
    output.text(f"{len(gone)} forgotten")


def _action(given: str) -> str:
    """Returns an action; `-` reads it from stdin, where of the JSON of a hook the tool call alone is the action."""
    if given != "-":
        return given
    text = read_stdin()
    with suppress(ValueError):
        call = parse_json(text)
        if isinstance(call, Mapping) and isinstance(call.get("tool_name"), str):
            return json.dumps(
                {"name": call["tool_name"], "arguments": call.get("tool_input")}, ensure_ascii=False
            )
    return text


def open_gate(at: Path, *, words: bool) -> Gate:
    """Opens the gate of the memory in a folder.

    Args:
        at: Folder of the memory.
        words: Whether to compare by words alone.
    """
    import bardo

    with found(at):
        return bardo.gate(at, words_only=words)


def _forbidding(what: StateEntry | Rule, *, as_json: bool) -> None:
    """Prints an entry with what it forbids, for correction."""
    output = Output(as_json=as_json)
    lists = what.forbidden.lists()
    output.document({**plain(what), "forbidden": lists})
    output.text(f"{what.id}  {getattr(what, 'summary', '') or getattr(what, 'text', '')}")
    for name, items in _listed(lists):
        output.text(f"  {name}: {items}")


def _listed(lists: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yields each list of what an entry forbids with its name, shortened."""
    for name, items in lists.items():
        more = f" and {len(items) - _ITEMS} more (--json)" if len(items) > _ITEMS else ""
        yield name, f"{', '.join(items[:_ITEMS])}{more}"


def _kept(what: StateEntry | Rule, *, as_json: bool) -> None:
    output = Output(as_json=as_json)
    output.document(what)
    output.text(f"{what.id}  {getattr(what, 'summary', '') or getattr(what, 'text', '')}")
