"""Routes for the memories and messages of a character: read, search, edit."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from gieok.character.accounts.erasure import CharacterForgotten
from gieok.character.facts import digest
from gieok.character.house import House
from gieok.character.memory.control import EditOutcome, RankedMemory, Story
from gieok.character.memory.decisions import MemoryEdit
from gieok.character.memory.memory_pages import Layer, MemoryPage, MessagePage, RememberedItem
from gieok.character.memory.service import Bond
from gieok.errors import NotFound
from gieok.surfaces.http.access import TheHouse, User
from gieok.surfaces.http.problems import ALWAYS, documented
from gieok.surfaces.http.shapes import (
    CharacterId,
    Given,
    IfMatch,
    PageLimit,
    PageNumber,
    Prose,
    Word,
    build_answer_model,
    check_match,
)

router = APIRouter(prefix="/api/memories", tags=["memories"], responses=documented(*ALWAYS, 404))
said = APIRouter(prefix="/api/characters", tags=["messages"], responses=documented(*ALWAYS, 404))


class Search(Given):
    """A search: the text, the number of results, and the layers to search."""

    text: Prose = Field(min_length=1, max_length=2_000, examples=["내 생일 기억해?"])
    limit: int = Field(5, ge=1, le=50)
    layers: list[Layer] = Field([], max_length=4, description="[]: all of them.")


class FoundMemories(BaseModel):
    """Memories, the best first, with the parts of their scores before the parts are weighted."""

    items: list[build_answer_model(RankedMemory)]  # type: ignore[valid-type]


class MemoryChange(Given):
    """New values of an edited memory; fields that are left out stay as they are.

    A fact has `object`, `day` and `importance`; other memories have `text`.
    """

    object: Prose | None = Field(None, max_length=200, examples=["3월 16일"])
    day: str | None = Field(
        None, max_length=10, examples=["2026-04-17"], description="Of a plan; '' for none."
    )
    text: Prose | None = Field(None, max_length=2_000)
    importance: float | None = Field(None, ge=0, le=1)
    is_important: bool | None = Field(
        None, description="What is important is never merged with others."
    )


class Undo(Given):
    """The change to undo: the id `undo` in the answer to the change."""

    change: str = Field(
        min_length=1, max_length=100, pattern=r"^[A-Za-z0-9._-]+$", examples=["5f0c9a3e8b1d"]
    )


class ChangeReceipt(BaseModel):
    """Confirmation that the change was made."""

    done: bool = True


@router.get("/{character_id}", response_model=build_answer_model(MemoryPage))
def list_layer_memories(
    house: TheHouse,
    who: User,
    character_id: CharacterId,
    layer: Layer = Layer.SEMANTIC,
    page: PageNumber = 1,
    limit: PageLimit = 20,
) -> MemoryPage:
    """List the memories of a layer: memories that still hold first, then the newest first."""
    return house.control.memories(_find_bond(house, who.user, character_id), layer, page, limit)


@router.post("/{character_id}/search")
def search_character_memories(
    house: TheHouse, who: User, character_id: CharacterId, asked: Search
) -> FoundMemories:
    """Find memories by meaning and words."""
    bond = _find_bond(house, who.user, character_id)
    hits = house.control.search(bond, asked.text, asked.limit, asked.layers)
    return FoundMemories.model_validate({"items": hits}, from_attributes=True)


@router.post("/{character_id}/undo")
def undo_memory_change(
    house: TheHouse, who: User, character_id: CharacterId, asked: Undo
) -> ChangeReceipt:
    """Undo an edit or a deletion."""
    house.control.undo(_find_bond(house, who.user, character_id), asked.change)
    return ChangeReceipt()


@router.get("/{character_id}/{memory_id}", response_model=build_answer_model(Story))
def read_memory_story(
    house: TheHouse, who: User, character_id: CharacterId, memory_id: Word, response: Response
) -> Story:
    """Return a memory, the messages it came from, and its earlier versions.

    The answer's ETag can be sent as If-Match when the memory is edited.
    """
    story = house.control.read(_find_bond(house, who.user, character_id), memory_id)
    response.headers["ETag"] = _build_memory_etag(story.memory)
    return story


@router.put(
    "/{character_id}/{memory_id}",
    response_model=build_answer_model(EditOutcome),
    responses=documented(412),
)
def edit_character_memory(
    house: TheHouse,
    who: User,
    character_id: CharacterId,
    memory_id: Word,
    change: MemoryChange,
    match: IfMatch = None,
) -> EditOutcome:
    """Edit a memory, or mark it as important.

    The user's version is kept even when memories are derived again from the messages.
    """
    bond = _find_bond(house, who.user, character_id)
    if match is not None:
        check_match(match, _build_memory_etag(house.control.read(bond, memory_id).memory))
    return house.control.edit(bond, memory_id, MemoryEdit(**change.model_dump()))


@router.delete("/{character_id}/{memory_id}", response_model=build_answer_model(EditOutcome))
def delete_character_memory(
    house: TheHouse,
    who: User,
    character_id: CharacterId,
    memory_id: Word,
    for_good: Annotated[bool, Query(description="At once, and not to be taken back.")] = False,
) -> EditOutcome:
    """Delete a memory; it is not learned again from the same messages."""
    return house.control.delete(
        _find_bond(house, who.user, character_id), memory_id, for_good=for_good
    )


@router.delete("/{character_id}", response_model=build_answer_model(CharacterForgotten))
def forget_character_memories(
    house: TheHouse, who: User, character_id: CharacterId
) -> CharacterForgotten:
    """Delete all memories and messages of a character: the character meets the user anew.

    The deletion cannot be undone.
    """
    return house.erasing.forget(who.user, _find_bond(house, who.user, character_id).character)


@said.get("/{character_id}/messages", response_model=build_answer_model(MessagePage))
def list_said_messages(
    house: TheHouse,
    who: User,
    character_id: CharacterId,
    page: PageNumber = 1,
    limit: PageLimit = 20,
    window: Annotated[bool, Query(description="Only what is not summarised yet.")] = False,
) -> MessagePage:
    """List the messages between user and character, the newest first."""
    return house.control.messages(
        _find_bond(house, who.user, character_id), page, limit, is_window=window
    )


@said.delete("/{character_id}/messages/{message_id}")
def delete_message(
    house: TheHouse, who: User, character_id: CharacterId, message_id: Word
) -> ChangeReceipt:
    """Delete a message for good, and the memories that come from this message alone."""
    house.control.delete_message(_find_bond(house, who.user, character_id), message_id)
    return ChangeReceipt()


def _find_bond(house: House, user: str, character: str) -> Bond:
    """Return the bond of a user and a character.

    Raises NotFound where the character does not exist and the user has no messages with it.
    """
    bond = house.bond(user, character)
    try:
        house.roster.find(user, character)
    except NotFound:
        if not house.memory.journal.read(bond.scope, 0, budget_tokens=1, limit=1):
            raise
    return bond


def _build_memory_etag(item: RememberedItem) -> str:
    return f'"{digest(repr(item))}"'
