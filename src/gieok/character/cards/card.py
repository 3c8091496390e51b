"""Character card: versions 1, 2 and 3 are read, version 3 is kept.

All fields are kept, also fields that Gieok does not read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from gieok.character.cards.bounded_json import Json, format_compact_json, parsed
from gieok.character.cards.lorebook import Lorebook, lorebook_of
from gieok.errors import BadRequest

_V2, _V3 = "chara_card_v2", "chara_card_v3"
_TEXTS = ("description", "personality", "scenario", "first_mes", "mes_example")
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


def card_from(data: bytes) -> Card:
    """Return the card in JSON bytes, of any version. Raises BadRequest, which names the fault."""
    return _read_card_data(_upgrade_card(parsed(data, _WHAT)))


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


def _upgrade_card(raw: Mapping[str, Json]) -> dict[str, Json]:
    """Return a card of any version as version 3. Raises BadRequest where `raw` is no card."""
    spec = raw.get("spec")
    if spec == "lorebook_v3" or (spec is None and isinstance(raw.get("entries"), dict | list)):
        raise BadRequest(
            "that is a lorebook without a character", hint="put it into a card, and import that"
        )
    if isinstance(raw.get("data"), dict):
        data = dict(_read_card_object(raw, "data"))
        data.setdefault("name", raw.get("name"))
    elif isinstance(raw.get("name"), str) and spec not in (_V2, _V3):
        return _upgrade_card(
            {"spec": _V2, "data": {name: value for name, value in raw.items() if name != "spec"}}
        )
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
            hint="give `data.name` in the card",
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
