"""Finds the private numbers of a sentence: own results, holdings, parameters, codes.

Each number has a kind, from its form and its unit. Names, dates and measurements are harmless. For any other kind, the
weights of the cues in the sentence and beside the number are added, and a number of unknown meaning is private.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import fsum

from bardo.privacy import changes, pots
from bardo.privacy.cues import after, any_cue, before, cue, is_private, weights

#: Characters searched on each side of a number for its unit or its label.
BESIDE = 28
_FIGURE = re.compile(
    r"(?:(?<![\w#/§^,:_-])(?<!\d\.)|(?=[$€£]))(?P<sign>[-+−±]|(?<=\S\s)[-+−±]\s)?(?P<coin>(?:R\$|[$€£¥₿₽₺₹])\s?)?(?P<minus>[-−])?"
    r"(?P<number>\d{1,3}(?:[.,'’]\d{3}){1,12}(?:[.,]\d{1,18})?(?!\d)|\d{1,3}(?:[   ]\d{3}){1,12}(?:[.,]\d{1,18})?(?!\d)"
    r"|\d{1,40}(?:[.,]\d{1,30}){0,8}(?:e[-+]?\d{1,3})?)(?P<unit>\s?[%€£$¥×]|(?<=\d)[A-Za-zµ°]{1,6}(?![^\W_]))?(?!\w)"
)
#: A name, a comparison and a number: `gas >= 68.3`.
_CONDITION = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_][\w.]{0,63})\s{0,2}(?P<sign>>=|<=|[><≥≤])\s{0,2}"
    r"(?P<number>[-+−]?\d(?:[\d.,_]{0,30}\d)?(?:e[-+]?\d{1,3})?%?)(?![\w])"
)
_SPELT = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|"
    r"sixty|seventy|eighty|ninety|a|half a|several)"
)
#: Money in words: `four grand`, `thirty-one hundred dollars`, `two and a half million`.
_MONEY_WORDS = re.compile(
    rf"(?i)\b{_SPELT}(?:[\s-](?:and[\s-](?:a[\s-])?half|hundred|{_SPELT})){{0,6}}(?:[\s-](?:grand|hundred|"
    rf"thousand|million|billion|bucks|quid|k|lots|contracts|coins|dollars|euros|pounds))"
    rf"(?:[\s-](?:thousand|million|billion|and[\s-]a[\s-]half)){{0,3}}\b"
)
#: Informal units of money, mostly used for one's own money.
_INFORMAL = re.compile(r"(?i)(?:grand|bucks|quid|k)$")
_SIGN = re.compile(r"[\w.\]) ](?:>=|<=|==|[><≥≤])\s{0,2}$")
_EFFECT = re.compile(r"(?i)\bby\s(?:about\s|around\s)?$")
#: A name before its value: `pnl_today = `, `"qty": `.
_FIELD = re.compile(r"(?P<name>[A-Za-z][\w.]{0,63})[\"']?\s?(?:[:=]|:=)\s?[\"']?$")
_RULE = re.compile(r"=>|→|->|\baction\s(?:is|=)|[\w.\]) ](?:>=|<=|[><≥≤])\s?[-+−]?\d")
#: Orders to the reader, and conditions of rules.
_ORDER = re.compile(
    r"^\W{0,3}(?:only |never |always |do not |don't |please |then |and |better to )?"
    r"(?:enter|exit|buy|sell|short|long|wait|keep|hold|stop|"
    r"skip|cut|close|open(?!\s(?:points?|questions?|issues?|items?|matters?|tasks?)\b)|take|took|size|sized|scale|rebalance|rotate|quote|bid|hedge|trade|avoid|reduce|add|bought|sold|lost|made|cleared|"
    r"pulled|won|netted|pocketed|earned|liquidated|gave|paid|risk|cap|limit|deploy|bluff|fold|raise|bet|stake|lower|dropped|ended|"
    r"(?P<condition>when|if|once|unless|with|whenever))\b",
    re.IGNORECASE,
)
#: The end of an activity, which is no order to stop a loss: `stop showing`.
_STOPPED = re.compile(r"(?i)\bstop(?:s|ped)?\s(?!(?:trad|buy|sell|bidd|quot)ing\b)\w{2,20}ing\b")
#: Other people as the subject of a sentence.
_OTHERS = re.compile(
    r"(?:^|[.;:]\s)\W{0,2}(?:(?i:the|a|an|in|on|at|by|for|day|first-class|la|le|el|der|die|das|o|os)\s){0,2}"
    r"(?P<who>(?:(?!(?:The|An|He|She|They|It|This|That|There)\b)[A-Z][\w&'’/.-]{1,40}"
    r"(?:\s(?:of\s(?:the\s)?)?(?:[A-Z0-9&][\w&'’/.-]{0,40}|markets?|traders?|payments?|stamp|"
    r"index|futures|shares|pools|v\d|exchange)){0,6}|exchange|ETF|bond|halving)"
    r"(?:\s[a-z-]{3,14})?)"
    r"(?:['’]s(?:\s[\w/-]+){0,4})?\s(?:\w+ly\s)?"
    r"(?:is|are|was|were|has|had|have|\w{2,14}ed|lost|rose|fell|cuts?|split|halts?|went|hit|made|paid|pays|charges?|costs?|takes?|allows?|"
    r"requires?|liquidates?|deviates?|settles?|trades?|lists|broke|under|over|worth|grew|shrank|bought|lets|gives|began|stood|holds?|owns?|"
    r"held|insures?|come|comes|makes?|needs?|produces?|returns?)\b"
)
_LAST_WORD = re.compile(r"\w+\s$")
#: The parts of a name in code on both sides of a word: `max_position=`, `"size":`.
_PART_OF_NAME, _NAME_GOES_ON = re.compile(r"\w[_.]$"), re.compile(r"[_.]\w|[\"']?\s?[=:]")
#: Forms of a trade: a side of the market at the beginning of an order, a price behind "@", a pair of currencies.
_TRADE = re.compile(
    r"^\W{0,3}(?:[Ww]e\s)?(?:[Ss]hort|[Ll]ong)\s\d|(?<!\w)@\s?\d|"
    r"\b(?:(?:EUR|USD|GBP|JPY|CHF|SEK|NOK|AUD|NZD|CAD|CNH)/?){2}\b"
)
#: Money that was lost or gained: the result of its speaker.
_GAIN = re.compile(
    r"\b(?:lost|netted|gained|pocketed|bled)\s(?:about\s|around\s|some\s)?"
    r"(?:[$€£]\s?\d|\d[\d.,]*\s?k?\s?(?:USD|EUR|GBP|CHF|USDC|USDT|euros?|dollars?|pounds?|francs?)\b)"
)
#: A return on money.
_YIELD = re.compile(
    r"(?i)\breturn(?:s|ed)?\s(?:on\s[\w ]{1,24}\s(?:was|is)\s|of\s|was\s|about\s)?[-+−]?\d[\d.,]*\s?(?:%|percent)"
)
_NEXT_WORD = re.compile(r"\s(?:(?:has|have|had|never|only)\s)?(?P<word>\w+)")
_STOP = re.compile(r"[.!?;]\s")
_DATED = re.compile(r"\b(?:19|20)\d\d\b")
_YEAR = re.compile(r"(?:19|20)\d\d")
_VERSION = re.compile(r"\d+(?:\.\d+){2,}|\bv\d")
#: Text before a year that is a code.
_AS_CODE = re.compile(r"(?i)\b(?:the year|code|pin|to|wants|takes|needs)\s$|[:=]\s$")
_COINS = frozenset("€£$¥")
_PERCENT = re.compile(r"(?i)\s?(?:%|per ?cent\b|prozent\b)")
#: Continuations of a number: dates, ranges, times, coordinates.
_CONTINUED = re.compile(r"[-:/–]\w|\s?[º°]\d")
#: The rest of a time of the day: `3 am`, `11 o'clock`.
_CLOCK = re.compile(r"(?i)\s?(?:am|pm|a\.m\.|p\.m\.|o['’]clock|uhr)(?![^\W_])")
#: The start of a time of the day in words: `half 5`, `quarter to 7`.
_PART_OF_HOUR = re.compile(r"(?i)\b(?:half|quarter|(?:five|ten|twenty|\d\d?)(?: minutes)?)(?: past| to)?\s$")
#: A number of hours, and the hours of a time after the words for its minutes.
_HOUR = re.compile(r"1?\d")
#: The start of a distance in thousands of metres: `I ran 3k`.
_COVERED = re.compile(
    r"(?i)\b(?:ran|run|runs|running|jog\w*|walk\w*|swam|swim\w*|cycl\w*|row(?:ed|ing)|rac(?:ed|ing)|parkrun)\b"
    r"[^.;\d]{0,16}$"
)
#: The hours of a place or a shift: `fri 8.30-18.00`.
_HOURS = re.compile(r"(?:[01]?\d|2[0-4])\.[0-5]\d")
_UNTIL = re.compile(r"\s?(?:[-–]|to|till|until|bis)\s?(?:[01]?\d|2[0-4])(?:[.:][0-5]\d)?(?![\w%]|[.,]\d)")
_OUT_OF = re.compile(r"\s(?:of|out of|by|for|to|in)\s\d")
_VERSION_PART = re.compile(r"\d{1,3}\.\d{1,3}")
#: Amounts too large to be personal.
_LARGE = re.compile(r"(?i)\s?(?:bn|billions?|trillions?|milliarden?|mrd)\b")
#: Maximum number of digits of a small number, and of a short one.
_SMALL, _SHORT = 2, 3
#: Kinds of whole numbers by number of digits.
_SIZES = ("small", "small", "short", "plain")
#: The next numbers of a list, as in `2, 4 and 8 seconds`.
_LISTED = re.compile(r"(?:\s?(?:%?,|%?\sand|%?\sor|%?\sto|und|et|y|e|–|by)\s[$€£]?\d[\d.,]{0,12}){1,6}")
_GROUPED = re.compile(r"\d[.,'’\s]\d{3}(?!\d)")
_FRACTION = re.compile(r"0[.,]\d+")
#: Plural after a number.
_PLURAL = re.compile(
    r"\s(?:[a-z]{3,}s|people|children|men|women)\b(?!\s(?:the|a|an|it|its|for|when|if|on)\b)"
)
_THOUSANDS = re.compile(r"(?i)(?:\d\s?[km]|hundred|thousand|million)$")
_MOVED = re.compile(r"(?i)\b(?:up|down|ahead|behind)\s(?:by\s|about\s|some\s)?$")
_MOVES = re.compile(r"(?i)\s?(?:percent\s)?(?:up|down|ahead|behind)\b")
_THING = re.compile(r"\s(?=[^\W\d_]{3,}|[^\W\d_]{2,}\s)(?P<word>[^\W\d_]+)")
#: Mid-sentence, a name or an acronym directly before a number: `Volvo 240`, `RAL 7016`.
_NAMED = re.compile(r"(?:\w,?\s|^)(?P<name>[A-ZÀ-ÞА-Я][\w-]*)\s$")
_ACRONYM = re.compile(r"(?<![\w-])[A-Z]{2,5}[\s-]$")
#: The stop of a shortened word before a number: `ext. 0171`.
_SHORTENED = re.compile(r"(?<=[a-z])\.\s?$")
#: A status code of HTTP (RFC 9110, section 15), and the words before one.
_STATUS = re.compile(r"[45]\d\d")
_FAILED = re.compile(
    r"(?i)\b(?:http|status|errors?|return(?:s|ed)|fail(?:s|ed|ing)|answer(?:s|ed))\b[^.;\d]{0,12}$"
)
#: Cues in the word directly before a number that make it more than a name.
_OF_OWN = ("lock", "code", "id", "tuned", "own", "held", "made", "password")
_CUES = ("first", "own", "made", "held", "tuned", "then", "world", "price", "software", "diagnostic")
#: Features that alone say what a number means; its form is no evidence that it is private.
_EVIDENCE = frozenset(
    {"own", "held", "tuned", "rule", "lock", "near", "private_field"}
    | {"sign", "entered", "signed_percent", "signed_amount", "signed_decimal"}
)
#: The same in a sentence of trade alone: an office has orders, and prices that rise by an amount.
_EVIDENCE_OF_TRADE = frozenset({"commanded", "moved", "effect", "informal"})
#: Features that ordinary talk has one by one, as "we" and "10 euro"; two of them are evidence where something was
#: gained or traded.
_WEAK = frozenset(
    {
        "first",
        "made",
        "money",
        "then",
        "market",
        "percent",
        "scale",
        "amount",
        "signed_money",
        "moved",
        "informal",
    }
)
_GAINED = frozenset({"traded", "made", "moved"})
#: Verbs of typing or choosing before a number, as of a code without a word for one: `press 41905`.
_ENTERED = re.compile(
    r"(?i)\b(?:press|type|typed|enter|punch(?: in)?|key in|chang\w+ (?:it|this|that) to|use \w+ \w+ with|"
    r"use (?:the|my|our|her|his) \w+ with|"
    r"composer|composez|tippe|drücke|tasto(?: \w+)?|digita|marca|pulsa|toets|wciśnij)\s$"
)
#: Verbs of machines that want a code, and of people who want money.
_WANTED = re.compile(r"(?i)\b(?:accepts|asks(?: for)?|asked|wants|picked|used to be)\s$")
#: Words behind an amount that is charged: `780 a year`, `520 for four`.
_RATE = re.compile(
    r"(?i)\s(?:a|an|per|each|every)\s?(?:hour|day|night|week|month|quarter|year|head|person|piece|visit|session|word)s?\b|"
    r"\s(?:each|net|gross|warm|cold|kalt|brutto|netto)\b"
)
_CHARGED_FOR = re.compile(r"(?i)\s(?:for|back|more|plus|in cash)\b")
#: Verbs before the reading of a meter.
_READING = re.compile(r"(?i)\b(?:reads?|readings?(?: is| was)?|shows?|showed|stands? at|stood at|it was)\s$")
_PANEL = re.compile(r"(?i)\s(?:on|into|at) the (?:panel|pad|keypad|dial|buttons|screen|lock)\b")
_PINNED = re.compile(r"\w(?:==|~=)\d{1,4}\.\d")
#: The start value of a generator of random numbers.
_RANDOM = re.compile(r"(?i)(?:seeds?|random_state|rng|shuffle)[\"']?\s?(?:[=:(]|:=|of|is|was|to|value)?\s?$")
#: The versions that a package requires: `polars>=1.0,<2`, `torch == 2.4.0`.
_REQUIREMENT = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z][\w.\[\]-]{0,63})\s?(?:(?:[=~!<>]=|===|[<>~^])\s?v?\d{1,4}(?:\.(?:\d{1,4}|\*)){0,3}(?![\w%]|\.\d)(?:,\s?)?){1,3}"
)


def figures(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Finds the private numbers in a sentence: start, end, kind and replacement (or none) of each."""
    has_figure = any(character.isdigit() for character in text)
    if not has_figure and not _MONEY_WORDS.search(text):
        return
    text = (
        _REQUIREMENT.sub(_without_requirement, text)
        if cue("requirement").search(text) or _PINNED.search(text)
        else text
    )
    about = sentence_cues(text)
    for match in _CONDITION.finditer(text):
        above = match["sign"] in {">", ">=", "≥"}
        yield match.end("name"), match.end("number"), "parameter", f" is {'high' if above else 'low'}"
    for match in _MONEY_WORDS.finditer(text):
        if _counts_thousands(match[0], text[match.end() : match.end() + BESIDE]):
            continue
        noticed = about | {"money"} | _adjacent_cues(*_surroundings(text, match), about)
        noticed |= {"informal"} if _INFORMAL.search(match[0]) else set()
        if score(noticed) > 0:
            yield *match.span(), "holding", ""
    for match, noticed in figures_with_cues(text, about):
        if score(noticed) > 0:
            own = not noticed.isdisjoint({"own", "made", "money"})
            kind = "secret" if "lock" in noticed else "holding" if own else "parameter"
            yield match.start(), match.end(), kind, ""


