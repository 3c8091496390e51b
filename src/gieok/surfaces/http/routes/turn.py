"""Routes for a message to a character: the reply, whole or streamed, and the bare context.

The context is for callers who ask a model of their own.
"""

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Response
from pydantic import BaseModel, Field

from gieok.character.turn.turn import PreparedPrompt, Reply, UserTurn
from gieok.errors import GieokError
from gieok.ports.models import Sampling
from gieok.surfaces.http.access import Desk, TheHouse, User
from gieok.surfaces.http.problems import ALWAYS, document, documented
from gieok.surfaces.http.shapes import CharacterId, Given, WithoutNul
from gieok.surfaces.http.streaming import EVENTS, ReplyResponse, format_server_event

router = APIRouter(prefix="/api/characters", tags=["turns"])
_ERRORS = documented(*ALWAYS, 402, 404, 502)
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The reply. With `Accept: text/event-stream` the events `start` (ids and "
        "memories), "
        "`delta` (`text`), "
        "and at the end `done` (the reply as without a stream) or `error` (a problem).",
        "content": {EVENTS: {"schema": {"type": "string"}}},
    }
}


class SentMessage(Given):
    """What the user says."""

    text: WithoutNul = Field(min_length=1, max_length=200_000, examples=["나 다음 주에 면접이야"])
    message_id: str = Field(
        "",
        max_length=100,
        pattern=r"^[A-Za-z0-9._-]*$",
        description="Of your own choice: the same again is answered once, and charged once.",
    )
    temperature: float | None = Field(None, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=1, le=100_000)


class AtHand(Given):
    """What the user says, for the context alone."""

    text: WithoutNul = Field(min_length=1, max_length=200_000, examples=["내 생일 기억해?"])


class UsedMemory(BaseModel):
    """A memory that the message recalled, with the parts of its score, each 0 to 1 before its
    weight.
    """

    id: str
    layer: str = Field(examples=["fact"])
    text: str
    score: float
    signals: dict[str, float]


class PreparedContext(BaseModel):
    """What a model is told. `told` are the ids of all memories in it, `canon` is what the lorebook
    says.
    """

    messages: list[dict[str, str]] = Field(
        examples=[[{"role": "user", "content": "내 생일 기억해?"}]]
    )
    narrative: str
    canon: str
    told: list[str]
    quoted: list[str] = Field(description="Ids of the user's messages that it quotes.")
    recalled: list[UsedMemory]
    extractor: str = Field(
        description="What finds facts: rules, or a model too.", examples=["rules"]
    )
    tokens: int = Field(description="Estimated.")


class TurnAnswer(BaseModel):
    """A reply. `finish` is how it ended: stop or length."""

    id: str
    message_id: str
    text: str
    finish: str = Field(examples=["stop"])
    told: list[str] = Field(description="Ids of the memories that stood in the prompt.")
    quoted: list[str] = Field(description="Ids of the user's messages that the prompt quoted.")
    recalled: list[UsedMemory]
    extractor: str
    input_tokens: int
    output_tokens: int
    balance: int = Field(description="Points that are left.")


@router.post(
    "/{character_id}/messages", response_model=TurnAnswer, responses={**_STREAM, **_ERRORS}
)
def send_message_to_character(
    desk: Desk,
    who: User,
    character_id: CharacterId,
    sent: SentMessage,
    accept: Annotated[str, Header()] = "",
) -> Response | TurnAnswer:
    """Say something to a character. A reply costs points after it was delivered."""
    house = desk.house
    sampling = Sampling(sent.temperature, sent.max_tokens or 0)
    reply = house.turns.begin(
        UserTurn(
            user=who.user,
            character=character_id,
            text=sent.text,
            message_id=sent.message_id,
            conversation="",
            sampling=sampling,
        )
    )
    if EVENTS in accept:
        return ReplyResponse(reply, _iter_turn_events(house, who.user, reply), desk)
    try:
        end = [part for part in reply if part.finish][-1]
    finally:
        reply.close()
    desk.count(reply)
    return _build_turn_answer(
        house, who.user, reply, end.finish, end.input_tokens, end.output_tokens
    )


@router.post("/{character_id}/context", responses=_ERRORS)
def context(house: TheHouse, who: User, character_id: CharacterId, sent: AtHand) -> PreparedContext:
    """Return what a model would get for a reply, for callers with a model of their own.

    Nothing is kept or charged.
    """
    prepared = house.turns.context(who.user, character_id, sent.text)
    reply_context = prepared.context
    return PreparedContext(
        messages=[{"role": message.role, "content": message.text} for message in prepared.messages],
        narrative=reply_context.narrative.text,
        canon=prepared.canon,
        told=list(reply_context.narrative.keys),
        quoted=list(reply_context.narrative.quoted),
        recalled=_list_recalled_memories(prepared),
        extractor=reply_context.extractor,
        tokens=prepared.tokens,
    )


def _iter_turn_events(house: TheHouse, user: str, reply: Reply) -> Iterator[str]:
    prepared = reply.prepared
    told = prepared.context.narrative
    recalled = [memory.model_dump() for memory in _list_recalled_memories(prepared)]
    begun = {
        "id": reply.id,
        "message_id": reply.message_id,
        "told": list(told.keys),
        "quoted": list(told.quoted),
        "recalled": recalled,
    }
    yield format_server_event({**begun, "extractor": prepared.context.extractor}, "start")
    try:
        for part in reply:
            if part.text:
                yield format_server_event({"text": part.text}, "delta")
            if part.finish:
                ending = _build_turn_answer(
                    house, user, reply, part.finish, part.input_tokens, part.output_tokens
                )
                yield format_server_event(ending.model_dump(), "done")
    except GieokError as error:
        yield format_server_event(document(error).model_dump(), "error")


def _build_turn_answer(
    house: TheHouse, user: str, reply: Reply, finish: str, read: int, written: int
) -> TurnAnswer:
    reply_context = reply.prepared.context
    return TurnAnswer(
        id=reply.id,
        message_id=reply.message_id,
        text=reply.text,
        finish=finish,
        told=list(reply_context.narrative.keys),
        quoted=list(reply_context.narrative.quoted),
        recalled=_list_recalled_memories(reply.prepared),
        extractor=reply_context.extractor,
        input_tokens=read or reply.prepared.tokens,
        output_tokens=written or reply.tokens,
        balance=house.accounts.balance(user),
    )


def _list_recalled_memories(prepared: PreparedPrompt) -> list[UsedMemory]:
    return [
        UsedMemory(
            id=memory.document.key,
            layer=memory.document.kind,
            text=memory.document.text,
            score=memory.score,
            signals=dict(memory.signals),
        )
        for memory in prepared.context.recalled
    ]
