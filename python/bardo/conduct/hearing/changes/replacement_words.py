"""Words by which a statement replaces another one: cues, retractions, bounds, units."""

from __future__ import annotations

from collections.abc import Mapping

from bardo._patterns import lazy_pattern
from bardo.consolidate.texts.vocabulary import PAST_IRREGULAR

_DAY = (
    r"(?:today|tonight|tomorrow|now on|now|here on|(?:next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|next (?:week|"
    r"month|year)|(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2})"
)
#: Time from which a statement holds, which limits it to no case.
STARTING = lazy_pattern(
    rf"\b(?:from|as of|as from|starting|beginning|effective|since) {_DAY}(?: onwards?| on)?\b"
)
#: Words that announce a change.
CUE = lazy_pattern(
    r"\b(?:correction|change of plans?|update|changed|no longer|instead|rather than|any ?more|any longer|from now on|"
    r"after all|for\sgood|now|new|henceforth|going forward|"
    rf"(?:from|as of|as from|starting|beginning|effective) {_DAY})\b"
)
#: Part that only announces a change.
CUE_ALONE = lazy_pattern(
    r"(?:(?:small |quick |one |a )?(?:correction|change|update|news)(?: of plans?)?|new plan|sorry|please|ok|okay|"
    r"right|hi|hello|well|so|listen|attention|henceforth|going forward|in future|i've decided|we've decided|decision|"
    r"i changed my mind|i've changed my mind|rule|decided|new rule|actually|no|nope|wait|hmm+|oh|on second thoughts?|"
    r"scratch that|come to think of it|thinking about it|never mind)"
)
#: Words that announce an order, not only a reading: "it is now at 86 percent" is one.
ANNOUNCING = lazy_pattern(
    r"\b(?:correction|change of plans?|from now on|henceforth|going forward|from today|as of today|from tomorrow)\b"
)
#: Words of a limit: its figure is none of what is held.
LIMITING = lazy_pattern(
    r"\b(?:limit(?:s|ed)?|cap(?:s|ped)?|ceiling|max(?:imum)?|min(?:imum)?|threshold|quota|target|setpoint|deadline|"
    r"at most|at least|(?:no|not|never) (?:\w+ )?(?:more|less|above|over|below))\b"
)
#: Verbs that tell a change by themselves, also in the past.
CHANGING = lazy_pattern(
    r"\b(?:goes|go|going|went over|moves?|moved|moving|switch(?:es|ed|ing)?|chang(?:e|es|ed|ing)|migrat(?:e|es|ed|ing)|"
    r"replac(?:e|es|ed|ing)|becomes?|rais(?:e|es|ed)|lower(?:s|ed)?|cut(?:s)?|drop|increas(?:e|es|ed)|"
    r"reduc(?:e|es|ed)|extend(?:s|ed)?|shorten(?:s|ed)?)\b"
)
#: Forms of an order: a modal verb, an imperative, or a value that is set.
DIRECTING = lazy_pattern(
    r"^(?:(?:please|and|so|now|then|always|just|only) )*(?:hold|keep|set|make|run|put|bring|take|leave|use|turn|feed|"
    r"store|ship|send|order|ventilate|air|heat|cool|maintain|limit|cap|charge|pay|wait|allow|give|wash|water|clean|"
    r"stack|pile|bake|mix|check|retry|start|stop|open|close|lock|save|back|rotate|review|serve|sell|buy)\b|"
    r"\b(?:must|shall|should|ha(?:s|ve) to|needs? to|(?:is|are) to|may|can|ha(?:s|ve) until|never|always)\b|"
    r"\b(?:goes|go|moves?|changes?|switch(?:es)?) (?:back |down |up )?to\b|\b(?:becomes|gets)\b|"
    r"\b(?:we|let's) (?:hold|keep|set|run|put|use|lower|raise|cut|make|take|limit|cap|ship|serve|feed)\b|"
    r"\b(?:limit|target|maximum|minimum|max|min|deadline|threshold|setpoint|cap|quota)\b(?: [\w-]+){0,5} (?:is|are)\b"
)
#: Words of questions, guesses, conditions, reports of others, readings and additions, which replace nothing.
OPEN = lazy_pattern(
    r"[\"“”«»]|\b(?:if|when|whenever|while|unless|except|in case|maybe|perhaps|might|could|would|wonder|suppose|"
    r"imagine|says?|said|thinks?|thought|told|reads?|asked|suggest\w*|propos\w*|hope\w*|wish\w*|guess|likely|probably|"
    r"temporarily|for the time being|for now|just this once|this once|today only|only today|tonight|yesterday|ago|"
    r"last (?:night|week|month|year|time|spring|summer|autumn|winter|\w+day)|this (?:week|weekend|morning|afternoon|"
    r"evening|month)|also|too(?! (?:\w+))|as well|additionally|besides|another|extra|during|used to|remember|"
    r"(?:until|till|for)(?: the)? (?:next )?(?:\w+day|week\w*|month\w*|end|then|tomorrow|further))\b"
)
_END = r"(?=,|;|$|[.!](?:\s|$)| (?:in|on|at|for|because|since|as|from) |\bany ?more\b|\bany longer\b| from now| now\b)"
_LEAD = r"(?:(?:at|on|to|with|by|in|via|from|the|our|only|use|using) )*"
#: Parts that take back what held: "no longer 91", "instead of DHL", "the 18:00 limit is gone".
RETRACTED = (
    lazy_pattern(r"\bfrom (?P<old>\d[\d.,:]*(?: ?[%°a-z]+)?) (?:down |up )?(?=to\b)"),
    lazy_pattern(
        rf"\b(?:no longer|instead of|rather than|in place of|in lieu of|away from|,? and not|(?<=, )not|not"
        rf"(?= [^,;.]{{1,40}} any ?(?:more|longer))) {_LEAD}(?P<old>[^,;]{{1,60}}?){_END}(?: ?any ?(?:more|longer))?"
    ),
    lazy_pattern(
        r"(?:(?<=, )|(?<=; )|(?<=\. )|(?<=- )|(?<=because )|(?<=since )|(?<=as )|(?<=and ))(?:and )?(?:the |our )?"
        r"(?P<old>[^,;]{1,40}?) (?:is|are|was|were|has been|have been|proved) (?:gone|over|history|dropped|cancelled|"
        r"canceled|discontinued|sold out|finished|done|obsolete|off|wrong|a mistake|out of (?:stock|the question|date)|"
        r"too \w+|not \w+ enough|no longer \w+)(?: for (?:good|us))?(?: now)?"
    ),
)
#: Bounds of a figure by their kind.
BOUNDS = (
    (
        "lower",
        lazy_pattern(
            r"\b(?:at least|no less than|not less than|not before|not below|min(?:imum)?|above|over|after|more than|"
            r"no earlier than)\b"
        ),
    ),
    (
        "upper",
        lazy_pattern(
            r"\b(?:at most|no more than|not more than|up to|no later than|max(?:imum)?|below|under|by(?= \d)|until|"
            r"till|before|less than|within|at the latest)\b"
        ),
    ),
)
#: Prepositions of a place or a means, after which a value stands.
PLACING = frozenset({"on", "in", "with", "at", "via", "by", "from", "to", "through"})
#: Units by their written forms; each names its kind.
UNITS: Mapping[str, str] = {
    form: kind
    for kind, forms in {
        "percent": "% percent pct", "degree": "° °c °f degrees degree celsius fahrenheit c", "euro": "€ euro euros eur",
        "dollar": "$ dollar dollars usd", "pound": "£ pounds gbp", "day": "day days", "hour": "hour hours h",
        "minute": "minute minutes min mins", "second": "second seconds s sec secs", "week": "week weeks",
        "month": "month months", "gram": "g gram grams", "kilo": "kg kilo kilos kilogram kilograms",
        "litre": "l litre litres liter liters", "metre": "m metre metres meter meters", "centimetre": "cm",
        "millimetre": "mm", "millisecond": "ms", "megabyte": "mb", "gigabyte": "gb", "bar": "bar",
        "volt": "v volt volts", "times": "times time", "clock": "o'clock am pm", "knot": "knots",
    }.items()
    for form in forms.split()
}  # fmt: skip
#: Signs of currencies before a figure.
CURRENCIES = frozenset("€$£")
#: Numbers in words.
NUMBERS: Mapping[str, str] = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip
#: Stems of quantities that a figure measures.
QUANTITIES = frozenset(
    {"humid", "temperatur", "pressur", "salin", "speed", "weight", "oxygen", "moistur", "voltag"}
)
#: Words that name neither a thing nor a value: verbs of setting, words of a change, and general nouns.
GENERIC = frozenset({
    "hold", "held", "holds", "keep", "kept", "keeps", "stay", "stays", "set", "sets", "make", "made", "run", "runs",
    "go", "goes", "going", "went", "be", "been", "put", "puts", "bring", "take", "takes", "leave", "use", "uses",
    "using", "used", "move", "moves", "moved", "moving", "switch", "switches", "switched", "change", "changes",
    "changed", "raise", "raised", "lower", "lowered", "cut", "drop", "increase", "increased", "reduce", "reduced",
    "maintain", "maintained", "must", "shall", "should", "may", "always", "never", "have", "has", "need", "needs",
    "now", "instead", "new", "longer", "anymore", "more", "please", "exactly", "around", "about", "roughly", "limit",
    "limits", "target", "value", "level", "figure", "setpoint", "maximum", "minimum", "plan", "correction", "update",
    "back", "down", "up", "good", "rule", "decided", "decide", "decision", "become", "becomes", "gets", "actually",
    "only", "just", "migrate", "migrated", "replace", "replaced", "not", "all", "allowed", "time", "times", "extended",
    "extend", "shorten", "shortened", "everyone", "rather", "onwards", "henceforth", "and", "or", "latest",
})  # fmt: skip
_ACT = lazy_pattern(r"\b(?:we|i|he|she|they)(?: (?:all|both|just|already|\w+ly))* (?P<verb>[a-z]+)\b")
_MEASURED = lazy_pattern(r"\b(?:was|were|had been|dropped|fell|rose|climbed|reached|hit|measured|showed?)\b")
#: Verbs of a choice, which hold in the past.
_CHOOSING = frozenset({
    "decided", "agreed", "settled", "chose", "picked", "opted", "voted", "had", "put", "set", "cut", "let",
})  # fmt: skip


def tells_past(main: str) -> bool:
    """Whether a clause reports an act or a reading of the past, and no choice."""
    verbs = [found["verb"] for found in _ACT.finditer(main)]
    is_act = any(
        verb not in _CHOOSING and (verb in PAST_IRREGULAR or (verb.endswith("ed") and len(verb) > 4))
        for verb in verbs
    )
    return is_act or _MEASURED.search(main) is not None