def score(noticed: set[str]) -> float:
    """Sums the weights of features; above zero is private."""
    known = weights()
    is_told = (
        not noticed.isdisjoint(_EVIDENCE)
        or ("traded" in noticed and not noticed.isdisjoint(_EVIDENCE_OF_TRADE))
        or (len(noticed & _WEAK) > 1 and not noticed.isdisjoint(_GAINED))
    )
    return fsum(known.get(each, 0.0) for each in noticed) if is_told else -1.0


def _counts_thousands(number: str, behind: str) -> bool:
    """Whether thousands count things that are neither money nor traded: `four thousand players`, `9k wishlists`."""
    is_traded = after("money").match(behind) or after("market").match(behind)
    return bool(_THOUSANDS.search(number) and _PLURAL.match(behind) and not is_traded)


def _without_requirement(match: re.Match[str]) -> str:
    """Replaces the version that a package requires, and no condition on a value that a strategy watches."""
    is_watched = any(cue(name).search(match["name"]) for name in ("tuned", "own", "held", "price"))
    return match[0] if is_watched or is_private(match["name"]) else "_" * len(match[0])


def sentence_cues(text: str) -> set[str]:
    """Returns the cues of a sentence, its numbers aside."""
    plain = _STOPPED.sub(" ", cue("misleading").sub(" ", text))
    bare = _without_everyday(plain)
    is_traded = _is_traded(plain, bare) or _has_goods(text)
    found = {"traded"} if is_traded else set()
    is_public = cue("public_code").search(plain)
    if not is_public and (cue("lock").search(plain) or cue("code").search(plain)):
        found.add("lock")
    plain = plain if is_traded else bare
    found |= {name for name in _CUES if cue(name).search(plain)}
    if order := _ORDER.search(plain):
        # A condition is one of any trade; the words beside it tell whether it is a rule of an own strategy.
        found |= {"order"} if order["condition"] else {"order", "commanded"}
    # The arrow between two numbers is a change; in a sentence of trade the parameter itself may be what changed.
    ruled = plain if is_traded else changes.without(plain)
    found |= {"rule"} if _RULE.search(ruled) else set()
    found |= {"version"} if _VERSION.search(plain) else set()
    found |= {"dated"} if _DATED.search(plain) else set()
    others = None if found & {"first", "order"} else _OTHERS.search(plain)
    if others and not any(cue(name).search(others["who"]) for name in ("own", "held", "tuned")):
        found.add("others")
    if "others" not in found and any(
        (verb := _NEXT_WORD.match(plain, party.end())) and cue("made").fullmatch(verb["word"])
        for party in cue("party").finditer(plain)
    ):
        found.add("others")
    return found


