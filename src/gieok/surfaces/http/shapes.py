"""What several routes take and give."""

from typing import Annotated

from fastapi import Header, Path, Query
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from gieok.model.accounts import USER_PATTERN

#: Without NUL, which no database takes.
NO_NUL = r"^[^\x00]*$"
Line = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$")]
UserName = Annotated[
    str, Path(pattern=f"^{USER_PATTERN}$", examples=["min"], description="The user: `sub` of a token.")
]
CharacterId = Annotated[str, Path(min_length=1, max_length=128, pattern=r"^[^\x00-\x20/:]+$", examples=["mina"])]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000_000, description="From 1 on.")]
PageLimit = Annotated[int, Query(ge=1, le=100, description="Rows of a page.")]
IdempotencyKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key", min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$", examples=["order-4711"],
        description="Of your own choice. The same key again changes nothing, and gives the same answer.",
    ),
]  # fmt: skip


class Given(BaseModel):
    """What a client sends: nothing that is not described here."""

    model_config = ConfigDict(extra="forbid")


class Page(BaseModel):
    """A page of a list."""

    total: int = Field(description="Rows of all pages.", examples=[1])
    page: int = Field(examples=[1])
    limit: int = Field(examples=[20])
