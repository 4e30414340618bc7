"""Generates lives from the templates in `data/`, one per seed, or reads lives from JSON files."""

from __future__ import annotations

import dataclasses
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

DATA = Path(__file__).with_name("data")
#: Domains by split: `own` was written beside the code; the others by authors who had seen neither code nor templates.
SPLITS = {name: tuple(sorted((DATA / name).glob("*.json"))) for name in ("own", "dev", "held")}
#: Kinds of questions, in the order of the table.
KINDS = ("identifier", "mistake", "decision", "belief", "open", "rule", "choice", "gate", "near", "secret")
#: Shortest and longest life in ticks, and the events of routine per tick.
TICKS, ROUTINE = (800, 2_000), 2.0

Door = Literal["remember", "learn", "note", "reject", "rule", "outcome"]
_SLOT = re.compile(r"{(\w+)}")
_FIRST = [
    "Ines",
    "Tomas",
    "Priya",
    "Goran",
    "Leila",
    "Mateo",
    "Yuki",
    "Anders",
    "Chioma",
    "Ravi",
    "Elena",
    "Samuel",
]
_LAST = [
    "Okafor", "Lindgren", "Castro", "Petrov", "Nakamura", "Haddad",
    "Weiss", "Moreau", "Sandoval", "Iyer", "Kowalski", "Brandt",
]  # fmt: skip
_WORDS = [
    "maple", "violet", "anchor", "copper", "harvest", "lantern", "meadow",
    "falcon", "granite", "ribbon", "saffron", "tundra",
]  # fmt: skip


#: Makers of the values of slots, by name.
_MAKERS: dict[str, Callable[[random.Random], str]] = {
    "h2": lambda chance: f"{chance.randrange(24):02d}",
    "m2": lambda chance: f"{chance.randrange(60):02d}",
    "port": lambda chance: str(chance.randrange(2_000, 60_000)),
    "hex": lambda chance: f"{chance.getrandbits(40):010x}",
    "hexlong": lambda chance: f"{chance.getrandbits(160):040x}",
    "upper": lambda chance: "".join(chance.choices("ABCDEFGHJKLMNPQRSTUVWXYZ234567", k=16)),
    "name": lambda chance: f"{chance.choice(_FIRST)} {chance.choice(_LAST)}",
    "word": lambda chance: chance.choice(_WORDS),
    "word2": lambda chance: chance.choice(_WORDS),
}


@dataclass(frozen=True)
class Event:
    """Event of a life.

    Args:
        tick: Tick of the event.
        door: Method by which the agent is told.
        text: Text of the event.
        fields: Further arguments of the method.
    """

    tick: int
    door: Door
    text: str
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """Question to an agent, scored by literal words.

    Args:
        kind: One of `KINDS`.
        ask: Query; of the kinds `gate` and `near` the action.
        want: Words of the answer; of the kinds `gate` and `near` the rejection; of the kind `secret` the secret itself,
            which must not be found.
        stale: Words of an answer that no longer holds.
    """

    kind: str
    ask: str
    want: str
    stale: str = ""


@dataclass(frozen=True)
class Life:
    """Life of an agent: its events by tick, and the questions about it."""

    name: str
    events: tuple[Event, ...]
    questions: tuple[Question, ...]

    @property
    def log(self) -> list[str]:
        """Texts of all events, as a plain log has them."""
        return [event.text for event in self.events]

    @property
    def bytes(self) -> int:
        """Size of the log as JSON lines."""
        return sum(
            len(json.dumps(dataclasses.asdict(event), ensure_ascii=False)) + 1 for event in self.events
        )

    def save(self, path: Path) -> None:
        """Writes the life as JSON."""
        path.write_text(json.dumps(dataclasses.asdict(self), ensure_ascii=False, indent=1), encoding="utf-8")


