"""Routes for the memories and messages of a character: read, search, edit."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field, model_validator

from gieok.character.accounts.erasure import CharacterForgotten
from gieok.character.facts import USER, digest
from gieok.character.house import House
from gieok.character.memory.control import EditOutcome, MemorySearch, Story
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
    Line,
    PageLimit,
    PageNumber,
    Prose,
    Topic,
    Word,
    build_answer_model,
    check_match,
    choose_named,
)

router = APIRouter(prefix="/api/memories", tags=["memories"], responses=documented(*ALWAYS, 404))
said = APIRouter(prefix="/api/characters", tags=["messages"], responses=documented(*ALWAYS, 404))


class Search(Given):
    """A search: the text, the number of results, and the layers to search.

    `query` is another name of `text`.
    """

    text: Prose = Field("", max_length=2_000, examples=["내 생일 기억해?"])
    query: Prose = Field("", max_length=2_000, description="Another name of `text`.")
    limit: int = Field(5, ge=1, le=50)
    layers: list[Layer] = Field([], max_length=4, description="[]: all of them.")

    @model_validator(mode="after")
    def _needs_text(self) -> "Search":
        if not (self.text or self.query):
            raise ValueError("`text` is missing")
        return self


class MemoryChange(Given):
    """New values of an edited memory; fields that are left out stay as they are.

    A fact has `subject`, `predicate`, `object`, `subtype`, `day` and `importance`; other memories
    have `text`, an episode `topics` too. `summary` is the object of a fact, and the text of another
    memory. A fact that is about something else afterwards is another memory, with another id.
    """

    object: Prose | None = Field(None, max_length=200, examples=["3월 16일"])
    subject: Line | None = Field(
        None, max_length=40, description="`user`, `character`, or a name.", examples=["user"]
    )
    predicate: Line | None = Field(None, max_length=40, examples=["birthday"])
    subtype: Line | None = Field(None, max_length=40)
    day: str | None = Field(
        None, max_length=10, examples=["2026-04-17"], description="Of a plan; '' for none."
    )
    text: Prose | None = Field(None, max_length=2_000)
    importance: float | None = Field(None, ge=0, le=1)
    topics: list[Topic] | None = Field(None, max_length=20, examples=[["영화", "면접"]])
    is_important: bool | None = Field(
        None, description="What is important is never merged with others."
    )
    summary: Prose | None = Field(
        None, max_length=2_000, description="Another name of `object` and of `text`."
    )
    important: bool | None = Field(
        None, alias="isImportant", description="Another name of `is_important`."
    )

    def to_edit(self, layer: Layer) -> MemoryEdit:
        """Return the change of a memory of a layer. Raises BadRequest."""
        is_fact = layer in (Layer.SEMANTIC, Layer.IDEAS)
        return MemoryEdit(
            object=choose_named("object", self.object, "summary", self.summary)
            if is_fact
            else self.object,
            day=self.day,
            text=self.text if is_fact else choose_named("text", self.text, "summary", self.summary),
            importance=self.importance,
            is_important=choose_named(
                "is_important", self.is_important, "isImportant", self.important
            ),
            topics=None if self.topics is None else tuple(self.topics),
            subject=self.subject,
            predicate=self.predicate,
            subtype=self.subtype,
        )


class NewFact(Given):
    """Fact that the user states."""

    predicate: Line = Field(
        min_length=1, max_length=40, examples=["job"], description="A kind of fact, as facts have."
    )
    object: Prose = Field(min_length=1, max_length=200, examples=["제빵사"])
    subject: Line = Field(
        USER, max_length=40, description="`user`, `character`, or a name.", examples=["user"]
    )
    subtype: Line = Field("", max_length=40)
    day: str = Field("", max_length=10, examples=["2026-04-17"], description="Of a plan.")
    importance: float | None = Field(None, ge=0, le=1)
    is_important: bool = False


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
    layer: Annotated[Layer | None, Query(description="Left out: all of them.")] = None,
    kind: Annotated[
        Layer | None, Query(alias="type", description="Another name of `layer`.")
    ] = None,
    page: PageNumber = 1,
    limit: PageLimit = 20,
) -> MemoryPage:
    """List the memories of a layer: memories that still hold first, then the newest first."""
    chosen = choose_named("layer", layer, "type", kind)
    bond = _find_bond(house, who.user, character_id)
    return house.control.memories(bond, chosen or "", page, limit)


@router.post("/{character_id}", status_code=201, response_model=build_answer_model(EditOutcome))
def add_character_fact(
    house: TheHouse, who: User, character_id: CharacterId, fact: NewFact
) -> EditOutcome:
    """Add a fact that the user states. It counts more than what Gieok finds by itself."""
    bond = _find_bond(house, who.user, character_id)
    return house.control.add(bond, MemoryEdit(**fact.model_dump()))


@router.post("/{character_id}/search", response_model=build_answer_model(MemorySearch))
def search_character_memories(
    house: TheHouse, who: User, character_id: CharacterId, asked: Search
) -> MemorySearch:
    """Find memories by meaning and words."""
    text = choose_named("text", asked.text or None, "query", asked.query or None)
    bond = _find_bond(house, who.user, character_id)
    return house.control.search(bond, text or "", asked.limit, asked.layers)


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
    """Return a memory, the messages that it came from, and its earlier versions.

    Send the answer's ETag as If-Match when you edit the memory.
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
    memory = house.control.read_item(bond, memory_id)
    if match is not None:
        check_match(match, _build_memory_etag(memory))
    return house.control.edit(bond, memory_id, change.to_edit(memory.layer))


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
