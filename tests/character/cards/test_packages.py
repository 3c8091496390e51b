"""Cards come in and go out as they were, in every form; hostile ones get a clear error and cost
little.
"""

import base64
import io
import json
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gieok.character.cards import png
from gieok.character.cards.card import Card, card_of, new_card, with_data
from gieok.character.cards.package import (
    MEDIA,
    MOST_BYTES,
    CardForm,
    build_card_file,
    read_card_file,
)
from gieok.errors import BadRequest

_V1 = {
    "name": "Mina",
    "description": "keeps a bookshop",
    "personality": "",
    "scenario": "",
    "first_mes": "Hi",
    "mes_example": "",
    "odd": [1.50],
}
_V2 = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "fav": True,
    "data": {
        "name": "미나",
        "first_mes": "안녕",
        "alternate_greetings": ["어서 와", "  "],
        "system_prompt": "s",
        "post_history_instructions": "p",
        "extensions": {"depth_prompt": {"depth": 4}},
        "character_book": {"entries": [{"keys": ["책방"], "content": "골목 끝"}]},
    },
}
_ICON = {
    "type": "icon",
    "uri": "embeded://assets/icon/image/main.png",
    "name": "main",
    "ext": "png",
}
_V3 = {
    **_V2,
    "spec": "chara_card_v3",
    "spec_version": "3.1",
    "data": {**_V2["data"], "nickname": "민", "assets": [_ICON]},
}


def _bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode()


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _picture(*texts: tuple[bytes, bytes], tail: bytes = b"") -> bytes:
    """Return an APNG as SillyTavern and RisuAI leave them: text chunks before the end, and an
    animation's.
    """
    head, rest = png.blank(2, 2)[:33], png.blank(2, 2)[33:-12]
    held = b"".join(_chunk(b"tEXt", key + b"\0" + base64.b64encode(value)) for key, value in texts)
    return (
        head + _chunk(b"acTL", struct.pack(">II", 1, 0)) + rest + held + _chunk(b"IEND", b"") + tail
    )


def _packed(body: bytes, kind: bytes = b"zTXt") -> bytes:
    """Return a picture with a card in a chunk of another kind."""
    return png.blank(2, 2)[:-12] + _chunk(kind, body) + _chunk(b"IEND", b"")


def _archive(
    files: dict[str, bytes], front: bytes = b"", method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return front + held.getvalue()


_RISU = {
    "card.json": _bytes(_V3),
    "assets/icon/image/main.png": _picture(),
    "assets/other/image/스탠딩.webp": b"RIFF" * 9,
    "x_meta/main.json": b'{"type":"PNG"}',
    "module.risum": bytes(range(256)),
}
_WILD = {
    "v1.json": _bytes(_V1),
    "v2.json": _bytes(_V2),
    "v3.json": b"\xef\xbb\xbf" + _bytes(_V3),
    "silly_tavern.png": _picture(
        (b"Software", b"x"), (b"chara", _bytes(_V2)), (b"ccv3", _bytes(_V3))
    ),
    "old.png": _picture((b"Chara", _bytes(_V2)), tail=b"behind the end"),
    "risu.png": _picture((b"ccv3", _bytes(_V3)), (b"chara-ext-asset_:0", b"asset")),
    "risu.charx": _archive(_RISU),
    "risu.jpeg": _archive(_RISU, b"\xff\xd8\xff\xe0 a picture"),
    "stored.charx": _archive(_RISU, b"", zipfile.ZIP_STORED),
}


@pytest.mark.parametrize("name", _WILD)
def test_a_file_that_was_not_changed_goes_out_byte_for_byte(name: str) -> None:
    came = read_card_file(_WILD[name])
    assert build_card_file(came.card.json, came.data, MEDIA[came.form], came.form) == _WILD[name]


@pytest.mark.parametrize("name", _WILD)
@pytest.mark.parametrize("form", CardForm)
def test_every_form_holds_the_same_card(name: str, form: CardForm) -> None:
    came = read_card_file(_WILD[name])
    changed = with_data(came.card, {"name": "다른 이름"})
    again = read_card_file(build_card_file(changed.json, came.data, MEDIA[came.form], form)).card
    assert _told(again) == _told(changed)


def _told(card: Card) -> object:
    whole = json.loads(card.json)
    return (
        {name: one for name, one in whole["data"].items() if name != "assets"},
        whole.get("fav"),
        card.greetings,
    )


def test_version_3_wins_and_both_are_written() -> None:
    came = read_card_file(_WILD["silly_tavern.png"])
    assert (came.card.nickname, came.card.greetings) == ("민", ("안녕", "어서 와"))
    made = build_card_file(
        with_data(came.card, {"nickname": "새"}).json, came.data, "image/png", CardForm.PNG
    )
    held = {
        one.keyword: json.loads(base64.b64decode(bytes(one.body).partition(b"\0")[2]))
        for one in png.chunks(made)
        if one.is_card
    }
    assert [held[b"ccv3"]["spec"], held[b"chara"]["spec"]] == ["chara_card_v3", "chara_card_v2"]
    assert held[b"ccv3"]["data"]["nickname"] == held[b"chara"]["data"]["nickname"] == "새"


def test_what_is_not_read_survives_a_change() -> None:
    came = read_card_file(_WILD["risu.jpeg"])
    made = build_card_file(
        with_data(came.card, {"nickname": "새"}).json, came.data, "application/zip", CardForm.CHARX
    )
    assert made.startswith(b"\xff\xd8\xff\xe0 a picture")
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in _RISU if name != "card.json"} == {
            name: content for name, content in _RISU.items() if name != "card.json"
        }
    picture = read_card_file(_WILD["risu.png"])
    made = build_card_file(
        with_data(picture.card, {"nickname": "새"}).json, picture.data, "image/png", CardForm.PNG
    )
    assert _chunk(b"tEXt", b"chara-ext-asset_:0\0" + base64.b64encode(b"asset")) in made


