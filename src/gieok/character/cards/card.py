"""Character card: versions 1, 2 and 3 are read, version 3 is kept.

All fields are kept, also fields that Gieok does not read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from gieok.character.cards.bounded_json import Json, format_compact_json, parsed
from gieok.character.cards.lorebook import Lorebook, lorebook_of
from gieok.errors import BadRequest

_V2, _V3 = "chara_card_v2", "chara_card_v3"
_TEXTS = ("description", "personality", "scenario", "first_mes", "mes_example")
#: Field of version 1 → its names in Pygmalion's files and those of text-generation-webui.
_OTHER_NAMES = {
    "name": ("char_name",),
    "description": ("char_persona", "context"),
    "first_mes": ("char_greeting", "greeting"),
    "scenario": ("world_scenario",),
    "mes_example": ("example_dialogue",),
}
_MOST_NAME = 200
_WHAT = "the card"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """Character card.

    `json` is the whole card as version 3; `greetings` holds `first_mes` and the alternate
    greetings, without blank ones.
    """

    name: str
    nickname: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    mes_example: str = ""
    greetings: tuple[str, ...] = ()
    system_prompt: str = ""
    post_history_instructions: str = ""
    creator: str = ""
    creator_notes: str = ""
    tags: tuple[str, ...] = ()
    book: Lorebook = Lorebook()
    json: str = ""

    @property
    def greeting(self) -> str:
        """Return the first greeting; '' for none."""
        return self.greetings[0] if self.greetings else ""


class ReadCard(NamedTuple):
    """Card of a JSON text; `is_book`: the text is a lorebook without a character."""

    card: Card
    is_book: bool


def read_card_json(data: bytes, name: str = "") -> ReadCard:
    """Return the card in JSON bytes, of any version; `name` is for a card that has none.

    Raises BadRequest, which names the fault.
    """
    content = parsed(data, _WHAT)
    is_book = _find_lone_book(content) is not None
    return ReadCard(_read_card_data(_upgrade_card(content, name)), is_book)


def card_from(data: bytes, name: str = "") -> Card:
    """Return the card alone of `read_card_json`."""
    return read_card_json(data, name).card


@lru_cache(maxsize=64)
def card_of(json_text: str) -> Card:
    """Return the card that is stored as JSON. Raises BadRequest."""
    return _read_card_data(_parse_kept_card(json_text))


def new_card(fields: Mapping[str, str], greetings: tuple[str, ...] = ()) -> Card:
    """Return a new card from texts by their version 3 names. Raises BadRequest for a blank name."""
    texts = dict.fromkeys(
        (*_TEXTS, "system_prompt", "post_history_instructions", "creator_notes"), ""
    )
    data: dict[str, Json] = {
        **texts,
        "creator": "",
        "character_version": "",
        "tags": [],
        "extensions": {},
        **fields,
        "first_mes": greetings[0] if greetings else "",
        "alternate_greetings": list(greetings[1:]),
    }
    return card_from(
        format_compact_json({"spec": _V3, "spec_version": "3.0", "data": data}).encode(
            "utf-8", "replace"
        )
    )


def as_v2(card: Card) -> str:
    """Return a card as version 2: the same fields, for programs that do not know version 3."""
    return format_compact_json({**_parse_kept_card(card.json), "spec": _V2, "spec_version": "2.0"})


def with_data(card: Card, fields: Mapping[str, Json]) -> Card:
    """Return a card with some fields replaced; the other fields stay. Raises BadRequest."""
    whole = _parse_kept_card(card.json)
    return _read_card_data({**whole, "data": {**_read_card_object(whole, "data"), **fields}})


def data_of(card: Card) -> Mapping[str, Json]:
    """Return the fields of a card under their version 3 names."""
    return _read_card_object(_parse_kept_card(card.json), "data")


def _parse_kept_card(json_text: str) -> dict[str, Json]:
    return _upgrade_card(parsed(json_text.encode("utf-8", "replace"), _WHAT, is_kept=True))


def _find_lone_book(raw: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """Return the lorebook that a file is; None for another file.

    `lorebook_v3` has it in `data`, RisuAI's has its entries there, SillyTavern's is the book.
    """
    spec = raw.get("spec")
    if spec == "lorebook_v3" and isinstance(raw.get("data"), dict):
        return _read_card_object(raw, "data")
    is_book = isinstance(raw.get("entries"), dict | list) or (
        raw.get("type") == "risu" and isinstance(raw.get("data"), list)
    )
    return raw if spec is None and is_book else None


def _upgrade_card(raw: Mapping[str, Json], own_name: str = "") -> dict[str, Json]:
    """Return a card of any version as version 3; `own_name` is for a card without a name.

    Raises BadRequest where `raw` is no card.
    """
    spec = raw.get("spec")
    book = _find_lone_book(raw)
    if book is not None:
        name = _find_first_text(book, ("name",)) or own_name
        return _upgrade_card({"spec": _V2, "data": {"name": name, "character_book": book}})
    if isinstance(raw.get("data"), dict):
        data = dict(_read_card_object(raw, "data"))
        data["name"] = (
            _find_first_text(data, ("name",))
            or _find_first_text(raw, ("name", "char_name"))
            or _find_first_text(data, ("char_name", "nickname"))
            or own_name
            or data.get("name")
        )
    elif spec not in (_V2, _V3) and _is_flat_card(raw):
        flat = {name: value for name, value in raw.items() if name != "spec"}
        for name, others in _OTHER_NAMES.items():
            if not _find_first_text(flat, (name,)):
                flat[name] = _find_first_text(flat, others) or flat.get(name, "")
        return _upgrade_card({"spec": _V2, "data": flat}, own_name)
    else:
        raise BadRequest(
            "that is no character card: it has no `data`, and no `name`",
            hint="give a card of version 1 to 3",
        )
    data.setdefault("group_only_greetings", [])
    version = raw.get("spec_version") if spec == _V3 else "3.0"
    return {**raw, "spec": _V3, "spec_version": version, "data": data}


def _read_card_data(whole: Mapping[str, Json]) -> Card:
    data = _read_card_object(whole, "data")
    name = _flatten_card_name(_read_card_text(data, "name"))
    if not name or len(name) > _MOST_NAME:
        raise BadRequest(
            "the card has no name of 1 to {most} characters",
            most=_MOST_NAME,
            hint="give `data.name` in the card, or an id",
        )
    texts = {field: _read_card_text(data, field) for field in _TEXTS if field != "first_mes"}
    return Card(
        name=name,
        nickname=_flatten_card_name(_read_card_text(data, "nickname")),
        **texts,
        greetings=tuple(
            filter(
                str.strip,
                (
                    _read_card_text(data, "first_mes"),
                    *_list_card_texts(data, "alternate_greetings"),
                ),
            )
        ),
        system_prompt=_read_card_text(data, "system_prompt"),
        post_history_instructions=_read_card_text(data, "post_history_instructions"),
        creator=_read_card_text(data, "creator"),
        creator_notes=_read_card_text(data, "creator_notes"),
        tags=_list_card_texts(data, "tags"),
        book=lorebook_of(data.get("character_book")),
        json=format_compact_json(whole),
    )


def _is_flat_card(raw: Mapping[str, Json]) -> bool:
    """Return whether an object has the fields of a character itself, as version 1 has."""
    names = (*_TEXTS, *(name for others in _OTHER_NAMES.values() for name in others))
    return isinstance(raw.get("name"), str) or any(isinstance(raw.get(one), str) for one in names)


def _find_first_text(data: Mapping[str, Json], names: Sequence[str]) -> str:
    """Return the first of some fields that is a text which is not blank; '' for none."""
    texts = (value for name in names if isinstance(value := data.get(name), str))
    return next((text for text in texts if text.strip()), "")


def _flatten_card_name(text: str) -> str:
    """Return a name as one line: names stand in lists, prompts and terminals."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _read_card_object(whole: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    value = whole.get(name)
    return value if isinstance(value, dict) else {}


def _read_card_text(data: Mapping[str, Json], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str | None):
        raise BadRequest("`{name}` of the card is no text", name=name, hint="mend it in the card")
    return value or ""


def _list_card_texts(data: Mapping[str, Json], name: str) -> tuple[str, ...]:
    values = data.get(name)
    return (
        tuple(value for value in values if isinstance(value, str))
        if isinstance(values, list)
        else ()
    )
