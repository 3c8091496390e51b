"""Questions about what is left to do, which the comments TODO, FIXME, XXX and HACK answer."""

import re
from typing import NamedTuple


class OpenWorkRow(NamedTuple):
    """A way to ask what is left to do, with a question that it matches and one that it does not."""

    pattern: re.Pattern[str]
    example: str
    counter_example: str


#: A plain "todo" is no sign: programs of tasks are full of it.
OPEN_WORK = (
    OpenWorkRow(
        re.compile(r"\b(?:TODO|FIXME|XXX|HACK)s?\b"),
        "list the TODOs of the parser",
        "where is a todo of the user stored",
    ),
    OpenWorkRow(
        re.compile(
            r"\b(?:left|remains|remaining|still|yet|needs?)\s+to\s+(?:be\s+)?"
            r"(?:do|done|finish(?:ed)?|implement(?:ed)?|fix(?:ed)?|improved?)\b",
            re.IGNORECASE,
        ),
        "what is left to do in the parser",
        "how is text from left to right laid out",
    ),
    OpenWorkRow(
        re.compile(
            r"\b(?:unfinished|outstanding|open|remaining)\s+(?:work|issues?|todos?)\b"
            r"|\btech(?:nical)?\s+debt\b",
            re.IGNORECASE,
        ),
        "unfinished work in the scheduler",
        "which workers are open",
    ),
    OpenWorkRow(
        re.compile(
            r"(?:남은|남아\s?있는|못다\s?한|덜\s?된|해야\s?할|아직\s?(?:안|못)\s?(?:한|된))\s?"
            r"(?:일|작업|것|거|부분)(?=[이을은는가들과도]|뭐|\s|\?|$)"
        ),
        "파서에 남은 일이 뭐야",
        "남은 일수는 어디서 계산해",
    ),
)


def find_open_work(question: str) -> str | None:
    """Return the rest of a question about what is left to do; None for any other question."""
    matches = [match for row in OPEN_WORK if (match := row.pattern.search(question))]
    if not matches:
        return None
    first = matches[0]
    return f"{question[: first.start()]} {question[first.end() :]}"
