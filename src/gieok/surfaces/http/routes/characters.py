"""Routes for characters: the user's own and the service's; import and export of their cards.

Everybody can talk to the service's characters.
"""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from gieok.character.cards.bounded_json import Json
from gieok.character.cards.card import Card, card_of, new_card, with_data
from gieok.character.cards.package import MEDIA, CardForm
from gieok.character.cards.roster import CharacterDeleted
from gieok.character.facts import digest
from gieok.character.house import House
from gieok.model.accounts import StoredCharacter
from gieok.surfaces.http.access import ADMINS_ONLY, TheHouse, User
from gieok.surfaces.http.problems import ALWAYS, documented
from gieok.surfaces.http.shapes import (
    CharacterId,
    Given,
    IfMatch,
    Line,
    Page,
    PageLimit,
    PageNumber,
    Prose,
    RawBody,
    build_answer_model,
    check_match,
)

router = APIRouter(prefix="/api/characters", tags=["characters"], responses=documented(*ALWAYS))
of_service = APIRouter(
    prefix="/api/admin/characters",
    tags=["admin"],
    responses=documented(*ALWAYS),
    dependencies=ADMINS_ONLY,
)
_SERVICE = ""
_ID = r"^[^\x00-\x20/:]*$"
_SUFFIXES = {
    CardForm.JSON: "json",
    CardForm.JSON_V2: "json",
    CardForm.PNG: "png",
    CardForm.CHARX: "charx",
}

WantedId = Annotated[
    str,
    Query(
        alias="id", max_length=64, pattern=_ID, description="Its id; else one is made of its name."
    ),
]
Replaces = Annotated[
    bool, Query(description="Give the character of that id another card, where there is one.")
]


class CharacterText(Given):
    """The texts of a character, named as Character Card V3 names them."""

    name: Line = Field(min_length=1, max_length=200, examples=["미나"])
    nickname: Line = Field("", max_length=200)
    description: Prose = Field("", examples=["미나는 성수동에서 책방을 한다."])
    personality: Prose = ""
    scenario: Prose = ""
    mes_example: Prose = ""
    system_prompt: Prose = ""
    post_history_instructions: Prose = ""
    creator_notes: Prose = ""
    greetings: list[Prose] = Field([], max_length=50, examples=[["어서 와, 오늘은 어땠어?"]])


class NewCharacter(CharacterText):
    """A character to be created."""

    id: str = Field(
        "", max_length=64, pattern=_ID, examples=["mina"], description="'': made of the name."
    )


class CharacterListItem(BaseModel):
    """A character. Users cannot change the service's characters."""

    id: str = Field(examples=["mina"])
    name: str = Field(examples=["미나"])
    is_own: bool
    created_at: datetime
    updated_at: datetime


class WholeCharacter(CharacterListItem):
    """A character with its texts."""

    nickname: str
    description: str
    personality: str
    scenario: str
    mes_example: str
    system_prompt: str
    post_history_instructions: str
    creator_notes: str
    greetings: list[str]
    lorebook_entries: int
    model: str = Field(description="What answers for it; '' for the service's.")


class CharacterListPage(Page):
    """A page of characters."""

    items: list[CharacterListItem]


@router.get("")
def list_user_characters(
    house: TheHouse, who: User, page: PageNumber = 1, limit: PageLimit = 20
) -> CharacterListPage:
    """List the characters that the user can talk to: their own, then the service's."""
    return _list_character_page(house, who.user, page, limit)


@router.post("", status_code=201, responses=documented(409))
def create_own_character(
    house: TheHouse, who: User, given: NewCharacter, response: Response
) -> WholeCharacter:
    """Make a character of the user's own."""
    return _answer_with_character(
        house.roster.create(who.user, _build_card_of_texts(given), given.id), response
    )


_BINARY = {"schema": {"type": "string", "format": "binary"}}
_FILE = {"requestBody": {"required": True, "content": {"application/octet-stream": _BINARY}}}


@router.post("/import", status_code=201, responses=documented(404, 409), openapi_extra=_FILE)
def import_card(
    house: TheHouse,
    who: User,
    body: RawBody,
    response: Response,
    identity: WantedId = "",
    replaces: Replaces = False,
) -> WholeCharacter:
    """Import a card: Character Card V1 to V3 as JSON, PNG, APNG or CHARX.

    The body is the file itself.
    """
    return _answer_with_character(
        house.roster.import_file(who.user, body, identity, replaces=replaces), response
    )


@router.get("/{character_id}", responses=documented(404))
def character(
    house: TheHouse, who: User, character_id: CharacterId, response: Response
) -> WholeCharacter:
    """Return a character with its texts.

    Send the answer's ETag as If-Match when you edit the character.
    """
    return _answer_with_character(house.roster.find(who.user, character_id), response)


@router.put("/{character_id}", responses=documented(404, 412))
def update_own_character(
    house: TheHouse,
    who: User,
    character_id: CharacterId,
    given: CharacterText,
    response: Response,
    match: IfMatch = None,
) -> WholeCharacter:
    """Change the texts of the user's own character. Its lorebook and the rest of its card stay."""
    return _update_character_texts(house, who.user, character_id, given, response, match)