def _is_traded(text: str, bare: str) -> bool:
    """Whether a sentence has a sign of trade or of own wealth that no ordinary business has.

    Args:
        text: Sentence.
        bare: The same without the words of trade that an office uses too.
    """
    if cue("trade").search(text) or any_cue("own", "held", "tuned").search(bare):
        return True
    if _YIELD.search(text) or _TRADE.search(text) or _GAIN.search(text):
        return True
    # An order or a condition with two words of a strategy: "if gas is over 48 skip the entry".
    return bool(_ORDER.search(text)) and len({word[0].lower() for word in cue("tuned").finditer(text)}) > 1


def _has_goods(text: str) -> bool:
    """Whether a number of a sentence counts traded goods."""
    return any(
        after("market").match(text, figure.end())
        or (figure["unit"] and after("market").fullmatch(figure["unit"]))
        for figure in _FIGURE.finditer(text)
        if not changes.is_multiple(figure["unit"], *_surroundings(text, figure))
    )


def _without_everyday(text: str) -> str:
    """Blanks the words of trade that an office uses too, other than those behind a possessive of the first person."""

    def kept(match: re.Match[str]) -> str:
        ahead = text[max(match.start() - BESIDE, 0) : match.start()]
        # With at most one word between, as in "my monthly rent".
        is_mine = before("mine").search(ahead) or before("mine").search(_LAST_WORD.sub("", ahead))
        is_named = _PART_OF_NAME.search(ahead) or _NAME_GOES_ON.match(text, match.end())
        return match[0] if is_mine or is_named else " " * len(match[0])

    return cue("everyday").sub(kept, text)


