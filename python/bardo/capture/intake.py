"""Conversion of the input of `remember` to episodes: strings, chat messages, episodes, or batches of them."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple, Protocol

from bardo.capture.records import from_record
from bardo.clock import moment_of
from bardo.errors import BardoWarning, InvalidInputError
from bardo.model import ROLES, Episode

#: Maximum size of an episode's text, in bytes of UTF-8, as in the core.
MAX_TEXT_BYTES = 64 * 1024
#: Keys of a message part that is plain text.
TEXT_PART_KEYS = frozenset({"type", "text"})
TIME_KEYS = ("at", "timestamp", "created_at")
#: Limit of each unit of an epoch time, and its microseconds: seconds up to the year 5138, milliseconds, microseconds.
EPOCH_UNITS = ((10**11, 1_000_000), (10**14, 1_000), (10**17, 1))
#: Keys of a message that are kept in the payload unchanged. Others (ids, usage) differ on each retransmission, and
#: would make the same message look new.
KEPT_KEYS = ("tool_calls", "tool_call_id", "function_call", "refusal", "audio")
#: Maximum number of skipped positions of a batch that a warning names.
PLACES_SHOWN = 10


class Clean(Protocol):
    """Removes copies of prompts from texts.

    Attributes:
        place: Position of the next texts in their batch.
    """

    place: int

    def __call__(self, text: str) -> str:
        """Returns the text without copies; the same object where it holds none."""
        ...

    def finds(self, text: str) -> bool:
        """Whether a text may hold copies."""
        ...

    def exclude_places(self, known: Collection[int]) -> None:
        """Suppresses reports of copies at these positions, which an earlier call had."""
        ...

    def left_after(self, episode_id: str) -> int:
        """Returns the number of messages without text that followed an episode in an earlier call."""
        ...

    def leave_after(self, episode_id: str, count: int) -> None:
        """Stores the number of messages without text that follow the last episode of a call."""
        ...


class RecordOutcome(Protocol):
    """Result of recording drafts; see `RecordReport` of the recorder."""

    @property
    def known(self) -> Sequence[int]:
        """Positions of drafts that were stored before."""
        ...

    def at(self, place: int) -> Episode | None:
        """Returns the stored episode of a draft."""
        ...


class Drafts(NamedTuple):
    """Input of `remember`, converted for the recorder.

    Attributes:
        drafts: Strings and episodes.
        places: Position of each draft in the input.
        empty: Positions of skipped items without text.
        batch: Whether the input was a batch.
        chat: Whether the input was a list of chat messages.
        transcript: Whether the messages have no times; such a list may be passed again as it grows.
    """

    drafts: list[Any]
    places: Sequence[int]
    empty: list[int]
    batch: bool = True
    chat: bool = False
    transcript: bool = False

    @classmethod
    def of(cls, made: Sequence[str | Episode | None], *, chat: bool, transcript: bool = False) -> Drafts:
        """Makes the drafts of a batch; None stands for an item whose text is empty after cleaning."""
        places = [place for place, draft in enumerate(made) if draft is not None]
        empty = [place for place, draft in enumerate(made) if draft is None]
        drafts = [draft for draft in made if draft is not None]
        return cls(drafts, places, empty, chat=chat, transcript=transcript)

    def new_empty_messages(self, took: RecordOutcome, clean: Clean) -> list[int]:
        """Returns the positions of skipped messages that an earlier call with the same chat did not have.

        A message without text is known if a known message follows it. Of those after the last known message, the number
        that `clean` has stored is known.

        Args:
            took: Result of recording the drafts.
            clean: Cleaner, which from here on reports copies only in new messages.
        """
        known = [self.places[place] for place in took.known]
        new = self.empty
        if self.chat and known and new:
            last = known[-1]
            beyond = [place for place in new if place > last]
            end = next((place for place in self.places if place > last), len(self.places) + len(new))
            stored = took.at(took.known[-1])
            seen = clean.left_after(stored.id) if beyond and stored else 0
            new = beyond[min(seen, sum(place < end for place in beyond)) :]
        if self.chat and self.drafts and (behind := sum(place > self.places[-1] for place in self.empty)):
            stored = took.at(len(self.drafts) - 1)
            if stored is not None:
                clean.leave_after(stored.id, behind)
        clean.exclude_places({*known, *self.empty}.difference(new))
        return new


def drafts_from(what: object, defaults: Mapping[str, Any], *, clean: Clean, truncate: bool) -> Drafts:
    """Converts the input of `remember` to drafts; a string stays one, since its other fields are the `defaults`.

    Args:
        what: String, `Episode`, chat message (a mapping with `role` and `content`), or an iterable of these.
        defaults: Fields for episodes made here; an `Episode` keeps its own.
        clean: Cleaner that removes copies of prompts, so that an injected memory is never captured as new (law 8).
        truncate: Whether to cut texts at the limit instead of refusing them.

    Returns:
        Strings and episodes. Items of a batch without text are skipped, because a growing conversation may hold such
        messages in every call. `tell_empty` warns of them.

    Raises:
        InvalidInputError: An item is of another type, or no item has a text.
    """
    if isinstance(what, (str, Episode, Mapping)):
        draft = draft_of(what, defaults, clean, truncate)
        if draft is None:
            raise _empty("the text is empty")
        return Drafts([draft], (0,), [], batch=False)
    if isinstance(what, (bytes, bytearray)) or not isinstance(what, Iterable):
        raise InvalidInputError(
            f"cannot remember a {type(what).__name__}. Pass a string, an Episode, a chat message or a list of these"
        )
    items = list(what)
    if not truncate and _are_clean(items, clean):
        return Drafts(items, range(len(items)), [])
    made = []
    for clean.place, item in enumerate(items):
        made.append(draft_of(item, defaults, clean, truncate))
    chat = all(isinstance(item, Mapping) for item in items)
    handed = Drafts.of(made, chat=chat, transcript=not defaults.get("at") and all(map(_is_untimed, items)))
    if items and not handed.drafts:
        raise _empty(f"the text of each of {len(items)} is empty")
    return handed


def _empty(what: str) -> InvalidInputError:
    return InvalidInputError(
        f"{what} (recalled memories in it are not captured again). Say what happened in a sentence"
    )


def tell_empty(places: list[int], given: int, *, stacklevel: int) -> None:
    """Warns of messages of a batch that are skipped because they have no text.

    Args:
        places: Positions of the skipped messages.
        given: Number of messages in the batch.
        stacklevel: Stack level of the warning, relative to the caller.
    """
    if not places:
        return
    shown = ", ".join(map(str, places[:PLACES_SHOWN])) + (", ..." if len(places) > PLACES_SHOWN else "")
    message = f"{len(places)} of {given} were left out, at {shown} (from 0): their text is empty"
    warnings.warn(f"{message}, or nothing but recalled memories", BardoWarning, stacklevel=stacklevel + 1)


def episodes_from(
    what: object, defaults: Mapping[str, Any], *, clean: Clean, truncate: bool
) -> tuple[list[Episode], bool]:
    """Returns the drafts of `drafts_from` with strings as episodes, and whether they are a transcript."""
    handed = drafts_from(what, defaults, clean=clean, truncate=truncate)
    tell_empty(handed.empty, len(handed.places) + len(handed.empty), stacklevel=3)
    made = [Episode(draft, **defaults) if isinstance(draft, str) else draft for draft in handed.drafts]
    return made, handed.transcript


def _is_untimed(item: object) -> bool:
    """Whether an item is a chat message without a time."""
    return isinstance(item, Mapping) and all(item.get(key) is None for key in TIME_KEYS)


def _are_clean(items: list[Any], clean: Clean) -> bool:
    """Whether all items are non-empty texts without copies, checked at once for speed on long batches."""
    if set(map(type, items)) != {str} or not all(items) or any(map(str.isspace, items)):
        return False
    return not clean.finds("\n".join(items))


def draft_of(what: object, defaults: Mapping[str, Any], clean: Clean, truncate: bool) -> str | Episode | None:
    """Converts one item to a string or an episode; None if its text is empty after cleaning."""
    if isinstance(what, str):
        return _cleaned(what, clean, truncate) or None
    if isinstance(what, Episode):
        # The core reports any other type.
        episode = dataclasses.replace(what, at=moment_of(what.at)) if isinstance(what.at, datetime) else what
    elif isinstance(what, Mapping):
        is_record = "text" in what and "content" not in what
        episode = from_record({**defaults, **what}) if is_record else _message(what, defaults, clean)
    else:
        raise InvalidInputError(
            f"cannot remember a {type(what).__name__}. Pass strings, Episodes or chat messages (role, content)"
        )
    if not isinstance(episode.text, str):
        raise InvalidInputError(f"text is a {type(episode.text).__name__}. It must be a string")
    text = _cleaned(episode.text, clean, truncate)
    if not text:
        return None
    return episode if text == episode.text else dataclasses.replace(episode, text=text)


def _cleaned(text: str, clean: Clean, truncate: bool) -> str:
    """Returns a text as captured; empty if it holds only blanks and recalled memories."""
    text = clean(text)
    if truncate:
        text = _cut(text)
    return "" if text.isspace() else text


def _message(message: Mapping[str, Any], defaults: Mapping[str, Any], clean: Clean) -> Episode:
    from bardo.capture import tool_messages, tool_results

    alone = tool_messages.message_of(message)
    if alone is not None:
        message = {**{key: message[key] for key in TIME_KEYS if key in message}, **alone}
    given = message.get("role")
    role = ROLES.get(given) if isinstance(given, str) else None
    if role is None or not message.keys() & {"content", *KEPT_KEYS}:
        raise InvalidInputError(
            f"a chat message with the keys {sorted(map(str, message))} and role {given!r} cannot be read. "
            f"It needs 'content' and a 'role' among {', '.join(ROLES)}; or 'text', and fields of bardo.Episode; "
            "or be a tool call or its result, of OpenAI's Responses API or of MCP"
        )
    parts = _parts(message.get("content"))
    results = sum(map(tool_results.is_result, parts))
    if results and (role != "agent" or results == len(parts)):
        # The author is the tool even if the user forwards its result; facts are extracted only from users' words.
        role = "tool"
    fields = {**defaults, "role": role, "kind": "tool" if role == "tool" else "turn"}
    name = message.get("name")
    if name is not None:
        if not isinstance(name, str):
            raise InvalidInputError(f"name of a chat message is {name!r}. It must be a string, or left out")
        fields["speaker"] = name
    rest = [part for part in parts if not _is_text(part)]
    kept = ({"content": rest} if rest else {}) | {key: message[key] for key in KEPT_KEYS if message.get(key)}
    if kept:
        # A cyclic structure is refused when it is stored.
        with suppress(RecursionError):
            kept = _clean_message(kept, clean)
        fields["payload"] = _merge_payloads(fields.get("payload"), kept)
    for key in TIME_KEYS:
        if message.get(key) is not None:
            fields["at"] = micros_of(message[key])
            break
    said = _text_of(message, parts)
    text = clean(said)
    text = text if text == said else text.strip()
    if not text or text.isspace():
        text = _describe_parts(message, parts) or (
            "Returned nothing" if role == "tool" and text == said else ""
        )
    return Episode(text, **fields)


def _parts(content: object) -> list[str | Mapping[str, Any]]:
    """Splits the content of a chat message into parts: texts, images, files, calls and results of tools."""
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    if isinstance(content, Mapping):
        if "type" not in content and "text" not in content:
            # Data rather than a message part: its JSON text is searchable.
            try:
                return [json.dumps(dict(content), ensure_ascii=False)]
            except (TypeError, ValueError) as error:
                raise InvalidInputError(
                    f"the content of a chat message cannot be written as JSON: {error}. Pass text or plain data"
                ) from error
        return [content]
    parts = list(content) if isinstance(content, Iterable) else None
    if parts is None or not all(isinstance(part, (str, Mapping)) for part in parts):
        raise InvalidInputError(
            f"the content of a chat message is a {type(content).__name__}. Pass text, or text parts"
        )
    return parts


def _is_text(part: object) -> bool:
    """Whether a part is plain text."""
    return isinstance(part, str) or (
        isinstance(part, Mapping) and isinstance(part.get("text"), str) and not part.keys() - TEXT_PART_KEYS
    )


def _words_of(part: object) -> str:
    """Returns the words of a part: its text, and those of a result."""
    from bardo.capture import tool_calls, tool_results

    if not isinstance(part, Mapping):
        return str(part)
    is_answer = tool_results.is_result(part) or tool_calls.is_call(part)
    words = tool_results.describe(part) if is_answer else part.get("text")
    return words if isinstance(words, str) else ""


def _text_of(message: Mapping[str, Any], parts: Iterable[object]) -> str:
    """Returns the text of a message: its texts, calls and results; without any its refusal, or words of its audio."""
    from bardo.capture import tool_calls

    texts: list[str] = []
    for are_calls, group in groupby(parts, tool_calls.is_call):
        together = list(group)
        texts += [tool_calls.describe(together)] if are_calls else []
        texts += map(_words_of, together)
    audio = message.get("audio")
    spoken = audio.get("transcript") if isinstance(audio, Mapping) else None
    said = ("\n".join(filter(None, texts)), message.get("refusal"), spoken)
    text = next((each for each in said if isinstance(each, str) and each), "")
    return "\n".join(filter(None, (text, tool_calls.describe(tool_calls.beside(message)))))


def _merge_payloads(payload: object, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Merges the caller's payload with the non-text parts of a message; neither overwrites the other."""
    if payload is None:
        return dict(kept)
    if isinstance(payload, Mapping) and not payload.keys() & kept.keys():
        return {**payload, **kept}
    return {"payload": payload, **kept}


