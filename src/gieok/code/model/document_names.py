"""Names of settings in the document on project intelligence, and ours for each.

A `config.yaml` written after the document is understood as it stands. A setting under its own name
wins over one under the document's.
"""

from collections.abc import Mapping
from typing import NamedTuple


class CountName(NamedTuple):
    """Our setting for a number of the document, and what is added to the number.

    Its file count is the most that asks for no look; ours is the least that does.
    """

    setting: str
    more: int = 0


class SwitchName(NamedTuple):
    """Our setting for a switch of the document, and the number that "on" is; "off" is 0."""

    setting: str
    on: int


COUNTS = {
    "escalation.max_files_changed": CountName("escalation.files", more=1),
    "escalation.min_quality_score": CountName("escalation.quality"),
    "escalation.max_validation_failures": CountName("escalation.failed_validations"),
    "escalation.dependency_depth_change": CountName("escalation.import_depth"),
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
        "chunking.max_chunk_lines",
        "chunking.min_chunk_lines",
        "chunking.supported_extensions",
        "embedding",
        "escalation.architecture_pattern_change",
        "search.default_top_k",
        "search.max_expansion_depth",
    )
)
#: Says which form the file has; there is one.
_VERSION = "version"


class OurSettings(NamedTuple):
    """Settings under our names, and the document's names that are not used."""

    settings: dict[str, object]
    unused: tuple[str, ...]


def rename_settings(settings: Mapping[object, object]) -> OurSettings:
    """Return settings with the document's names replaced; other names stay as they are."""
    renamed: dict[str, object] = {}
    unused: list[str] = []
    for name, value in settings.items():
        part = str(name)
        if part in WITHOUT_COUNTERPART:
            unused.append(part)
        elif isinstance(value, dict):
            own = renamed.setdefault(part, {})
            for inner, setting in value.items():
                full = f"{part}.{inner}"
                if full in WITHOUT_COUNTERPART:
                    unused.append(full)
                elif full == IGNORED_FILES:
                    renamed.setdefault("ignore", setting)
                elif isinstance(own, dict):
                    own[_name_setting(full)] = _convert_value(full, setting)
            _prefer_own_names(own, value)
        elif part != _VERSION:
            renamed[part] = value
    return OurSettings(renamed, tuple(unused))


def _name_setting(full: str) -> str:
    known = COUNTS.get(full) or SWITCHES.get(full)
    return (known.setting if known else full).partition(".")[2]


def _convert_value(full: str, value: object) -> object:
    """Return the document's value in our unit; a value of another type is refused later."""
    is_switch = isinstance(value, bool)
    if full in SWITCHES and is_switch:
        return SWITCHES[full].on if value else 0
    if full in COUNTS and isinstance(value, int) and not is_switch:
        return value + COUNTS[full].more
    return value


def _prefer_own_names(own: object, written: Mapping[object, object]) -> None:
    """Set the settings that stand under our own names to their values."""
    if isinstance(own, dict):
        own.update({name: value for name, value in written.items() if name in own})