def figures_with_cues(text: str, about: set[str]) -> list[tuple[re.Match[str], set[str]]]:
    """Returns every number of a sentence with its features, among them the units of the others."""
    found = [(match, notice(text, match, about)) for match in _FIGURE.finditer(text)]
    units = {unit for _, noticed in found for unit in noticed & {"market", "measure"}}
    for _, noticed in found:
        if "measure" in noticed:
            noticed.update({"beside_market"} if "market" in units else ())
        elif not noticed.isdisjoint({"decimal", "small", "short"}):
            noticed.update(f"beside_{unit}" for unit in units)
    return found


def notice(text: str, match: re.Match[str], about: set[str]) -> set[str]:
    """Returns the features of a number; none for a name or a date."""
    ahead, behind = _surroundings(text, match)
    is_multiple = "traded" not in about and changes.is_multiple(match["unit"], ahead, behind)
    kind = "measure" if is_multiple else _kind(match, ahead, behind, about)
    if not kind:
        return set()
    found = about | {kind} | _adjacent_cues(ahead, behind, about)
    is_charged = _is_charged(match, ahead, behind)
    if _WANTED.search(ahead) and kind == "plain" and not is_charged:
        found.add("entered")
    if is_charged or is_reading(text, match.start()):
        found.discard("lock")
    if pots.is_sum(text, ahead, behind):
        # Savings of a household are no trade, and a bike is no lock.
        return {kind}
    # Between -1 and 1 the sign is that of a score or a correlation as often as that of a loss.
    if kind == "scale" and _is_of_other_sentence(text[: match.start()]):
        found.discard("first")
    if (match["sign"] or match["minus"]) and not _FRACTION.fullmatch(match["number"]):
        found.add(f"signed_{kind}")
    return found if kind in {"plain", "short"} else found - {"lock"}


