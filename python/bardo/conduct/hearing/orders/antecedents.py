"""Antecedents of pronouns in prohibitions: "The slot is called gull_3, don't drop it" forbids to drop the slot gull_3.

Only the subject of a clause with a verb to be, or the thing that a clause introduces, is an antecedent. In a clause of
two things, such as "marlin runs Postgres", it is unclear which one a pronoun stands for.
"""

from __future__ import annotations

import re

from bardo.conduct.parse.times import DAYS
from bardo.conduct.state.prohibition import is_prohibition
from bardo.consolidate.languages.english.dates import MONTHS
from bardo.consolidate.texts.clauses import sentences

#: End of a clause, with the words that join the next one to it.
_JOINT = re.compile(
    r"(?:\s*[,;:.!?]+\s+|\s+[-–—]+\s+|\s+(?=(?:so|but)\b))(?:(?:so|but|and)\s+)?", re.IGNORECASE
)
_PRONOUN = r"\b(?P<pronoun>it|them|him|her|this|that|these|those)\b"
#: Prohibition of an act on what a pronoun stands for.
_FORBIDDING = (
    r"(?:(?:please|just|also) )*(?:(?:do(?:n'?t| not)|never|(?:you|we) (?:must|may|should|can)(?: not|n'?t))"
    r"(?: (?:ever|please|just|even))* (?P<verb>[a-z]+)|(?:stop|quit|avoid) (?P<doing>[a-z]+ing))"
)
_POINTED = (
    rf"{_PRONOUN}(?=\W*$| (?:on|in|at|to|into|for|with|by|from|before|after|until|during|"
    r"again|ever|yet|now|without|unless|while|when|if|even|please|anymore|any more|up|down|out|off|over|back|away|"
    r"more|less|\w+er)\b)"
)
_POINTING = re.compile(
    rf"{_FORBIDDING}(?: (?:to|with|from|on|off|in|into|at|up|down|out))? {_POINTED}", re.IGNORECASE
)
#: The same of an act with an object of its own: "never run a migration on it".
_POINTING_AT = re.compile(
    rf"{_FORBIDDING}(?: [\w`'\"./-]+){{1,5}}? (?:to|with|from|on|into|against|for|in|at) {_POINTED}",
    re.IGNORECASE,
)
#: Prohibition of giving something to what a pronoun stands for: "never show them our order flow".
_POINTING_TO = re.compile(
    r"(?:(?:please|just|also) )*(?:do(?:n'?t| not)|never|(?:you|we) (?:must|may|should|can)(?: not|n'?t))"
    r"(?: (?:ever|please|just|even))* (?:show|send|give|tell|offer|lend|sell|pay|grant|hand|forward|promise|feed|"
    r"serve|bring|quote|wire|ship|order|book|buy) (?P<pronoun>it|them|him|her) "
    r"(?!(?:for|in|on|at|to|by|from|if)\b)(?=\w)",
    re.IGNORECASE,
)
_DETERMINER = r"(?:the|our|my|your|their|its|his|her|this|that|these|those|an?)"
_DETERMINED = re.compile(rf"{_DETERMINER}\b", re.IGNORECASE)
#: Word of a name or noun: no determiner, pronoun, auxiliary, conjunction, preposition, or verb of speech.
_WORD = (
    rf"(?!(?:{_DETERMINER}|i|we|you|he|she|it|they|there|here|who|what|which|where|when|why|how|if|is|are|was|"
    r"were|has|have|had|be|do|does|did|not|no|and|or|but|because|since|as|than|so|say|says|said|think|thinks|thought|"
    r"tells?|told|knows?|knew|hopes?|for|of|on|in|at|from|to|with|by|under|behind|nothing|nobody|someone|something|"
    r"everything|anything|everyone)\b)[\w`\"'][\w'`\"./@-]*"
)
_PHRASE = (
    rf"(?:{_DETERMINER} )?{_WORD}(?: {_WORD}){{0,5}}?"
    rf"(?: (?:for|of|on|in|at|from|to|with|under) (?:{_DETERMINER} )?{_WORD}(?: {_WORD}){{0,3}}?)?"
)
_NAME = rf"(?P<name>{_WORD}(?: {_WORD}){{0,2}})"
#: Clauses of which a thing is the topic: it has a name, is introduced, or is the subject of a verb to be.
_TOPICS = (
    re.compile(rf"(?P<thing>{_PHRASE})(?P<be>'s| is| are) (?:called|named|known as) {_NAME}", re.IGNORECASE),
    re.compile(
        r"(?:(?:there|here)(?P<be>'s| is| are)|(?:we|i)(?:'ve| have)(?: got)?) "
        rf"(?P<thing>{_PHRASE})(?: (?:called|named) {_NAME})?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?P<thing>{_PHRASE})(?P<be> is| are| lives?| sits?| lies?)(?: (?:in|at|under))? (?P<name>~?/[\w./~-]+\w)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?P<thing>{_PHRASE})(?P<be>'s| is| are| was| were| (?:has|have) been| (?:must|should|will|can)(?: not)? "
        r"(?:be|stay|remain)) \S.*",
        re.IGNORECASE,
    ),
)
#: Clause of what a group has in use: only its object can be the antecedent, without its version.
_USED = re.compile(
    r"(?:(?:and|so|but|also|currently|still|now|here) )*(?:we|i|the team)(?: (?:still|now|currently|all|only|also))* "
    r"(?:run|use|keep|host|own|operate|maintain|rent|lease|(?:work|run|are|live) (?:with|on)|rely on|"
    r"depend on)(?: on)? "
    rf"(?P<thing>(?:{_DETERMINER} )?{_WORD}(?: (?!v?\d){_WORD}){{0,3}}?)(?: v?\d[\w.]*)?"
    r"(?: (?:for|on|in|at|as|to|with|under|here|now|everywhere|internally)\b.*)?",
    re.IGNORECASE,
)
#: Topic without a verb, before a colon or dash: "gull_3: don't drop it".
_HEADING = re.compile(rf"(?:(?:about|regarding|concerning|as for|re) )?(?P<thing>{_PHRASE})", re.IGNORECASE)
#: Statement that can be the reason of a prohibition after it: "He's a vegetarian, never book a steakhouse".
_REASON = re.compile(
    rf"(?:he|she|it|they|we|i|{_PHRASE})(?:'s|'re|'m| is| are| am| was| were| has| have) \S.*", re.IGNORECASE
)
#: Words that stand for something before them.
_DEICTIC = re.compile(
    r"\b(?:it|its|that|this|them|those|these|there|then|him|her|his|their|so|such|otherwise|any ?more|again)\b",
    re.IGNORECASE,
)
#: Clause about the same thing, before which its antecedent stands.
_CONTINUED = re.compile(r"(?:it|they|this|that|these|those)(?:'s|'re| [a-z]+)\b", re.IGNORECASE)
_INDEFINITE = re.compile(r"an? ", re.IGNORECASE)
_CALLED = re.compile(r" (?:called|named) (?=\S)", re.IGNORECASE)
#: Act that is done to what a pronoun stands for: "book them for Friday".
POINTING_ACT = re.compile(
    r"(?P<verb>[a-z]+(?: (?:up|off|out|in|on|over|with|from|to|back))?) (?P<pronoun>it|them)\b(?! all\b)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<![\w'])[A-Z][\w&'-]*(?: (?:& )?[A-Z][\w&'-]*)*")
