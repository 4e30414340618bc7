"""Recognises the numbers of software: ports, versions, thresholds of monitors, and options of commands.

A sentence is about software if it names a part of a system, or holds an option or a field, and if it has no word of
trade, of own money, of locks or of identity documents.
"""

from __future__ import annotations

import re

from bardo.privacy.cues import after, cue

#: Parts of a system and what monitors measure, besides the words of software in `private.toml`.
_SYSTEM = re.compile(
    r"(?i)(?<![^\W_])(?:"
    r"alertmanager|backend|bandwidth|bastion|batteries|battery|broker|cluster|cron|daemon|deployment|"
    r"disk|dns|endpoint|firewall|firmware|gateway|glibc|grafana|health ?check|hostname|humidity|"
    r"ingress|kernel|kubernetes|listener|listen(?=s? on)|liveness|load ?balancer|log ?level|"
    r"microservice|middleware|mqtt|openssl|pod|probe|prometheus|readiness|replica|runner|scheduler|"
    r"socket|subnet|sysctl|systemd|tcp|temperature|tls|udp|uptime|voltage|vpn|webhook"
    r")(?:e?s)?(?![^\W_])"
)
#: An option of a command, or a field that is assigned a number.
_OPTION = re.compile(
    r"(?<![\w-])(?:--[a-z][\w-]{1,63}[= ]|-[A-Za-z] (?=\d))"
    r"|(?<![\w.])(?:[a-z][a-z\d]{0,63}(?:[_.][a-z\d]{1,63}){1,8}|[a-z]{2,63})=(?=\d)"
)
#: A name in the notation of code before its number: `brood_temp 36.5`, `failureThreshold: 5`, `vm.max_map_count to 9`.
_NAMED = re.compile(
    r"(?<![\w.])(?:[a-z][a-z\d]{0,63}(?:[_.][a-z\d]{1,63}){1,8}|[a-z]{2,63}(?:[A-Z][a-z]{1,63}){1,8})"
    r"(?:\s?[:=]|\sto|\sthreshold)?\s(?=\d)"
)
#: Words of an agent's parameters that are words of software, too.
_SHARED = re.compile(
    r"(?i)alert|cap(?:s|ped)?$|cool|cut|drift|parameter|refresh|score|signal|threshold|trigger|window|half$|third$"
)
#: Cues of trade and own money, and those of locks and identities; a sentence with one of these is not judged here.
_TRADE = ("own", "held", "made", "tuned")
_PERSONAL = ("lock", "code", "id", "birth", "password")
_NUMBER = re.compile(r"(?<![\w.,$€£¥₿-])\d[\d.]*(?![\w€£$¥])")
_COMPARED = re.compile(r"(?:>=|<=|==|[><≥≤])\s?$")
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")


def mask(text: str) -> str:
    """Replaces the numbers of a sentence about software by underscores, so that no search for private data finds them.

    Amounts of money and of goods stay, and so do the bounds of a condition.
    """
    if not any(map(str.isdigit, text)) or not (
        cue("software").search(text) or _SYSTEM.search(text) or _OPTION.search(text) or _NAMED.search(text)
    ):
        return text
    # The words of `positionSize` are found beside the whole name.
    plain = cue("misleading").sub(" ", f"{text} {_CAMEL.sub(' ', text)}")
    if any(cue(name).search(plain) for name in _PERSONAL) or _is_trade(plain):
        return text
    return _NUMBER.sub(lambda match: match[0] if _is_amount(text, match) else "_" * len(match[0]), text)


def _is_trade(plain: str) -> bool:
    """Whether a sentence has a word of trade or of money that is not one of software, too."""
    return any(not _SHARED.match(found[0]) for name in _TRADE for found in cue(name).finditer(plain))


def _is_amount(text: str, match: re.Match[str]) -> bool:
    behind = text[match.end() : match.end() + 28]
    return bool(
        _COMPARED.search(text[max(match.start() - 4, 0) : match.start()])
        or any(after(name).match(behind) for name in ("money", "market", "scale"))
    )