def _is_charged(match: re.Match[str], ahead: str, behind: str) -> bool:
    """Whether a number is an amount that is charged or paid, by the words beside it."""
    if before("charged").search(ahead) or _RATE.match(behind):
        return True
    is_short = len(match["number"]) <= _SHORT
    return bool(is_short and _WANTED.search(ahead) and _CHARGED_FOR.match(behind))


def is_reading(text: str, start: int) -> bool:
    """Whether the number at a place is the reading of a meter, in a text without a word for a code."""
    if not _READING.search(text[max(start - BESIDE, 0) : start]) or not cue("meter").search(text):
        return False
    return not any_cue("password", "code", "key", "seed").search(text)


def _is_of_other_sentence(ahead: str) -> bool:
    """Whether a stop separates the words of the first person from what follows, as in `my mistake. 17k`."""
    ends = [match.end() for match in cue("first").finditer(ahead)]
    return bool(ends) and _STOP.search(ahead, ends[-1]) is not None


def _surroundings(text: str, match: re.Match[str]) -> tuple[str, str]:
    return text[max(match.start() - BESIDE, 0) : match.start()], text[match.end() : match.end() + BESIDE]


def _adjacent_cues(ahead: str, behind: str, about: set[str]) -> set[str]:
    """Returns the cues beside a number."""
    found = set()
    field = _FIELD.search(ahead)
    if field:
        found.add(
            "private_field" if is_private(field["name"]) else "field" if "_" in field["name"] else "colon"
        )
    if _SIGN.search(ahead):
        found.add("sign")
    if _EFFECT.search(ahead):
        found.add("effect")
    if _ENTERED.search(ahead) or _PANEL.match(behind):
        found.add("entered")
    if _MOVED.search(ahead) or _MOVES.match(behind):
        found.add("moved")
    if _LARGE.match(behind):
        found.add("large")
    if "world" not in about and any(
        cue(name).search(ahead) for name in ("own", "held", "tuned") if name in about
    ):
        found.add("near")
    return found


