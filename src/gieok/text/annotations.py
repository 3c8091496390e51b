"""Annotations that OpenClaw (2026.9 and later) writes behind an entry of a memory file, as HTML comments.

- The office VLAN is 10. <!-- importance: 9 --> <!-- trigger: network, wifi --> <!-- project: github.com/o/r -->
"""

import re

_IMPORTANCE = re.compile(r"<!--\s*importance:\s*(10|[1-9])\s*-->", re.IGNORECASE)
#: OpenClaw's own factor for the marks 1 to 10: nothing said is 1, as is 5.
_FLOOR, _STEP = 0.75, 0.05


def importance_factor(text: str) -> float:
    """Return what the most important entry in `text` makes of its score; 1.0 where none says."""
    if "<!--" not in text:
        return 1.0
    marks = [int(mark) for mark in _IMPORTANCE.findall(text)]
    return _FLOOR + _STEP * max(marks) if marks else 1.0
