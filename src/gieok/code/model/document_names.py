"""Names of settings in the document on project intelligence, and ours for each.

A `config.yaml` written after the document is understood as it stands. A setting under its own name
wins over one under the document's.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gieok.errors import BadConfig


class CountName(NamedTuple):
    """Our setting for a number of the document, and how the number becomes ours.

    `more` is added: its file count is the most that asks for no look, ours the least that does.
    `each`: how many of ours one of its is, such as the characters of a line.
    """

    setting: str
    more: int = 0
    each: int = 1


class SwitchName(NamedTuple):
    """Our setting for a switch of the document, and the number that "on" is; "off" is 0."""

    setting: str
    on: int


#: Characters that a line of code has, where the document counts lines and we count characters: 38
#: on average in this package.
_LINE_CHARS = 40
COUNTS = {
    "chunking.max_chunk_lines": CountName("chunking.largest", each=_LINE_CHARS),
    "chunking.min_chunk_lines": CountName("chunking.tiny", each=_LINE_CHARS),
    "escalation.max_files_changed": CountName("escalation.files", more=1),
    "escalation.min_quality_score": CountName("escalation.quality"),
    "escalation.max_validation_failures": CountName("escalation.failed_validations"),
    "escalation.dependency_depth_change": CountName("escalation.import_depth"),
    "search.default_top_k": CountName("search.answers"),
}
SWITCHES = {
    "escalation.new_module_triggers": SwitchName("escalation.new_modules", on=1),
    "escalation.new_module_added": SwitchName("escalation.new_modules", on=1),
    "escalation.new_class_added": SwitchName("escalation.new_classes", on=1),
    "search.expand_related": SwitchName("search.neighbours", on=3),
}
#: Patterns of files that are not indexed → `ignore`.
IGNORED_FILES = "chunking.ignore_patterns"
#: Names without a setting of the same meaning and unit; docs/code.md says what there is instead.
WITHOUT_COUNTERPART = frozenset(
    (
        "agents",
        "chunking.supported_extensions",
        "embedding",
        "escalation.architecture_pattern_change",
        "search.max_expansion_depth",
    )
)
#: Says which form the file has; there is one.
_VERSION = "version"


class NamedValue(NamedTuple):
    """A value under the document's name."""

    name: str
    value: object


class OurSettings(NamedTuple):
    """Settings under our names, and what stands under the document's."""

    settings: dict[str, object]
    #: Our setting → what is written for it under the document's names; at least one.
    written: dict[str, list[NamedValue]]
    #: Names that are not used.
    unused: tuple[str, ...]


def sort_settings(settings: Mapping[object, object], file: object) -> OurSettings:
    """Return settings apart by whose names they have.

    Raises BadConfig where the version is none.
    """
    own: dict[str, object] = {}
    written: dict[str, list[NamedValue]] = {}
    unused: list[str] = []
    for name, value in settings.items():
        part = str(name)
        if part in WITHOUT_COUNTERPART:
            unused.append(part)
        elif part == _VERSION:
            if not isinstance(value, str | int | float):
                raise BadConfig("`version` in {file!r} must be a number or a text", file=file)
        elif isinstance(value, dict):
            rows: dict[str, object] = {}
            for inner, setting in value.items():
                full = f"{part}.{inner}"
                if full in WITHOUT_COUNTERPART:
                    unused.append(full)
                elif ours := _find_our_setting(full):
                    written.setdefault(ours, []).append(NamedValue(full, setting))
                else:
                    rows[str(inner)] = setting
            own[part] = rows
        else:
            own[part] = value
    return OurSettings(own, written, tuple(unused))


def _find_our_setting(full: str) -> str:
    if full == IGNORED_FILES:
        return "ignore"
    known = COUNTS.get(full) or SWITCHES.get(full)
    return known.setting if known else ""


def convert_number(written: Sequence[NamedValue], low: int, high: int, file: object) -> int:
    """Return what is written of a setting as our number, which goes from `low` to `high`.

    Raises BadConfig, with the document's name, for what is none and for what contradicts itself.
    """
    name, value = written[0]
    for other in written[1:]:
        # 1 and True are equal, and say different things.
        if (type(other.value), other.value) != (type(value), value):
            raise BadConfig(
                "{name!r} and {other!r} in {file!r} say different things",
                name=name,
                other=other.name,
                file=file,
                hint="take one of the two out",
            )
    if name in SWITCHES:
        if not isinstance(value, bool):
            raise BadConfig("{name!r} in {file!r} must be true or false", name=name, file=file)
        return SWITCHES[name].on if value else 0
    _, more, each = COUNTS[name]
    # None of its numbers becomes our 0 by what is added: 0 would switch a rule off.
    low, high = -(-max(low - more, 0) // each), (high - more) // each
    return each * require_count(name, value, low, high, file) + more


def require_count(name: str, value: object, low: int, high: int, file: object) -> int:
    """Return a whole number from `low` to `high`. Raises BadConfig for any other value."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadConfig(
            "{name!r} in {file!r} must be a whole number from {low} to {high}",
            name=name,
            file=file,
            low=low,
            high=high,
        )
    return value
