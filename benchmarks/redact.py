"""Redaction: throughput on real text, and how its time grows with text made to slow it down.

    python benchmarks/redact.py [FILE…]

Times are CPU seconds of one thread, the least of three. `growth` is what four times the text costs beside it: 4 is linear.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from gieok.text.redact import RULES, redact, redact_source

_CHARS = 50_000
_UNITS = (
    "password=",
    'pass="',
    "eyJ-",
    "sk-",
    "token token ",
    "the password is ",
    "비밀번호 ",
    "://a:",
    "cookie: a=",
    "1",
    "\u200b",
)


def _seconds(call: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return max(min(times), 1e-4)


def _growth(unit: str) -> tuple[float, float]:
    texts = [unit * (size // len(unit)) for size in (_CHARS, 4 * _CHARS)]
    few, many = (_seconds(partial(redact, text)) for text in texts)
    return many / few, many


def main(files: list[str]) -> None:
    """Print throughput, then the units that cost most."""
    text = "\n".join(Path(name).read_text(encoding="utf-8", errors="replace") for name in files or [__file__] * 200)
    for dialect in (redact, redact_source):
        print(f"{dialect.__name__:14} {len(text.encode()) / 1e6 / _seconds(partial(dialect, text)):6.1f} MB/s")
    rows = sorted(
        ((*_growth(unit)[::-1], unit) for unit in (*_UNITS, *(f"{rule.example} " for rule in RULES))), reverse=True
    )
    for seconds, growth, unit in rows[:12]:
        print(f"{seconds * 1e6 / 4 / _CHARS:6.2f} s/MB  growth {growth:4.1f}  {unit[:50]!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
