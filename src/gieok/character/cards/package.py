"""Reads and writes a character's file: JSON, PNG (APNG) and CHARX.

Bytes that Gieok does not read stay unchanged.
"""

from enum import StrEnum
from typing import NamedTuple

from gieok.character.cards import charx, png
from gieok.character.cards.bounded_json import Json
from gieok.character.cards.card import (
    Card,
    as_v2,
    card_from,
    card_of,
    data_of,
    read_card_json,
    with_data,
)
from gieok.errors import BadRequest

#: A larger file is refused, because it would not be kept.
MOST_BYTES = 16 << 20
_HINT = "give a character card: JSON, PNG, or CHARX"
_ICON = "assets/icon/images/main.png"
#: Name of a card whose name does not matter.
_NAMELESS = "-"
_SCHEMES = ("embeded://", "embedded://", "__asset:")


class CardForm(StrEnum):
    """Form of a file that holds a card."""

    JSON = "json"
    #: Forms for programs that do not know version 3.
    JSON_V2 = "json-v2"
    PNG = "png"
    CHARX = "charx"


#: Media types of files, as `StoredCharacter.package_type` has them.
MEDIA = {
    CardForm.JSON: "application/json",
    CardForm.JSON_V2: "application/json",
    CardForm.PNG: "image/png",
    CardForm.CHARX: "application/zip",
}
_FORMS = {
    "application/json": CardForm.JSON,
    "image/png": CardForm.PNG,
    "application/zip": CardForm.CHARX,
}


class CardFile(NamedTuple):
    """Card, and the form of the file that it came in.

    `is_book`: the file is a lorebook alone, and the card has nothing else.
    """

    card: Card
    data: bytes
    form: CardForm
    is_book: bool = False


def read_card_file(data: bytes, name: str = "") -> CardFile:
    """Return the card in a file; `name` is for a card that has none.

    Raises BadRequest, which says what is wrong with the file.
    """
    if len(data) > MOST_BYTES:
        raise BadRequest(
            "the file has {count:,} bytes: at most {most_bytes:,} are kept",
            count=len(data),
            most_bytes=MOST_BYTES,
            hint="export the character as PNG or JSON, without further pictures",
        )
    if data.startswith(png.SIGNATURE) and (card_data := png.card_in(data)) is not None:
        return CardFile(card_from(card_data, name), data, CardForm.PNG)
    if charx.is_archive(data):
        card_data = charx.member(charx.open_charx(data), charx.CARD)
        if card_data is None:
            raise BadRequest("the archive has no `{card}`", card=charx.CARD, hint=_HINT)
        return CardFile(card_from(card_data, name), data, CardForm.CHARX)
    if data.startswith(png.SIGNATURE):
        raise BadRequest(
            "there is no card in the picture",
            hint="export it anew: pictures lose it where they are converted",
        )
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        raise BadRequest("that is no character card", hint=_HINT)
    card, is_book = read_card_json(data, name)
    return CardFile(card, data, CardForm.JSON, is_book)


def build_card_file(card_json: str, package: bytes, package_type: str, form: CardForm) -> bytes:
    """Return a character as a file.

    The file in which the character came is returned as it is where nothing has changed since.
    """
    card, came = card_of(card_json), _FORMS.get(package_type) if package else None
    if came is form and read_card_file(package, card.name).card.json == card.json:
        return package
    if form is CardForm.PNG:
        return png.with_card(_find_card_picture(package, came), card.json, as_v2(card))
    if form is CardForm.CHARX:
        return _build_card_archive(card, package, came)
    return (as_v2(card) if form is CardForm.JSON_V2 else card.json).encode()


def avatar(package: bytes, package_type: str) -> bytes:
    """Return a character's picture as PNG, without the card data that a card file embeds in it.

    b"" where the character has no picture, or its picture is no PNG.
    """
    came = _FORMS.get(package_type) if package else None
    if came is CardForm.PNG:
        return png.without_card(package)
    icon = (
        charx.member(charx.open_charx(package), _find_icon_member(package))
        if came is CardForm.CHARX
        else None
    )
    return icon if icon and _is_picture(icon) else b""


def _find_card_picture(package: bytes, came: CardForm | None) -> bytes:
    """Return a character's picture: its own, the main icon of its archive, or a plain picture."""
    if came is CardForm.PNG:
        return package
    icon = (
        charx.member(charx.open_charx(package), _find_icon_member(package))
        if came is CardForm.CHARX
        else None
    )
    return icon if icon and _is_picture(icon) else png.blank()


def _is_picture(data: bytes) -> bool:
    try:
        return data.startswith(png.SIGNATURE) and bool(list(png.chunks(data)))
    except BadRequest:
        return False


def _find_icon_member(package: bytes) -> str:
    """Return the name of the archive member that is the main icon, wherever it stands."""
    assets = data_of(read_card_file(package, _NAMELESS).card).get("assets")
    icons = (
        [one for one in assets if isinstance(one, dict) and one.get("type") == "icon"]
        if isinstance(assets, list)
        else []
    )
    icons.sort(key=lambda one: one.get("name") != "main")
    address = str(icons[0].get("uri", "")) if icons else ""
    return next((address.removeprefix(one) for one in _SCHEMES if address.startswith(one)), _ICON)


def _is_default(asset: Json) -> bool:
    return isinstance(asset, dict) and asset.get("uri") == "ccdefault:"


def _build_card_archive(card: Card, package: bytes, came: CardForm | None) -> bytes:
    if came is CardForm.CHARX:
        return charx.with_member(charx.open_charx(package), charx.CARD, card.json.encode())
    if came is not CardForm.PNG:
        return charx.build_charx([(charx.CARD, card.json.encode())])
    icon = {"type": "icon", "uri": f"embeded://{_ICON}", "name": "main", "ext": "png"}
    assets = data_of(card).get("assets")
    others = (
        [asset for asset in assets if not _is_default(asset)] if isinstance(assets, list) else []
    )
    pictured = with_data(card, {"assets": [icon, *others]})
    return charx.build_charx(
        [(charx.CARD, pictured.json.encode()), (_ICON, png.without_card(package))]
    )
