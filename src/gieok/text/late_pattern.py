"""Patterns that are compiled where they are first used.

Compiling is a third of what a short command takes, and most commands use one pattern in ten of the
modules that they import. A pattern that a row of data holds as text goes through
`redact.rule.compile_on_use` instead.
"""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:  # the hook has no time for typing
    from typing import Any

_METHODS = ("search", "match", "fullmatch", "sub", "subn", "findall", "finditer", "split")
_FACTS = ("groups", "groupindex")


class LatePattern:
    """Stands for a compiled pattern: has its methods, and compiles it at the first of them.

    From then on a method is the compiled pattern's own, without a step between. `pattern` and
    `flags` are what was given.
    """

    __slots__ = ("flags", "pattern", *_METHODS, *_FACTS)

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> object:
        """Compile the pattern: called for what is not there yet."""
        if name not in LatePattern.__slots__:
            raise AttributeError(name)
        self.compile()
        return getattr(self, name)

    def compile(self) -> None:
        """Compile the pattern, which a process does that many forks will begin from."""
        compiled = re.compile(self.pattern, self.flags)
        for name in (*_METHODS, *_FACTS):
            setattr(self, name, getattr(compiled, name))


def defer_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what stands for `re.compile(pattern, flags)`; a mistake in it shows at its first use,
    so a test compiles all there are.
    """
    late: Any = LatePattern(pattern, flags)
    stands_for: re.Pattern[str] = late
    return stands_for
