"""Observations of tool calls, which earlier releases made: an edited file, a failed command. Shown
in a line a day.
"""

import re
from collections.abc import Sequence

#: Such an observation: `[Edit src/a.py]`, `[Bash failed: npm test]`.
_DEED = re.compile(r"\[[\w.:-]{1,60} (?:failed: (?P<failed>.{1,400})|(?P<path>\S{1,200}))\]$")
#: Of so many days the deeds are shown, so many a day.
SHOWN_DAYS = 2
_SHOWN = 4


def is_deed(text: str) -> bool:
    """Say whether an observation is of a tool call."""
    return text.startswith("[") and _DEED.match(text) is not None


def summed_up(texts: Sequence[str]) -> str:
    """Return the deeds of a day in one line: `[edited: a.py, b.py, 3 more; failed: npm test]`."""
    found = [deed for deed in map(_DEED.match, texts) if deed]
    named = (
        ("edited", [deed["path"] for deed in found]),
        ("failed", [deed["failed"] for deed in found]),
    )
    parts = [f"{what}: {_format_deed_names(names)}" for what, names in named if any(names)]
    return f"[{'; '.join(parts)}]"


def _format_deed_names(names: Sequence[str | None]) -> str:
    distinct = list(dict.fromkeys(name for name in names if name))
    more = f", {len(distinct) - _SHOWN} more" if len(distinct) > _SHOWN else ""
    return ", ".join(name.rsplit("/", 1)[-1] for name in distinct[-_SHOWN:]) + more