_NO_NAME = frozenset({"i", *DAYS, *MONTHS})
_PLURAL = ("them", "these", "those")
_PERSONAL = ("him", "her")


def resolve(text: str) -> str:
    """Makes prohibitions of a message sentences of their own: with the antecedents of pronouns, or after their reason.

    Args:
        text: Message of a user.

    Returns:
        The message with each prohibition whose antecedent is clear rewritten; the others as they are.
    """
    bare = text.replace("’", "'")
    parts = _clauses(bare)
    for place in range(len(parts) - 1, 0, -1):
        start, end = parts[place]
        forms = (_POINTING, _POINTING_AT, _POINTING_TO)
        found = next(filter(None, (form.match(bare[start:end]) for form in forms)), None)
        thing = None if found is None else _antecedent(bare, parts[:place], start, found["pronoun"].lower())
        clause = bare[start:end]
        before = bare[: parts[place - 1][1]]
        reason, joint = bare[slice(*parts[place - 1])], bare[parts[place - 1][1] : start]
        if found is not None and thing is not None:
            said = f"{clause[: found.start('pronoun')]}{thing}{clause[found.end('pronoun') :]}"
        elif place == len(parts) - 1 and _has_reason(reason, clause, joint):
            said = clause
        else:
            continue
        if is_prohibition(said):
            bare = f"{before}. {said[0].upper()}{said[1:]}{bare[end:]}"
    return bare if bare != text.replace("’", "'") else text


