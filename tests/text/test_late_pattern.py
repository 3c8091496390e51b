"""A pattern that is compiled at its first use is what `re.compile` returns, and each is valid."""

import importlib
import re
from pathlib import Path

import pytest

import gieok
from gieok.text.late_pattern import LatePattern, defer_pattern

_PACKAGE = Path(gieok.__file__).parent


def _list_late_patterns() -> list[LatePattern]:
    """Return the patterns that stand in modules, by themselves or in a table of them."""
    found: list[LatePattern] = []
    for file in sorted(_PACKAGE.rglob("*.py")):
        if "defer_pattern" not in file.read_text(encoding="utf-8"):
            continue
        name = ".".join(file.relative_to(_PACKAGE.parent).with_suffix("").parts)
        for value in vars(importlib.import_module(name.removesuffix(".__init__"))).values():
            parts = value if isinstance(value, tuple) else (value,)
            found += [part for part in parts if isinstance(part, LatePattern)]
    return found


def test_every_pattern_of_the_package_can_be_compiled() -> None:
    patterns = _list_late_patterns()
    assert len(patterns) > 300
    for pattern in patterns:
        assert re.compile(pattern.pattern, pattern.flags)


def test_a_late_pattern_gives_what_a_compiled_one_gives() -> None:
    words, flags = r"(?P<day>\d+)일|day (\d+)", re.IGNORECASE
    now = re.compile(words, flags)
    text = "3일, DAY 4"
    for method in ("search", "match", "fullmatch"):
        late = getattr(defer_pattern(words, flags), method)(text)
        plain = getattr(now, method)(text)
        assert (late and late.span()) == (plain and plain.span())
    assert defer_pattern(words, flags).findall(text) == now.findall(text)
    assert [m.span() for m in defer_pattern(words, flags).finditer(text)] == [(0, 2), (4, 9)]
    assert defer_pattern(words, flags).sub("-", text) == "-, -"
    assert defer_pattern(words, flags).subn("-", text) == ("-, -", 2)
    assert defer_pattern(",").split(text) == ["3일", " DAY 4"]
    assert defer_pattern(words).groupindex == {"day": 1}
    assert defer_pattern(words).groups == 2
    assert defer_pattern(words, flags).pattern == words


def test_a_pattern_is_compiled_at_its_first_use_alone() -> None:
    wrong = defer_pattern("(")
    assert not hasattr(wrong, "scan")
    with pytest.raises(re.error):
        wrong.search("x")
    right = defer_pattern("x")
    assert right.search == right.search
