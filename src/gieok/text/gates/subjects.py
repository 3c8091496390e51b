"""What a rule means by *it*: the subject of the reason that stands before it.

"The charts folder is Ines's, ask before you change it" forbids to change the charts folder. The
reason itself is no part of the rule, so the rule is read with the subject in place of the pronoun.
"""

import re

#: A reason that tells something of a subject, and the rule behind it, in English.
_REASON = (
    r"(?ai)^(?P<subject>(?:the |our |my )?[^,;.!?]{2,50}?)(?:'s| is| are| isn't| aren't| belongs?) "
    r"(?P<reason>[^;!?]{2,80}?)(?:\s*[,;–—]\s*(?:so |and )?|[.!] | - | so | and )"
    r"(?P<rule>.*\b(?:ask|check with|tell|never|don'?t|do not|leave|keep|no)\b.*)$"
)
#: What is left to somebody, and the rule behind it: "leave the docs to Ines, ask before …".
_LEFT_TO = (
    r"(?ai)^(?:please |also |and )?leave (?P<subject>(?:the |our |my )?[^,;.!?]{2,50}?) to "
    r"(?P<reason>[^,;.!?]{2,30})(?:\s*[,;–—]\s*(?:so |and )?|[.!] | - | and )"
    r"(?P<rule>.*\b(?:ask|check with|tell|never|don'?t|do not|keep|no)\b.*)$"
)
#: A pronoun that is an object: one behind a comma or a conjunction is what the clause tells of.
_PRONOUN = (
    r"(?ai)(?<![,;:–—] )"
    + "".join(
        rf"(?<!\b{word} )"
        for word in "because since as if when while so but and until unless before after once".split()
    )
    + r"\b(?:it|them|that one)(?= |[.!,]|$)"
)
#: The same in Korean, where the rule needs no pronoun: "charts 폴더는 이네스 거니까 건드리지 마".
_REASON_KO = (
    r"^(?P<subject>\S+(?: \S+)?)[은는] "
    r"(?P<reason>.{1,40}?(?:(?:니까|라서|거든요?)[,.]?|(?:야|예요|이에요|입니다)[,.])) "
    r"(?P<rule>[^은는]*(?:지\s?마|지\s?말|물어|금지|안 돼|안 됩).*)$"
)


def read_with_subject(text: str) -> str | None:
    """Return the rule of a text with the subject of its reason in place of the pronoun.

    None where the text gives no such reason, or where its rule has no pronoun for an object.
    """
    korean = re.match(_REASON_KO, text)
    if korean is not None:
        return f"{korean['subject']} {korean['rule']}"
    english = re.match(_LEFT_TO, text) or re.match(_REASON, text)
    if english is None or not re.search(_PRONOUN, english["rule"]):
        return None
    subject = english["subject"].strip()
    return re.sub(_PRONOUN, lambda _: subject, english["rule"], count=1)