def test_a_picture_goes_along_from_form_to_form() -> None:
    came = read_card_file(_WILD["risu.charx"])
    assert (
        png.without_card(
            build_card_file(came.card.json, came.data, "application/zip", CardForm.PNG)
        )
        == _picture()
    )
    came = read_card_file(_WILD["old.png"])
    held = build_card_file(came.card.json, came.data, "image/png", CardForm.CHARX)
    with zipfile.ZipFile(io.BytesIO(held)) as archive:
        assert archive.read("assets/icon/images/main.png") == png.without_card(came.data)


_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(
    st.text('미나 ab😀"\\', min_size=1).filter(str.strip),
    _TEXTS,
    st.lists(_TEXTS, max_size=3),
    st.dictionaries(st.text("xyz", min_size=1), _JSON),
    st.sampled_from(CardForm),
)
def test_export_then_import_is_the_same_card(
    name: str, text: str, greetings: list[str], odd: dict[str, object], form: CardForm
) -> None:
    card = with_data(
        new_card({"name": name, "description": text}, tuple(greetings)), {"extensions": odd}
    )
    again = read_card_file(build_card_file(card.json, b"", "", form))
    assert again.card == card
    assert build_card_file(again.card.json, again.data, MEDIA[again.form], again.form) == again.data


@given(
    st.sampled_from(sorted(_WILD)),
    st.integers(0, 1 << 20),
    st.binary(max_size=4),
    st.integers(0, 6),
)
def test_a_damaged_file_is_refused_or_still_a_card(
    name: str, at: int, put: bytes, cut: int
) -> None:
    data = _WILD[name]
    at %= len(data)
    try:
        came = read_card_file(data[:at] + put + data[at + cut :])
    except BadRequest:
        return
    again = read_card_file(build_card_file(came.card.json, came.data, MEDIA[came.form], came.form))
    assert again.card == came.card


def _spoiled(change: Callable[[bytearray, int], None]) -> bytes:
    """Return an archive of which the row of the first member in the list was changed."""
    data = bytearray(_archive({"card.json": _bytes(_V3), "b": b"b"}))
    change(data, data.index(b"PK\x01\x02"))
    return bytes(data)


def _link(data: bytearray, row: int) -> None:
    struct.pack_into("<I", data, row + 38, 0o120777 << 16)


def _lie(data: bytearray, row: int) -> None:
    struct.pack_into("<I", data, row + 24, 63 << 20)


