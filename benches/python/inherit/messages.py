"""`python -m inherit.messages`: writes messages about the things of InheritBench's tuned domains, to fit weights on.

- `knowledge/data/train/things-lives.jsonl`: of each thing, messages that stay true together, and changes of one value;
- `conduct/data/utterances-lives.jsonl`: utterances that state values and decisions, for the hearing;
- `privacy/data/train-lives.jsonl`: secrets, and identifiers that are none, for the tagger of secrets.

Figures on these domains are no evidence for what was fitted on them; the held domains are never read here, nor those
of `LEFT_OUT`, by which a fit is judged.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inherit.lives import SPLITS, Maker

BENCHES = Path(__file__).parent.parent
#: Splits that may be fitted on.
TUNED = ("own", "dev")
#: Domains of these splits that nothing is fitted on.
LEFT_OUT = ("fleet", "theatre")
#: Number of texts with drawn values of each sentence with a secret or an identifier.
DRAWN = 2
#: Numbers of texts of a thing, by kind.
OF_KIND = (("mistakes", 2), ("decisions", 2), ("questions", 1), ("rules", 2), ("choices", 1))
OF_TALK = (("chat", 3), ("routine", 2))
IDENTIFIERS, CHANGES = 2, 4
#: Beginnings of a decision as people write one.
DECIDED = ("Decided: ", "We agreed that ", "decision: ")


def files() -> Iterator[Path]:
    """Files of the tuned domains."""
    for split in TUNED:
        yield from (file for file in SPLITS[split] if file.stem not in LEFT_OUT)


def things() -> Iterator[dict[str, Any]]:
    """Yields each thing: messages that stay true together, and pairs of which the newer replaces the older."""
    for file in files():
        for number, thing in enumerate(json.loads(file.read_text())["things"]):
            maker = Maker(file, random.Random(f"things-{file.stem}-{number}"))
            chance, data = maker.chance, maker.data
            hold = [
                maker.fill(each["say"][chance.randrange(2)], thing, value=maker.fill(each["value"], thing))
                for each in chance.sample(data["identifiers"], IDENTIFIERS)
            ]
            for kind, count in OF_KIND:
                texts = data.get(kind, [])
                hold += [
                    maker.fill(each["text"], thing) for each in chance.sample(texts, min(count, len(texts)))
                ]
            for kind, count in OF_TALK:
                hold += [maker.fill(text, thing) for text in chance.sample(data[kind], count)]
            changes = []
            for belief in chance.sample(data["beliefs"], min(CHANGES, len(data["beliefs"]))):
                old, new = chance.sample(belief["values"], 2)
                changes.append([maker.fill(belief[when], thing, a=old, b=new) for when in ("old", "new")])
            yield {"thing": thing, "hold": hold, "changes": changes}


def utterances() -> Iterator[tuple[str, str]]:
    """Texts of the tuned domains with what the hearing should make of them."""
    for file in files():
        maker = Maker(file, random.Random(f"utterances-{file.stem}"))
        chance, data = maker.chance, maker.data

        def thing(chance: random.Random = chance, names: list[str] = data["things"]) -> str:
            return chance.choice(names)

        for each in data["identifiers"]:
            for say in each["say"]:
                about = thing()
                yield maker.fill(say, about, value=maker.fill(each["value"], about)), "none"
        for text in data["chat"] * 2:
            yield maker.fill(text, thing()), "none"
        for each in data["decisions"]:
            yield chance.choice(DECIDED) + maker.fill(each["text"], thing()), "decision"


def secrets() -> Iterator[tuple[str, str | None]]:
    """Texts of the tuned domains, each with the secret that it tells, or with an identifier and no secret."""
    for file in files():
        maker = Maker(file, random.Random(f"secrets-{file.stem}"))
        data = maker.data
        sentences = [(each["value"], each["say"], True) for each in data.get("secrets", [])]
        sentences += [(each["value"], say, False) for each in data["identifiers"] for say in each["say"]]
        for value, say, is_secret in sentences * DRAWN:
            thing = maker.chance.choice(data["things"])
            drawn = maker.fill(value, thing)
            yield maker.fill(say, thing, value=drawn), drawn if is_secret else None


def main() -> None:
    of_things = BENCHES / "knowledge" / "data" / "train" / "things-lives.jsonl"
    of_things.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in things()))
    heard = [
        {"id": number, "text": text, "before": None, "speaker": "user", "label": label}
        for number, (text, label) in enumerate(dict.fromkeys(utterances()), 1)
    ]
    told = [
        {"id": number, "text": text, "secret": secret}
        for number, (text, secret) in enumerate(dict.fromkeys(secrets()), 1)
    ]
    of_privacy = BENCHES / "privacy" / "data" / "train-lives.jsonl"
    of_privacy.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in told))
    of_hearing = BENCHES / "conduct" / "data" / "utterances-lives.jsonl"
    of_hearing.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in heard))


if __name__ == "__main__":
    main()