def _kind(match: re.Match[str], ahead: str, behind: str, about: set[str]) -> str:
    """Classifies a number by its form and its unit; empty for names, dates and versions."""
    number, unit = match["number"], (match["unit"] or "").strip()
    listed = _LISTED.match(behind)
    beyond = behind[listed.end() :] if listed else behind
    has_coin = match["coin"] or unit in _COINS or after("money").match(beyond if not unit else behind)
    if has_coin or after("money").match(behind):
        return "money"
    if _YEAR.fullmatch(number) and "lock" in about and _AS_CODE.search(ahead):
        return "plain"
    if _only_names(match, ahead, behind, about):
        return ""
    if unit and _counts_thousands(match[0], behind):
        kind = "count"
    else:
        kind = (
            "measure" if unit in {"k", "K"} and _COVERED.search(ahead) else _unit_kind(unit, behind, beyond)
        )
    if kind or (unit and unit != "×"):
        return kind
    is_code = number.isdigit() and "lock" in about and len(number) > _SMALL
    is_whole = number.isdigit() or _GROUPED.search(number)
    is_counted = counts(number, beyond) and is_whole and not (is_code and not _PLURAL.match(beyond))
    if is_counted or (number.isdigit() and len(number) <= _SHORT and _OUT_OF.match(behind)):
        return "count"
    size = _SIZES[min(len(number), len(_SIZES)) - 1]
    return size if number.isdigit() else "amount" if _GROUPED.search(number) else "decimal"


