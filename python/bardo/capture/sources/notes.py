"""Records of daily notes in Markdown: a paragraph or an item of a list each, with its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bardo.capture.sources.record import Item, Record

#: Date in the name of a file: the day of its notes.
_DAY = re.compile(r"(?<!\d)(\d{4})[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])(?!\d)")
#: Time at the beginning of a paragraph or an item, such as `09:30`.
_TIME = re.compile(r"[-*+>\s]*(?:\[[ xX]\]\s*)?\**([01]?\d|2[0-3]):([0-5]\d)\b")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+\S")
_FENCE = re.compile(r"\s*(```|~~~)")


class Notes:
    """Reads a Markdown file."""

    is_edited = True

    def __call__(self, path: Path) -> Iterator[Record]:
        """Yields paragraphs and items of lists. The last one is complete with its line end."""
        day = _day_of(path.stem)
        headings: list[tuple[int, str]] = []
        block: list[str] = []
        fence, front, number, end, block_end = "", False, 0, 0, 0
        is_complete = True

        def made() -> Record:
            text = "\n".join(block).strip()
            title = " / ".join(name for _, name in headings)
            raw = f"{title}\n{text}".encode()
            return Record(raw, block_end, number, is_complete, partial(_items, title, text, day))

        with path.open("rb") as file:
            for place, line in enumerate(file):
                is_complete = line.endswith(b"\n")
                start, end = end, end + len(line)
                text = line.decode("utf-8-sig" if not place else "utf-8", "replace").rstrip()
                if not place and text == "---":
                    front = True
                    continue
                if front:
                    front = text != "---"
                    continue
                heading = None if fence else _HEADING.match(text)
                opens = not fence and bool(_FENCE.match(text))
                ends = not fence and (not text or heading or (_ITEM.match(text) and not line[:1].isspace()))
                if block and ends:
                    number += 1
                    complete, is_complete = is_complete, True
                    yield made()
                    is_complete = complete
                    block.clear()
                if heading:
                    level = len(heading[1])
                    headings = [each for each in headings if each[0] < level] + [(level, heading[2])]
                elif text or fence:
                    block.append(text)
                    block_end = start + len(line.rstrip()) if text else block_end
                if opens:
                    fence = _FENCE.match(text)[1]  # type: ignore[index]
                elif fence and text.strip().startswith(fence):
                    fence = ""
        if block:
            number += 1
            yield made()


def _day_of(stem: str) -> str:
    found = _DAY.search(stem)
    return "-".join(found.groups()) if found else ""


def _items(title: str, text: str, day: str) -> list[Item]:
    fields: dict[str, Any] = {"text": f"{title}: {text}" if title else text, "kind": "note"}
    if day:
        time = _TIME.match(text)
        fields["at"] = f"{day}T{int(time[1]):02}:{time[2]}:00+00:00" if time else f"{day}T00:00:00+00:00"
    return [fields]