def pointing_verb(text: str) -> str:
    """Returns the verb of a prohibition whose only object is "it" or "them"; empty if the text has another one.

    Args:
        text: Utterance of a user.
    """
    bare = text.replace("’", "'")
    clauses = [bare[start:end] for start, end in _clauses(bare)]
    found = [one for clause in clauses if (one := _POINTING.match(clause))]
    names = any(is_prohibition(clause) for clause in clauses if not _POINTING.match(clause))
    if not found or names or any(one["pronoun"].lower() in ("this", "that") for one in found):
        return ""
    return (found[0]["verb"] or found[0]["doing"]).lower()


def with_object(offer: str, earlier: str) -> str:
    """Puts the thing of the sentence before in the place of the pronoun that is the object of an offer.

    Args:
        offer: Message of an agent.
        earlier: Words of the user before it.

    Returns:
        The message, as it is if its last sentence has no such object or the sentence before does not tell it.
    """
    bare = offer.replace("’", "'").strip()
    *others, last = sentences(bare) or [bare]
    found = next(
        (one for one in POINTING_ACT.finditer(last) if not _DEICTIC.search(last[: one.start("pronoun")])),
        None,
    )
    told = others or sentences(earlier.replace("’", "'"))
    if found is None or not told:
        return offer
    before = told[-1].strip().rstrip(".!?…")
    thing = _antecedent(before, _clauses(before), len(before), found["pronoun"].lower()) or _only_name(before)
    if thing is None:
        return offer
    said = f"{last[: found.start('pronoun')]}{thing}{last[found.end('pronoun') :]}"
    return " ".join([*others, said])


def _only_name(sentence: str) -> str | None:
    """Returns the only name in a sentence; a single word at its beginning may be none."""
    names = [match[0] for match in _NAMED.finditer(sentence) if match.start() or " " in match[0]]
    names = [each.removesuffix("'s") for each in names if each.lower() not in _NO_NAME]
    return names[0] if len(set(names)) == 1 else None


def _clauses(text: str) -> list[tuple[int, int]]:
    """Returns the bounds of the clauses of a text."""
    joints = [*_JOINT.finditer(text)]
    begins = [0, *(joint.end() for joint in joints)]
    return list(zip(begins, [*(joint.start() for joint in joints), len(text)], strict=True))


def _has_reason(before: str, clause: str, joint: str) -> bool:
    """Whether the clause before a prohibition only states its reason, so that the prohibition stands alone."""
    # "Ann's tip: ..." is the heading of what others say.
    is_heading = ":" in joint and "'s " in before
    return (
        _DEICTIC.search(clause) is None and not is_heading and _REASON.fullmatch(before.strip()) is not None
    )


def _antecedent(text: str, before: list[tuple[int, int]], start: int, pronoun: str) -> str | None:
    """Returns the thing that a pronoun stands for; None if the clauses before it do not tell."""
    end = start
    for begin, stop in reversed(before):
        clause, joint = text[begin:stop].strip(), text[stop:end].strip()
        end = begin
        if _CONTINUED.match(clause):
            continue
        forms = (*_TOPICS, _USED, _HEADING) if joint[:1] in (":", "-", "–", "—") else (*_TOPICS, _USED)
        found = next(filter(None, (form.fullmatch(clause) for form in forms)), None)
        return None if found is None else _thing(found.groupdict(), pronoun)
    return None


def _thing(found: dict[str, str | None], pronoun: str) -> str | None:
    """Returns the words of an antecedent, if it has the number of the pronoun."""
    be = (found.get("be") or "").split()
    is_plural = bool(be) and be[0] in ("are", "were", "have", "live", "sit", "lie")
    is_singular = bool(be) and be[0] in ("is", "was", "has", "'s", "lives", "sits", "lies")
    topic = found["thing"] or ""
    is_name = topic[:1].isupper() and not _DETERMINED.match(topic)
    if (is_plural and pronoun not in _PLURAL) or (pronoun in _PERSONAL and not is_name):
        return None
    # An organisation and a person can be "them", too.
    if is_singular and pronoun in _PLURAL and not (is_name and pronoun == "them"):
        return None
    thing = _CALLED.sub(" ", _INDEFINITE.sub("the ", found["thing"] or "", count=1))
    # A word without an article may be a name.
    thing = f"{thing[:1].lower()}{thing[1:]}" if _DETERMINED.match(thing) else thing
    name = found.get("name") or ""
    # A path in parentheses is no word of the thing.
    name = f"({name})" if name[:1] in ("/", "~") else name
    return f"{thing} {name}".strip()
