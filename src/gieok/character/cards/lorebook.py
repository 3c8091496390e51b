"""Lorebook of a card: entries with their keys and the values of their decorators."""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

from gieok.character.cards.bounded_json import Json
from gieok.errors import BadRequest

_MOST_ENTRIES, _MOST_KEYS = 5_000, 20_000
_HINT = "split it into lorebooks of several characters"
_LINE = re.compile(r"(@@@?)([a-z_]{1,40})(?:[ \t]+([^\n]*))?")
_NUMBERS = frozenset(
    (
        "activate_only_after",
        "activate_only_every",
        "depth",
        "reverse_depth",
        "scan_depth",
        "is_greeting",
    )
)
_LISTS = frozenset(("additional_keys", "exclude_keys"))
_MARKS = frozenset(
    ("activate", "dont_activate", "keep_activate_after_match", "ignore_on_max_context")
)
_CHOICES = {
    "role": ("assistant", "system", "user"),
    "position": ("after_desc", "before_desc", "personality", "scenario"),
}
_LARGEST = 1 << 31


class SecondaryLogic(IntEnum):
    """What the secondary keys of an entry must be, beside a key of its own.

    The numbers are those of `selectiveLogic` in SillyTavern's books.
    """

    ANY_SAID = 0
    NOT_ALL_SAID = 1
    NONE_SAID = 2
    ALL_SAID = 3


class LoreEntry(NamedTuple):
    """Entry of a lorebook: `text` is told once one of `keys` was said.

    `number` is the entry's place in the book, from 0. `secondary` are the keys of `logic`. `also`:
    one of these keys must have been said too; `never`: none of these may have been said.
    `is_regex`: a key may be a pattern without slashes. `is_whole_word` None: as the alphabet
    suggests. `probability` (0 to 1) is how often the entry is told where it fits. `is_brought`: the
    text of another entry may bring it; `may_bring`: its text may bring another. `depth` and `role`
    say where the text is told: so many messages back; None means with the character's description.
    A lower `order` is told first, a lower `priority` is left out first.
    """

    number: int
    text: str
    name: str = ""
    keys: tuple[str, ...] = ()
    secondary: tuple[str, ...] = ()
    logic: SecondaryLogic = SecondaryLogic.ANY_SAID
    also: tuple[tuple[str, ...], ...] = ()
    never: tuple[str, ...] = ()
    is_enabled: bool = True
    is_constant: bool = False
    is_regex: bool = False
    is_case_sensitive: bool = False
    is_whole_word: bool | None = None
    probability: float = 1.0
    is_brought: bool = True
    may_bring: bool = True
    is_kept: bool = False
    is_spare: bool = False
    order: float = 0.0
    priority: float = 0.0
    after: int = 0
    every: int = 0
    scan_depth: int | None = None
    depth: int | None = None
    role: str = "system"
    position: str = ""
    greeting: int | None = None

    @property
    def has_conditions(self) -> bool:
        """Return whether the author said more about when it is told than plain keys."""
        has_keys = bool(self.secondary or self.also or self.never)
        return has_keys or self.is_regex or self.is_case_sensitive or self.probability < 1


class Lorebook(NamedTuple):
    """Entries in their order.

    Keys are looked for in `scan_depth` messages; `token_budget` is the book's own budget, 0 for
    none.
    """

    entries: tuple[LoreEntry, ...] = ()
    scan_depth: int = 4
    token_budget: int = 0
    is_recursive: bool = False


def lorebook_of(value: Json) -> Lorebook:
    """Return the lorebook of a card; an empty one where there is none.

    Raises BadRequest for a lorebook that is too large.
    """
    if not isinstance(value, dict):
        return Lorebook()
    rows = value.get("entries")
    rows = value.get("data") if rows is None else rows
    rows = list(rows.values()) if isinstance(rows, dict) else rows if isinstance(rows, list) else []
    if len(rows) > _MOST_ENTRIES:
        raise BadRequest(
            "the lorebook has {count:,} entries: at most {most:,} are read",
            count=len(rows),
            most=_MOST_ENTRIES,
            hint=_HINT,
        )
    entries = tuple(
        _parse_lore_entry(number, row) for number, row in enumerate(rows) if isinstance(row, dict)
    )
    if (
        sum(
            len(entry.keys) + len(entry.secondary) + len(entry.never) + sum(map(len, entry.also))
            for entry in entries
        )
        > _MOST_KEYS
    ):
        raise BadRequest("the lorebook has more than {most:,} keys", most=_MOST_KEYS, hint=_HINT)
    depth, budget = (
        _parse_lore_number(value.get("scan_depth")),
        _parse_lore_number(value.get("token_budget")),
    )
    return Lorebook(
        entries, 4 if depth is None else depth, budget or 0, value.get("recursive_scanning") is True
    )


