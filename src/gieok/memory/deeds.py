"""Observations of tool calls (an edited file, a failed command), which earlier releases made.

They are shown in one line a day.
"""

import re
from collections.abc import Sequence

#: Form of such an observation: `[Edit src/a.py]`, `[Bash failed: npm test]`.
_DEED = re.compile(r"\[[\w.:-]{1,60} (?:failed: (?P<failed>.{1,400})|(?P<path>\S{1,200}))\]$")
#: How many days of tool calls are shown, and how many calls of each day.
SHOWN_DAYS = 2
_SHOWN = 4


def is_deed(text: str) -> bool:
    """Say whether the text of an observation is the record of a tool call: `[Edit src/a.py]`."""
    return text.startswith("[") and _DEED.match(text) is not None


def summed_up(texts: Sequence[str]) -> str:
    """Return the tool calls of a day: `[edited: a.py, b.py, 3 more; failed: npm test]`."""
    deeds = [deed for deed in map(_DEED.match, texts) if deed]
    named = (
        ("edited", [deed["path"] for deed in deeds]),
        ("failed", [deed["failed"] for deed in deeds]),
    )
    parts = [f"{what}: {_format_deed_names(names)}" for what, names in named if any(names)]
    return f"[{'; '.join(parts)}]"


def _format_deed_names(names: Sequence[str | None]) -> str:
    distinct = list(dict.fromkeys(name for name in names if name))
    more = f", {len(distinct) - _SHOWN} more" if len(distinct) > _SHOWN else ""
    return ", ".join(name.rsplit("/", 1)[-1] for name in distinct[-_SHOWN:]) + more