def _locked(data: bytearray, row: int) -> None:
    data[row + 8] |= 1


def _twice() -> bytes:
    return _archive({"card.json": _bytes(_V3), "card_json": b"x"}).replace(
        b"card_json", b"card.json"
    )


def _json_with(text: str) -> bytes:
    return b'{"name":"a","first_mes":"","x":' + text.encode() + b"}"


_HUGE = struct.pack(">I", 100 << 20) + b"tEXt" + b"chara\0"
_GIGANTIC = {"name": "a", "character_book": {"entries": [{"keys": [], "content": "x"}] * 6_000}}
_HOSTILE = {
    "nothing": (b"", "no character card"),
    "too large": (bytes(MOST_BYTES + 1), "at most"),
    "a chunk that says 100 MB": (png.SIGNATURE + _HUGE, "cut off"),
    "a picture that is cut off": (_WILD["old.png"][:-40], "cut off"),
    "a wrong checksum": (
        _WILD["risu.png"].replace(b"acTL\0\0\0\1", b"acTL\0\0\0\2"),
        "wrong checksum",
    ),
    "no card": (_picture((b"Comment", b"x")), "no card"),
    "no base64": (
        _picture()[:-12] + _chunk(b"tEXt", b"chara\0!!!!") + _chunk(b"IEND", b""),
        "no base64",
    ),
    "no UTF-8": (_picture((b"chara", b'{"name":"\xff"}')), "UTF-8"),
    "no JSON": (_picture((b"chara", b'{"name":')), "no JSON"),
    "no object": (_picture((b"chara", b"[1]")), "no JSON object"),
    "no name": (_bytes({"spec": "chara_card_v3", "data": {"name": " "}}), "no name"),
    "no text": (_bytes({"name": "a", "first_mes": {"a": 1}}), "`first_mes`"),
    "a lorebook": (_bytes({"spec": "lorebook_v3", "data": {"entries": []}}), "has no name"),
    "a chunk that unpacks to too much": (
        _packed(b"chara\0\0" + zlib.compress(b"A" * (12 << 20), 9)),
        "unpacks to more",
    ),
    "a chunk that is not compressed": (_packed(b"chara\0\0not so"), "cannot be unpacked"),
    "not a number": (_json_with("NaN"), "NaN"),
    "infinity": (_json_with("1e999"), "too large"),
    "a number of 5,000 digits": (_json_with("1" * 5_000), "no JSON"),
    "deep": (_json_with("[" * 90 + "]" * 90), "deep"),
    "deeper": (_json_with("[" * 100_000), "deep|recursion|values"),
    "many values": (_json_with("[" + "0," * 400_000 + "0]"), "values"),
    "a gigantic lorebook": (_bytes(_GIGANTIC), "6,000 entries"),
    "a bomb": (_archive({"card.json": bytes(30 << 20)}), "out of"),
    "many bombs": (
        _archive({"card.json": b"{}", **{f"{n}": bytes(range(256)) * 4_000 for n in range(70)}}),
        "unpacks to",
    ),
    "more than it says": (_spoiled(_lie), "out of"),
    "a way out": (_archive({"card.json": b"{}", "../../etc/passwd": b""}), "leads out"),
    "a way out for Windows": (_archive({"card.json": b"{}", "a\\..\\..\\b": b""}), "leads out"),
    "an absolute name": (_archive({"card.json": b"{}", "/etc/passwd": b""}), "leads out"),
    "a drive": (_archive({"card.json": b"{}", "C:/x": b""}), "leads out"),
    "a link": (_spoiled(_link), "is a link"),
    "locked": (_spoiled(_locked), "encrypted"),
    "no card in it": (_archive({"other.json": b"{}"}), "no `card.json`"),
    "an archive that is cut off": (_archive(_RISU)[:-30], "no character card"),
    "packed another way": (
        _archive({"card.json": _bytes(_V3)}, b"", zipfile.ZIP_BZIP2),
        "not read",
    ),
}


