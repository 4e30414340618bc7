"""Announcements: words before a colon or a dash that are no part of the sentence behind it."""

from __future__ import annotations

import re

#: Beginning of a line that announces the rest of it: "Correction: the deadline is 6 June".
ANNOUNCEMENT = re.compile(
    r"(?:(?:ah|apologies|hm+|my mistake|no|oh|ok(?:ay)?|oops|sorry|wait)[,.!]?\s+)*"
    r"(?:correction,\s+|(?:correction|corrected|update|updated|edit|erratum|note|nb|fyi|reminder|p\.?s\.?)(?:\s*:|\s+[-–—])\s+)(?=\S)|"
    # "First the lay of the land: ..." and "Here's some background: ..." name no subject of what follows.
    r"(?:(?:first(?: of all| off)?|so|ok(?:ay)?|also|next|now|right|here(?:'s| is| are| comes?)|a|an|the|some|one|two|"
    r"few|my|our|your|this is|quick|short|little|brief|bit of|more|general|main|good|big|for|as|to start with|"
    r"by way of),? )*"
    r"(?:lay of the land|background|context|overview|summary|rundown|recap|basics|set-?up|situation|news|heads[ -]?up|"
    r"picture|facts|essentials|state of (?:play|things|affairs)|introduction|intro|starters|information|info|record)"
    r"(?: for you| of things| first| so far)?:\s+(?=\S)",
    re.IGNORECASE,
)