def _parse_lore_entry(number: int, row: Mapping[str, Json]) -> LoreEntry:
    decorators, text = _parse_lore_decorators(_read_lore_text(row.get("content")))
    secondary = _list_lore_keys(_find_setting(row, "secondary_keys", "keysecondary", "secondkey"))
    also = (
        (_split_lore_keys(decorators["additional_keys"]),)
        if "additional_keys" in decorators
        else ()
    )
    order = _read_number(_find_setting(row, "insertion_order", "order", "insertorder")) or 0.0
    priority = _read_number(row.get("priority"))
    is_off = (
        row.get("enabled") is False
        or row.get("disable") is True
        or ("dont_activate" in decorators and "activate" not in decorators)
    )
    return LoreEntry(
        number=number,
        text=text,
        name=_read_lore_text(row.get("name")) or _read_lore_text(row.get("comment")),
        keys=_list_lore_keys(_find_setting(row, "keys", "key")),
        secondary=secondary if _find_setting(row, "selective") is True else (),
        logic=_parse_secondary_logic(_find_setting(row, "selectiveLogic", "selective_logic")),
        also=also,
        never=_split_lore_keys(decorators.get("exclude_keys", "")),
        is_enabled=not is_off and bool(text),
        is_constant=_find_setting(row, "constant", "alwaysActive") is True
        or "activate" in decorators,
        is_regex=_find_setting(row, "use_regex", "useRegex") is True,
        is_case_sensitive=_find_setting(row, "case_sensitive", "caseSensitive") is True,
        is_whole_word=_parse_lore_choice(
            _find_setting(row, "match_whole_words", "matchWholeWords")
        ),
        probability=_parse_probability(row),
        is_brought=_find_setting(row, "exclude_recursion", "excludeRecursion") is not True,
        may_bring=_find_setting(row, "prevent_recursion", "preventRecursion") is not True,
        is_kept="keep_activate_after_match" in decorators,
        is_spare="ignore_on_max_context" in decorators,
        order=order,
        priority=order if priority is None else priority,
        after=int(decorators.get("activate_only_after", "0")),
        every=int(decorators.get("activate_only_every", "0")),
        scan_depth=_parse_decorator_number(decorators["scan_depth"])
        if "scan_depth" in decorators
        else _parse_lore_number(_find_setting(row, "scan_depth", "scanDepth")),
        depth=None
        if "position" in decorators
        else _parse_decorator_number(decorators.get("depth")),
        role=decorators.get("role", "system"),
        position=decorators.get("position", ""),
        greeting=_parse_decorator_number(decorators.get("is_greeting")),
    )


def _find_setting(row: Mapping[str, Json], *names: str) -> Json:
    """Return a value of an entry by its first name that is there; None for none.

    Programs keep what the card format lacks in `extensions` of the entry.
    """
    extensions = row.get("extensions")
    places = (row, extensions if isinstance(extensions, dict) else {})
    values = (place.get(name) for place in places for name in names)
    return next((value for value in values if value is not None), None)


def _parse_secondary_logic(value: Json) -> SecondaryLogic:
    is_known = isinstance(value, int) and value in SecondaryLogic.__members__.values()
    return SecondaryLogic(value) if is_known else SecondaryLogic.ANY_SAID  # type: ignore[arg-type]


def _parse_probability(row: Mapping[str, Json]) -> float:
    """Return how often an entry is told where it fits, 0 to 1: books write percents."""
    percent = _read_number(_find_setting(row, "probability", "activationPercent"))
    is_used = _find_setting(row, "useProbability", "use_probability") is not False
    if percent is None or not is_used:
        return 1.0
    return min(max(percent, 0.0), 100.0) / 100


def _parse_lore_choice(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


def _parse_lore_decorators(content: str) -> tuple[dict[str, str], str]:
    """Return the values of the known decorators, and the text behind all decorators.

    Of decorators with the same name the first counts.
    """
    lines, decorators, is_open = content.replace("\r\n", "\n").split("\n"), dict[str, str](), False
    while lines and (not lines[0].strip() or lines[0].startswith("@@")):
        line_match = _LINE.fullmatch(lines.pop(0).rstrip())
        if line_match is None or (line_match[1] == "@@@" and not is_open):
            continue
        name, value = line_match[2], (line_match[3] or "").strip()
        is_open = not _is_known_decorator(name, value)
        if not is_open:
            decorators.setdefault(name, value)
    return decorators, "\n".join(lines).strip()


def _is_known_decorator(name: str, value: str) -> bool:
    if name in _NUMBERS:
        return value.isascii() and value.isdigit() and len(value) < len(str(_LARGEST))
    return name in _MARKS or (name in _LISTS and bool(value)) or value in _CHOICES.get(name, ())


def _read_lore_text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _list_lore_keys(value: Json) -> tuple[str, ...]:
    return tuple(
        _iter_filled_texts(
            value.split(",") if isinstance(value, str) else value if isinstance(value, list) else ()
        )
    )


def _split_lore_keys(text: str) -> tuple[str, ...]:
    return tuple(_iter_filled_texts(text.split(",")))


def _iter_filled_texts(values: Iterable[Json]) -> Iterator[str]:
    return (value.strip() for value in values if isinstance(value, str) and value.strip())


def _parse_lore_number(value: Json) -> int | None:
    number = _read_number(value)
    return int(number) if number is not None and number >= 0 else None


def _parse_decorator_number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _read_number(value: Json) -> float | None:
    """Return a number of a book; None for anything else, and for a number beyond all use."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if abs(value) < _LARGEST else None
