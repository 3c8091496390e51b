"""Annotations of entries in memory files, as HTML comments (OpenClaw 2026.9 and later).

Example:
- The office VLAN is 10. <!-- importance: 9 --> <!-- trigger: network, wifi --> <!-- project:
  github.com/o/r -->
"""

import re

_IMPORTANCE = r"(?i)<!--\s*importance:\s*(10|[1-9])\s*-->"
#: OpenClaw's own factor for the importances 1 to 10: 5 is neutral, like no annotation.
_FLOOR, _STEP = 0.75, 0.05


def importance_factor(text: str) -> float:
    """Return the score factor of the most important entry in `text`; 1.0 without an annotation."""
    if "<!--" not in text:
        return 1.0
    marks = [int(mark) for mark in re.findall(_IMPORTANCE, text)]
    return _FLOOR + _STEP * max(marks) if marks else 1.0