@pytest.mark.parametrize("name", _HOSTILE)
def test_a_hostile_file_is_refused_for_a_reason_and_costs_little(name: str) -> None:
    data, reason = _HOSTILE[name]
    tracemalloc.start()
    try:
        with pytest.raises(BadRequest, match=reason) as caught:
            read_card_file(data)
        assert caught.value.hint
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


def test_a_member_that_is_there_twice_is_refused() -> None:
    with pytest.raises(BadRequest, match="twice"):
        read_card_file(_twice())


def test_a_name_is_one_line_that_can_be_printed() -> None:
    card = read_card_file(_bytes({"name": " Mina\n\x1b[2J\u202eKim ", "nickname": "\t"})).card
    assert (card.name, card.nickname) == ("Mina [2J Kim", "")


def test_halves_of_characters_and_nul_are_replaced_in_every_text() -> None:
    card = read_card_file(b'{"name":"a\\ud83d","first_mes":"x\\u0000y","k\\udc00":"z"}').card
    assert (card.name, card.greetings) == ("a\ufffd", ("x\ufffdy",))
    assert card_of(card.json) == card
    card.json.encode()


def _read_name(value: object, name: str = "") -> str:
    return read_card_file(_bytes(value), name).card.name


def test_a_card_without_a_name_is_called_by_what_else_there_is() -> None:
    nameless = {"spec": "chara_card_v2", "data": {"first_mes": "Hi", "name": " "}}
    assert _read_name(nameless, "harbour") == "harbour"
    assert _read_name({**nameless, "data": {"first_mes": "Hi", "nickname": "Min"}}, "x") == "Min"
    assert _read_name({"first_mes": "Hi", "description": "keeps a bookshop"}, "mina") == "mina"
    with pytest.raises(BadRequest, match="has no name"):
        _read_name(nameless)


def test_a_card_without_a_name_goes_out_byte_for_byte_too() -> None:
    data = _bytes({"spec": "chara_card_v2", "data": {"first_mes": "Hi"}})
    came = read_card_file(data, "harbour")
    assert build_card_file(came.card.json, data, MEDIA[came.form], came.form) == data


def test_the_keys_of_pygmalion_are_read() -> None:
    card = read_card_file(
        _bytes(
            {
                "char_name": "Mina",
                "char_persona": "keeps a bookshop",
                "char_greeting": "Come in.",
                "world_scenario": "a harbour",
                "example_dialogue": "You: Hi",
            }
        )
    ).card
    assert (card.name, card.description, card.greeting) == ("Mina", "keeps a bookshop", "Come in.")
    assert (card.scenario, card.mes_example) == ("a harbour", "You: Hi")


@pytest.mark.parametrize(
    "picture",
    [
        _packed(b"chara\0\0" + zlib.compress(base64.b64encode(_bytes(_V2)))),
        _packed(b"chara\0\0" + zlib.compress(_bytes(_V2))),
        _packed(b"ccv3\0\1\0ko\0\0" + zlib.compress(base64.b64encode(_bytes(_V3))), b"iTXt"),
        _packed(b"chara\0\0\0\0\0" + base64.b64encode(_bytes(_V2)), b"iTXt"),
    ],
)
def test_a_card_in_a_compressed_chunk_is_read_and_replaced(picture: bytes) -> None:
    came = read_card_file(picture)
    assert came.card.name == "미나"
    changed = with_data(came.card, {"name": "다른 이름"})
    again = build_card_file(changed.json, picture, MEDIA[came.form], came.form)
    assert read_card_file(again).card.name == "다른 이름"
    assert b"zTXt" not in again
    assert b"iTXt" not in again


@pytest.mark.parametrize(
    "book",
    [
        {
            "spec": "lorebook_v3",
            "data": {"name": "항구", "entries": [{"keys": ["등대"], "content": "섬"}]},
        },
        {"name": "항구", "entries": {"0": {"key": ["등대"], "content": "섬"}}},
        {"type": "risu", "ver": 1, "data": [{"key": "등대", "content": "섬"}]},
    ],
)
def test_a_lorebook_alone_is_read(book: object) -> None:
    came = read_card_file(_bytes(book), "항구")
    assert (came.is_book, came.card.name) == (True, "항구")
    assert [(one.keys, one.text) for one in came.card.book.entries] == [(("등대",), "섬")]