@router.delete(
    "/{character_id}",
    responses=documented(404),
    response_model=build_answer_model(CharacterDeleted),
)
def delete_own_character(house: TheHouse, who: User, character_id: CharacterId) -> CharacterDeleted:
    """Delete the user's own character. Its memories stay until the user deletes them too."""
    return house.roster.delete(who.user, character_id)


_CONTENT = {
    **dict.fromkeys(MEDIA.values(), _BINARY),
    MEDIA[CardForm.JSON]: {"schema": {"type": "object"}},
}
_FILES: dict[int | str, dict[str, Any]] = {200: {"content": _CONTENT}}


@router.get(
    "/{character_id}/card", response_class=Response, responses={**_FILES, **documented(404)}
)
def card(
    house: TheHouse, who: User, character_id: CharacterId, form: CardForm = CardForm.JSON
) -> Response:
    """Return a character as a card file, with everything that was imported with it."""
    data = house.roster.export_file(who.user, character_id, form)
    headers = {"Content-Disposition": f'attachment; filename="character.{_SUFFIXES[form]}"'}
    return Response(data, media_type=MEDIA[form], headers=headers)


@of_service.get("")
def service_characters(
    house: TheHouse, page: PageNumber = 1, limit: PageLimit = 20
) -> CharacterListPage:
    """List the service's characters."""
    return _list_character_page(house, _SERVICE, page, limit)


@of_service.post("", status_code=201, responses=documented(409))
def create_for_all(house: TheHouse, given: NewCharacter, response: Response) -> WholeCharacter:
    """Make a character that everybody can talk to."""
    return _answer_with_character(
        house.roster.create(_SERVICE, _build_card_of_texts(given), given.id), response
    )


@of_service.post("/import", status_code=201, responses=documented(404, 409), openapi_extra=_FILE)
def import_for_all(
    house: TheHouse,
    body: RawBody,
    response: Response,
    identity: WantedId = "",
    replaces: Replaces = False,
) -> WholeCharacter:
    """Import the card of a character that everybody can talk to."""
    return _answer_with_character(
        house.roster.import_file(_SERVICE, body, identity, replaces=replaces), response
    )


@of_service.put("/{character_id}", responses=documented(404, 412))
def update_for_all(
    house: TheHouse,
    character_id: CharacterId,
    given: CharacterText,
    response: Response,
    match: IfMatch = None,
) -> WholeCharacter:
    """Change the texts of a character of the service."""
    return _update_character_texts(house, _SERVICE, character_id, given, response, match)


@of_service.delete(
    "/{character_id}",
    responses=documented(404),
    response_model=build_answer_model(CharacterDeleted),
)
def delete_for_all(house: TheHouse, character_id: CharacterId) -> CharacterDeleted:
    """Delete a character of the service. Its memories of users stay."""
    return house.roster.delete(_SERVICE, character_id)


def _list_character_page(house: House, owner: str, page: int, limit: int) -> CharacterListPage:
    roster_page = house.roster.page(owner, (page - 1) * limit, limit)
    return CharacterListPage(
        total=roster_page.total,
        page=page,
        limit=limit,
        items=list(map(_build_list_item, roster_page.characters)),
    )


def _build_list_item(stored: StoredCharacter) -> CharacterListItem:
    return CharacterListItem(
        id=stored.id,
        name=stored.name,
        is_own=bool(stored.owner),
        created_at=stored.created_at,
        updated_at=stored.updated_at,
    )


def _answer_with_character(stored: StoredCharacter, response: Response) -> WholeCharacter:
    """Return a stored character as the API shows it, and set the ETag of the response."""
    response.headers["ETag"] = _build_character_etag(stored)
    stored_card = card_of(stored.card)
    return WholeCharacter(
        **_build_list_item(stored).model_dump(),
        nickname=stored_card.nickname,
        description=stored_card.description,
        personality=stored_card.personality,
        scenario=stored_card.scenario,
        mes_example=stored_card.mes_example,
        system_prompt=stored_card.system_prompt,
        post_history_instructions=stored_card.post_history_instructions,
        creator_notes=stored_card.creator_notes,
        greetings=list(stored_card.greetings),
        lorebook_entries=len(stored_card.book.entries),
        model=stored.model,
    )


def _build_character_etag(stored: StoredCharacter) -> str:
    return f'"{digest(f"{stored.owner} {stored.id} {stored.model} {stored.card}")}"'


def _build_card_of_texts(given: CharacterText) -> Card:
    return new_card(_read_card_texts(given), tuple(given.greetings))


def _read_card_texts(given: CharacterText) -> dict[str, str]:
    """Return the texts by the names of Character Card V3, without the greetings."""
    return given.model_dump(exclude={"id", "greetings"})


def _update_character_texts(
    house: House,
    owner: str,
    identity: str,
    given: CharacterText,
    response: Response,
    match: str | None,
) -> WholeCharacter:
    stored = house.roster.own(owner, identity)
    check_match(match, _build_character_etag(stored))
    first, *others = given.greetings or [""]
    texts: dict[str, Json] = {
        **_read_card_texts(given),
        "first_mes": first,
        "alternate_greetings": [*others],
    }
    return _answer_with_character(
        house.roster.update(owner, identity, with_data(card_of(stored.card), texts)), response
    )