def _only_names(match: re.Match[str], ahead: str, behind: str, about: set[str]) -> bool:
    """Whether a number is part of a date, a time, a range, a version or a label."""
    number = match["number"]
    is_day = number.isdigit() and len(number) <= _SMALL
    return bool(
        _YEAR.fullmatch(number)
        or (number.isdigit() and _CONTINUED.match(behind))
        or (_VERSION.fullmatch(number) and not re.fullmatch(r"\d{1,3}(?:\.\d{3})+", number))
        or ("version" in about and _VERSION_PART.fullmatch(number) and not match["unit"])
        or (
            is_day
            and (
                after("month").match(behind)
                or (ahead[-2:].strip()[-1:].isalpha() and before("month").search(ahead))
            )
        )
        or (is_day and _CLOCK.match(behind))
        or (not match["unit"] and _HOUR.fullmatch(number) and _PART_OF_HOUR.search(ahead))
        or (_HOURS.fullmatch(number) and _UNTIL.match(behind) and cue("hours").search(ahead))
        or (number.isdigit() and _RANDOM.search(ahead))
        or (not match["unit"] and is_label(number, ahead, about))
    )


def _unit_kind(unit: str, behind: str, beyond: str) -> str:
    """Returns the kind of a unit, attached to the number or after it."""
    if unit == "%" or _PERCENT.match(beyond):
        return "percent"
    if unit in {"k", "K", "m", "M", "b", "B"}:
        return "scale"
    if unit == "×" or (not unit and after("market").match(beyond)):
        return "market"
    if unit:
        return next((kind for kind in ("market", "scale", "measure") if after(kind).fullmatch(unit)), "")
    if _LARGE.match(behind) or after("scale").match(behind):
        return "scale"
    return "measure" if after("measure").match(beyond) or re.match(r"\s?°", beyond) else ""


def counts(number: str, behind: str) -> bool:
    """Whether a number counts the noun that follows it."""
    return bool(_THING.match(behind)) and not after("function").match(behind) and len(number) < 16


def is_label(number: str, ahead: str, about: set[str]) -> bool:
    """Whether the text directly before a number makes it a name or an ordinal."""
    if _SHORTENED.search(ahead) and before("shortened").search(_SHORTENED.sub(" ", ahead)):
        return True
    if not ahead.rstrip(" #-")[-1:].isalpha():
        return False
    if "lock" not in about and _STATUS.fullmatch(number) and _FAILED.search(ahead):
        return True
    if before("label").search(ahead):
        least = 3 if re.search(r"(?i)\b(?:pin|key|code)\W{1,2}$", ahead) else 4
        return (
            "lock" not in about
            or len(number) < least
            or not re.search(r"(?i)\b(?:pin|key|code|number|no|nr)\W{1,2}$", ahead)
        )
    named = _NAMED.search(ahead)
    if _ACRONYM.search(ahead) or (named and named.start() > 0 and "-" not in named["name"]):
        word = ahead.rsplit(maxsplit=1)[-1]
        is_own = any_cue(*_OF_OWN).search(word)
        return (
            not is_own
            and not before("money").search(ahead)
            and not before("market").search(ahead)
            and not before("month").search(ahead)
        )
    return False
