"""Words that begin a remark about a secret, and no value of one."""

from __future__ import annotations

import re

#: A function word, which is no value of an option.
FUNCTION = re.compile(
    r"(?i)^(?:for|in|into|on|at|to|from|with|without|within|of|by|via|under|over|behind|beside|between|against|through|during|about|until|till|since|but|and|or|because|when|while|if|as|before|after|is|was|has|"
    r"please|every|each|once|twice|again|today|yesterday|tomorrow|tonight|now|soon|always|never|last|next|per|this|that|too|"
    r"again|only|than|it|we|you|they|he|she|i)$"
)
#: A first word that begins a remark about a secret, which names no value.
PREDICATE = re.compile(
    r"(?i)^(?:not|no|none|null|nil|never|now|still|too|very|also|only|always|required|wrong|weak|strong|short|long|longer|missing|"
    r"empty|stored|kept|in|on|at|for|from|by|the|a|an|my|your|our|his|her|its|their|what|that|this|where|when|and|or|but|with|"
    r"without|if|as|is|are|was|were|be|been|to|of|must|can|should|rotated|changed|reset|hashed|public|secret|safe|unsafe|invalid|valid|"
    r"optional|asked|sent|shared|written|under|patience|printed|es|la|le|el|los|las|der|die|das|den|ein|eine|nicht|un|une|o|os|"
    r"uma|um|nie|не|на|в|ya|bir|drawer|policy|policies|manager|managers|field|prompt|ne|se|"
    r"immer|immernoch|noch|weiterhin|jetzt|toujours|maintenant|sigue|todavía|ancora|ainda|nog|nu|incorrect|identical|plaintext|mine|yours|default|enough|temporary|permanent|insecure|secure|everywhere|pending|"
    r"different|long|easy|hard|simple|fine|ok|okay|good|bad|private|blank|unique|visible|shown|here|there|active|mandatory|needed|off|over|all|both|more|less|about|like|just|currently|between|case-sensitive|burnt|lost|gone|known|unknown|stolen|broken|due|held|hidden|forgotten|taken|given|set|stuck|see|ask|up|out|"
    r"\w+ed|\w+ly|\w+ing)$"
)
