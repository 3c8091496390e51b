"""Values of English sentences, and where the right one stands in the place of a wrong one."""

import re
from collections.abc import Sequence

from gieok.character.detect.righted.claims import WHO, DoubtedClaim
from gieok.character.detect.righted.openings import NO_EN
from gieok.character.facts import same_value

LITTLE = (
    r"(?:(?:an?|the|over|out|up|down|got|near|in|on|at|from|to|my|called|for|just|of|with|as|by"
    r"|our)\s+)*"
)

#: Words that are no value, nor part of one.
STOP = (
    r"(?:an?|the|and|but|or|so|because|since|when|if|that|which|who|what|where|this|these|those|it"
    r"|its|it's|i|i'm|im|i've|i'd|i'll|you|your|you're|he|she|they|we|his|her|their|my|mine|our"
    r"|me|us|him|them|is"
    r"|are|was|were|be|been|am|has|have|had|do|does|did|will|would|can|could|should|not|no|never"
    r"|to|of|in|on|at|for|with|from|by|as|than|then|there|here|how|now|too|very|really|just|only"
    r"|still|all|any|some|well|yes|yeah|yep|nope|nah|sorry|wrong|god|gosh|lord|lol|haha+|please"
    r"|thanks|ok|okay|oh|ah|about|going|gonna|sure|glad|fine|afraid|trying|into|off|out|up|one"
    r"|after|before|today|tomorrow|yesterday|getting|being|mean|meant|said|po|na|ko|ako|lang|yung"
    r"|always|love|girl|man|mate|dear|kuya|right|joking|kidding|serious|telling|saying|talking"
    r"|last|week|weeks|year|years|month|day|days|ago|time|told|get|got|make|made|let|keep"
    r"|like|more|much|again|anymore|actually|though|also|even)"
)

VALUE = rf"(?P<right>(?!{STOP}\b)[\w'’-]+(?:\s+(?!{STOP}\b)[\w'’-]+){{0,2}})"

#: Where the right value stands, the likeliest first: said of the user, said to be meant, alone.
_RIGHT = (
    re.compile(rf"\bi (?:meant|said|mean)\s+{LITTLE}{VALUE}", re.IGNORECASE),
    re.compile(
        rf"\b(?:i'?m|i am|i['’]?ve|we['’]re|we are|i was)\s+{LITTLE}(?:(?:taking"
        rf"|studying|doing|working|living|based"
        rf"|playing|learning|drinking|on)\s+)?{LITTLE}{VALUE}",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bi (?:live|work|study|play|teach|drive|take|do|drink|eat|sell|run|make|fix|bake|write"
        rf"|tutor|come|keep)\s+{LITTLE}{VALUE}",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:mine|my \w+)(?:['’]s| is| was)\s+{LITTLE}{VALUE}", re.IGNORECASE),
    re.compile(
        rf"(?:\b(?:it|that)['’]?s|\bit (?:is|was)|'twas|'tis|\b(?:he|she)['’]s)\s+{LITTLE}"
        rf"{VALUE}",
        re.IGNORECASE,
    ),
)

#: The right value opens a sentence, and what follows tells more: "Hibs till I die", "Kano, madam".
LEADS = re.compile(
    r"^\W*(?P<right>(?-i:[A-ZÀ-Þ])[\w'’-]{2,}(?: (?-i:[A-ZÀ-Þ])[\w'’-]+)?)(?=\s*(?:,"
    r"|till\b|until\b|every\b|all\b|any day\b|since\b"
    r"|through\b|born\b))",
    re.IGNORECASE,
)

_FROM_NOW = re.compile(
    rf"{VALUE}(?=\s+(?:from now on|instead|for me now|these days)\b)", re.IGNORECASE
)

ALONE = re.compile(
    rf"^\W*(?:(?:{NO_EN}|oh|ah|ay|it['’]?s|that['’]?s|just)\b\W*)*{LITTLE}{VALUE}\W*"
    r"(?:(?:lol|haha+|now|po|please|actually|dear|girl|man|mate|love|then|so it is)\W*)*$",
    re.IGNORECASE,
)

#: Right behind what is denied: "not W, R"; before it: "R, not W".
BEHIND = re.compile(
    rf"^\W*(?:(?:but|just|rather|it['’]?s|that['’]?s|i['’]?m|i am)\b\s*)*{LITTLE}{VALUE}",
    re.IGNORECASE,
)

BEFORE = re.compile(rf"(?<![\w'’-]){VALUE}(?![\w'’-])", re.IGNORECASE)


def find_value_before(text: str, claim: DoubtedClaim) -> str:
    """Return the last value in a text that is none of a claim's words; '' for none."""
    if not re.search(r"[,;:–-]\s*$", text):
        return ""
    known = {same_value(word) for word in claim.text.split()}
    values = [found["right"] for found in BEFORE.finditer(text)]
    new = [one for one in values if known.isdisjoint(map(same_value, one.split()))]
    return new[-1] if new else ""


def find_right_value(sentences: Sequence[str], wrong: str) -> str:
    """Return the value that sentences give in the place of a wrong one; '' for none."""
    for sentence in sentences:
        if sentence.endswith("?") or re.search(rf"\b{re.escape(wrong)}\b", sentence, re.IGNORECASE):
            continue
        found = [one for pattern in _RIGHT if (one := pattern.search(sentence))]
        found = sorted(found, key=lambda one: one.start()) or [
            one for pattern in (_FROM_NOW, ALONE, LEADS) if (one := pattern.search(sentence))
        ]
        for one in found[:1]:
            right = one["right"]
            if not (WHO.search(right) or re.fullmatch(STOP, right, re.IGNORECASE)):
                return right
    return ""