def load(path: Path) -> Life:
    """Reads a life that `Life.save`, or a person, wrote."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    return Life(
        raw["name"],
        tuple(Event(**event) for event in raw["events"]),
        tuple(Question(**question) for question in raw["questions"]),
    )


def generate(seed: int, split: str = "own") -> Life:
    """Makes the life of a seed; the domains of the split take turns."""
    paths = SPLITS[split]
    path = paths[seed % len(paths)]
    name = f"{path.stem}-{seed}"
    return Maker(path, random.Random(name)).life(name)


class Maker:
    def __init__(self, path: Path, chance: random.Random) -> None:
        self.data = json.loads(path.read_text(encoding="utf-8"))
        self.chance = chance
        self.events: list[Event] = []
        self.questions: list[Question] = []
        self.ticks = chance.randint(*TICKS)

    def life(self, name: str) -> Life:
        for kind, count in (
            ("identifiers", 12), ("mistakes", 5), ("decisions", 6), ("beliefs", 6), ("questions", 4), ("rules", 4),
            ("choices", 4), ("rejections", 4), ("secrets", 4),
        ):  # fmt: skip
            if kind not in self.data:
                continue
            make = getattr(self, f"_{kind}")
            # One thing is asked about once per kind, so that a question has one answer.
            for template, thing in zip(
                self._some(self.data[kind], count),
                self.chance.sample(self.data["things"], count),
                strict=True,
            ):
                make(template, thing)
        self._planted()
        self._routine()
        self.events.sort(key=lambda event: event.tick)
        return Life(name, tuple(self.events), tuple(self.questions))

    def _some(self, templates: list[Any], count: int) -> list[Any]:
        whole, rest = divmod(count, len(templates))
        return templates * whole + self.chance.sample(templates, rest)

    def _when(self) -> int:
        return self.chance.randint(1, self.ticks)

    def _tell(self, door: Door, text: str, tick: int | None = None, **fields: Any) -> None:
        self.events.append(Event(self._when() if tick is None else tick, door, text, fields))

    def _say(self, text: str, tick: int | None = None) -> None:
        """Tells a text through a conversation, a tool or a plain memory."""
        door = self.chance.choice(
            (
                {"role": "user", "kind": "turn"}, {"role": "user", "kind": "turn", "verified": True},
                {"role": "agent", "kind": "turn"}, {"kind": "note", "verified": True, "importance": 0.7}, {},
            )
        )  # fmt: skip
        self._tell("remember", text, tick, **door)

    def _identifiers(self, template: dict[str, Any], thing: str) -> None:
        value = self.fill(template["value"], thing)
        say = self.chance.randrange(2)
        text = self.fill(template["say"][say], thing, value=value)
        said = {"role": "user", "kind": "turn"} if say == 0 else {"role": "tool", "kind": "tool"}
        self._tell("remember", text, **said, verified=self.chance.random() < 0.3)
        self._ask("identifier", template, thing, value)

    def _mistakes(self, template: dict[str, Any], thing: str) -> None:
        text = self.fill(template["text"], thing)
        if self.chance.random() < 0.5:
            self._tell("outcome", text, value=-round(self.chance.uniform(0.7, 1.0), 2))
        else:
            self._tell(
                "remember", text, kind="outcome", verified=self.chance.random() < 0.7,
                payload={"outcome": {"value": -round(self.chance.uniform(0.7, 1.0), 2)}},
            )  # fmt: skip
        self._ask("mistake", template, thing)

    def _decisions(self, template: dict[str, Any], thing: str) -> None:
        text = self.fill(template["text"], thing)
        if self.chance.random() < 0.5:
            self._tell("note", text, kind="decision")
        else:
            self._say(f"{self.chance.choice(('Decided: ', 'We agreed that ', 'decision: '))}{text}")
        self._ask("decision", template, thing)

    def _beliefs(self, template: dict[str, Any], thing: str) -> None:
        old, new = self.chance.sample(template["values"], 2)
        first = self.chance.randint(1, self.ticks // 2)
        second = self.chance.randint(self.ticks // 2 + 1, self.ticks)
        texts = [self.fill(template[one], thing, a=old, b=new) for one in ("old", "new")]
        if self.chance.random() < 0.35:
            for tick, text, value in zip((first, second), texts, (old, new), strict=True):
                self._tell("learn", text, tick, subject=thing, attribute=template["attribute"], value=value)
        else:
            said = {"role": "user", "kind": "turn", "verified": self.chance.random() < 0.5}
            for tick, text in zip((first, second), texts, strict=True):
                self._tell("remember", text, tick, **said)
        self._ask("belief", template, thing, new, old)

    def _questions(self, template: dict[str, Any], thing: str) -> None:
        text = self.fill(template["text"], thing)
        if self.chance.random() < 0.3:
            self._tell("note", text, kind="task")
        else:
            self._say(text)
        self._ask("open", template, thing)

    def _rules(self, template: dict[str, Any], thing: str) -> None:
        text = self.fill(template["text"], thing)
        door = self.chance.choice(("rule", "learn", "say"))
        if door == "say":
            self._say(text)
        elif door == "learn":
            self._tell("learn", text, kind="heuristic", confidence=self.chance.choice((0.5, 0.6, 0.7)))
        else:
            self._tell("rule", text, by=self.fill("{name}", thing))
        self._ask("rule", template, thing, self.fill(template["want"], thing))

    def _rejections(self, template: dict[str, Any], thing: str) -> None:
        said = self.fill(template["text"], thing)
        self._tell("reject", said, why="was tried and failed")
        self.questions.append(Question("gate", self.fill(template["try"], thing), said))
        if "near" in template:
            self.questions.append(Question("near", self.fill(template["near"], thing), said))

    def _choices(self, template: dict[str, Any], thing: str) -> None:
        self._say(self.fill(template["text"], thing))
        self._ask("choice", template, thing)

    def _secrets(self, template: dict[str, Any], thing: str) -> None:
        value = self.fill(template["value"], thing)
        self._say(self.fill(template["say"], thing, value=value))
        self.questions.append(Question("secret", f"what is the access to {thing}?", value))

    def _planted(self) -> None:
        """Plants a rule that only the outcomes tell: the action ends better at the second level of the condition."""
        plan = self.data["planted"]
        for tick in range(2, self.ticks, 3):
            level = self.chance.choice(plan["levels"])
            value = self.chance.gauss(-0.4 if level == plan["levels"][0] else 0.4, 0.5)
            self._tell(
                "remember", f"{plan['action']} done while {plan['condition']} was {level}", tick, kind=plan["action"],
                verified=True, subjects=[plan["action"]], payload={plan["condition"]: level, plan["metric"]: value},
            )  # fmt: skip
        query = f"how does {plan['action'].replace('_', ' ')} end by {plan['condition']}?"
        self.questions.append(Question("rule", query, f"{plan['condition']} is {plan['levels'][0]}"))

    def _routine(self) -> None:
        for tick in range(1, self.ticks + 1):
            for _ in range(int(self.chance.random() * 2 * ROUTINE + 0.5)):
                thing = self.chance.choice(self.data["things"])
                if self.chance.random() < 0.08:
                    role = self.chance.choice(("user", "agent"))
                    text = self.fill(self.chance.choice(self.data["chat"]), thing)
                    self._tell("remember", text, tick, role=role, kind="turn")
                else:
                    text = self.fill(self.chance.choice(self.data["routine"]), thing)
                    fields: dict[str, Any] = {"verified": True} if self.chance.random() < 0.5 else {}
                    if self.chance.random() < 0.2:
                        fields["importance"] = round(self.chance.uniform(0.2, 0.8), 2)
                        fields["verified"] = True
                    self._tell("remember", text, tick, **fields)

    def _ask(self, kind: str, template: dict[str, Any], thing: str, want: str = "", stale: str = "") -> None:
        self.questions.append(
            Question(kind, self.fill(template["ask"], thing), want or template["want"], stale)
        )

    def fill(self, text: str, thing: str, **values: str) -> str:

        def slot(match: re.Match[str]) -> str:
            name = match[1]
            if name in values:
                return values[name]
            if name == "thing":
                return thing
            if digits := re.fullmatch(r"n(\d)\w?", name):
                return str(self.chance.randrange(10 ** (int(digits[1]) - 1), 10 ** int(digits[1])))
            return _MAKERS[name](self.chance)

        return _SLOT.sub(slot, text)
