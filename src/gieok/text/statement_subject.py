"""Subject of a statement: the thing that it begins with, in English and Korean."""

import re

#: Thing that a statement begins with: of one to three words, before a verb of being or having, or
#: before the Korean particle of a topic.
_SUBJECT = re.compile(
    r"(?:the|our|my)\s+(?P<english>[a-z][\w-]*(?:\s+[\w-]+){0,2}?)\s+(?:is|are|was|were|has|have)\b"
    r"|(?P<korean>[가-힣]\w*(?:\s+\w+){0,2}?)[은는]\s",
    re.IGNORECASE,
)
#: Words that stand for a person or a thing, and name none.
_STANDS_FOR_ANOTHER = frozenset(
    "우리 저희 그것 이것 저것 그거 이거 저거 그녀 너희 여기 거기".split()
)


def find_subject(statement: str) -> str:
    """Return the thing that a statement begins with; '' where it begins with none."""
    found = _SUBJECT.match(statement)
    if found is None:
        return ""
    name = found["english"] or found["korean"]
    return name if len(name) > 1 and name not in _STANDS_FOR_ANOTHER else ""