def _clean_message(held: Any, clean: Clean) -> Any:
    """Cleans every text in a message, since the result of a tool may hold recalled memories."""
    if isinstance(held, str):
        return clean(held)
    if isinstance(held, Mapping):
        return {key: _clean_message(each, clean) for key, each in held.items()}
    if isinstance(held, (list, tuple)):
        return [_clean_message(each, clean) for each in held]
    return held


def _describe_parts(message: Mapping[str, Any], parts: Iterable[object]) -> str:
    """Describes the parts of a message without text; empty if there are none."""
    from bardo.capture import tool_results

    opened = (content for part in parts for content in tool_results.contents(part))
    types = [
        str(part.get("type", "a part")) for part in opened if isinstance(part, Mapping) and not _is_text(part)
    ]
    sent = types + ["audio"] * bool(message.get("audio"))
    return f"Sent {', '.join(sent)}" if sent else ""


def micros_of(moment: object) -> int:
    """Reads a time of a message, as microseconds UTC.

    Args:
        moment: ISO 8601, a datetime, or seconds, milliseconds or microseconds of the epoch.

    Raises:
        InvalidInputError: It is none of these.
    """
    try:
        if isinstance(moment, str):
            parsed = datetime.fromisoformat(moment)
            if parsed.tzinfo is None:
                parsed = parsed.replace(tzinfo=UTC)
            return round(parsed.timestamp() * 1_000_000)
        if isinstance(moment, datetime):
            return round(moment.timestamp() * 1_000_000)
        if isinstance(moment, (int, float)) and not isinstance(moment, bool):
            unit = next(unit for limit, unit in EPOCH_UNITS if abs(moment) < limit)
            return round(moment * unit)
        cause = None
    except (ValueError, OverflowError, OSError, StopIteration) as error:
        cause = error
    raise InvalidInputError(
        f"the time {moment!r} cannot be read. Use ISO 8601, or seconds, milliseconds or microseconds of the epoch"
    ) from cause


def _cut(text: str) -> str:
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= MAX_TEXT_BYTES:
        return text
    return encoded[:MAX_TEXT_BYTES].decode("utf-8", "ignore")
