"""What a character remembers of the user: to read, to search, to edit."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel, Field

from gieok.capabilities.character.recalling import RecalledMemory
from gieok.capabilities.character.service import Bond
from gieok.surfaces.http.access import TheHouse, User
from gieok.surfaces.http.problems import ALWAYS, documented

router = APIRouter(prefix="/api/memories", tags=["memories"], responses=documented(*ALWAYS, 404))


class Search(BaseModel):
    """What is searched for."""

    text: str = Field(min_length=1, max_length=2_000, examples=["내 생일 기억해?"])
    limit: int = Field(5, ge=1, le=50)


class FoundMemory(BaseModel):
    """A memory with its score and the parts of it, each 0 to 1 before its weight."""

    id: str = Field(examples=["character:fact:5f0c:birthday:8a1b"])
    layer: str = Field(examples=["fact"])
    text: str = Field(examples=["생일은 3월 15일이다"])
    at: datetime
    score: float = Field(examples=[0.71])
    signals: dict[str, float] = Field(examples=[{"similarity": 0.8, "recency": 1.0, "importance": 0.5}])


class FoundMemories(BaseModel):
    """Memories, the best first."""

    items: list[FoundMemory]


@router.post("/{character_id}/search")
def search(house: TheHouse, who: User, character_id: str, asked: Search) -> FoundMemories:
    """Find memories by meaning and words."""
    found = house.memory.search(Bond(who.user, character_id), asked.text, asked.limit)
    return FoundMemories(items=[_found(one) for one in found])


def _found(one: RecalledMemory) -> FoundMemory:
    document = one.document
    at = document.valid_from or document.updated_at
    return FoundMemory(
        id=document.key, layer=document.kind, text=document.text, at=at, score=one.score, signals=dict(one.signals)
    )
