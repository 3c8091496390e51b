"""OpenAI's chat protocol, for front ends that keep the conversation themselves.

`model` names the character, the key names the user. `metadata.conversation`, else `user`, names the
conversation. Fields that are not described here are ignored.
"""

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gieok.character.turn.completion import Sent
from gieok.character.turn.history import Shown
from gieok.character.turn.turn import Reply
from gieok.errors import BadRequest, GieokError, NotFound
from gieok.model.accounts import StoredCharacter
from gieok.ports.models import ReplyPart, Sampling
from gieok.surfaces.http.access import Desk, TheHouse, User
from gieok.surfaces.http.problems import openai_documented, openai_error
from gieok.surfaces.http.streaming import EVENTS, ReplyResponse, format_server_event

router = APIRouter(
    prefix="/v1",
    tags=["openai"],
    responses=openai_documented(400, 401, 402, 403, 404, 413, 429, 500, 502, 503),
)
#: Sampling parameters that are passed on to the model; see `gieok.ports.models.Sampling`.
_NUMBERS = (
    "top_p",
    "top_k",
    "top_a",
    "min_p",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "seed",
)
_WORDS = ("reasoning_effort", "verbosity")
_MOST_MODELS = 1_000
_FINISHES = ("stop", "length", "content_filter")
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A completion; with `stream: true`, chunks.",
        "content": {EVENTS: {"schema": {"type": "string"}}},
    }
}
Character = Annotated[
    str, Path(min_length=1, max_length=128, pattern=r"^[^\x00-\x20/:]+$", examples=["mina"])
]
#: Neither infinite nor larger than any model accepts; NaN fails the comparison too.
_TOO_MUCH = 1e9


def _clean_sampling_number(value: object) -> object:
    """Return a number, or None for any other value: front ends send empty fields."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < _TOO_MUCH else None


def _join_text_parts(value: object) -> object:
    """Return the text of a message; of a message in parts, the joined text parts."""
    if isinstance(value, list):
        texts = [
            part.get("text")
            for part in value
            if isinstance(part, dict) and part.get("type") == "text"
        ]
        return "\n".join(text for text in texts if isinstance(text, str))
    return value or ""


Number = Annotated[float | None, BeforeValidator(_clean_sampling_number)]


class OpenAiMessage(BaseModel):
    """A message."""

    role: str = Field(max_length=40, examples=["user"])
    content: Annotated[str, BeforeValidator(_join_text_parts)] = Field(
        "", max_length=200_000, examples=["나 기억해?"]
    )
    name: str | None = Field(None, max_length=200)


class StreamOptions(BaseModel):
    """What a stream has beside the reply."""

    include_usage: bool | None = None


class ChatRequest(BaseModel):
    """A request for a reply."""

    model_config = ConfigDict(extra="allow")
    model: str = Field("", max_length=200, examples=["mina"])
    messages: list[OpenAiMessage] = Field(min_length=1, max_length=20_000)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    temperature: Number = None
    max_tokens: Number = None
    max_completion_tokens: Number = None
    stop: str | list[str] | None = None
    user: str | None = Field(None, max_length=200)
    metadata: dict[str, Any] | None = None

    @property
    def conversation(self) -> str:
        """Return the name of the conversation; '' for none."""
        named = (self.metadata or {}).get("conversation") or self.user
        return "".join(c for c in str(named or "") if c.isprintable())[:200]

    @property
    def sampling(self) -> Sampling:
        """Return how the reply is to be made."""
        extra = self.model_extra or {}
        more = {
            name: extra[name]
            for name in _NUMBERS
            if _clean_sampling_number(extra.get(name)) is not None
        }
        more |= {
            name: extra[name] for name in _WORDS if isinstance(extra.get(name), str) and extra[name]
        }
        if isinstance(extra.get("logit_bias"), dict) and extra["logit_bias"]:
            more["logit_bias"] = extra["logit_bias"]
        stop = (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())
        most = int(self.max_completion_tokens or self.max_tokens or 0)
        return Sampling(self.temperature, max(most, 0), tuple(filter(None, stop)), more)


class Spent(BaseModel):
    """Tokens of the prompt and of the reply: the model's own counts, otherwise estimates."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ReplyMessage(BaseModel):
    """The character's reply, as a message of the assistant."""

    role: str = "assistant"
    content: str
    refusal: str | None = None


class Choice(BaseModel):
    """The only choice of a completion: the reply, and why it ended."""

    index: int = 0
    message: ReplyMessage
    logprobs: None = None
    finish_reason: str


class Completion(BaseModel):
    """A completion."""

    id: str
    object: str = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: Spent
    system_fingerprint: None = None


class Model(BaseModel):
    """A character."""

    id: str = Field(examples=["mina"])
    object: str = "model"
    created: int
    owned_by: str


class Models(BaseModel):
    """The characters that the user can talk to."""

    object: str = "list"
    data: list[Model]


@router.post("/chat/completions", response_model=Completion, responses=_STREAM)
def complete(desk: Desk, who: User, asked: ChatRequest) -> Response | Completion:
    """Return a character's reply; `model` is its id."""
    return _answer_completion(desk, who.user, asked.model, asked)


@router.post("/c/{character}/chat/completions", response_model=Completion, responses=_STREAM)
def complete_of(
    desk: Desk, who: User, character: Character, asked: ChatRequest
) -> Response | Completion:
    """Return a reply of the character in the path, for front ends that cannot choose the model."""
    return _answer_completion(desk, who.user, character, asked)


@router.post(
    "/c/{character}/v1/chat/completions", response_model=Completion, include_in_schema=False
)
def complete_below(
    desk: Desk, who: User, character: Character, asked: ChatRequest
) -> Response | Completion:
    """Return the same, for front ends that put /v1 behind any address."""
    return _answer_completion(desk, who.user, character, asked)


@router.get("/models")
def list_chat_models(house: TheHouse, who: User) -> Models:
    """List the characters that the user can talk to."""
    return Models(
        data=[
            _build_chat_model(character)
            for character in house.roster.page(who.user, 0, _MOST_MODELS).characters
        ]
    )


@router.get("/models/{character}")
@router.get("/c/{character}/models/{name}", include_in_schema=False)
def model(house: TheHouse, who: User, character: Character) -> Model:
    """Return a character."""
    return _build_chat_model(house.roster.find(who.user, character))


@router.get("/c/{character}/models")
@router.get("/c/{character}/v1/models", include_in_schema=False)
def model_of(house: TheHouse, who: User, character: Character) -> Models:
    """List only the character in the path."""
    return Models(data=[_build_chat_model(house.roster.find(who.user, character))])


def _build_chat_model(one: StoredCharacter) -> Model:
    return Model(id=one.id, created=int(one.created_at.timestamp()), owned_by=one.owner or "gieok")


def _answer_completion(
    desk: Desk, user: str, character: str, asked: ChatRequest
) -> Response | Completion:
    if not character:
        raise BadRequest("`model` is missing", hint="name a character; GET /v1/models lists them")
    shown = tuple(
        Shown(message.role, message.content, message.name or "") for message in asked.messages
    )
    try:
        reply = desk.house.completions.begin(
            Sent(
                user=user,
                character=character,
                shown=shown,
                conversation=asked.conversation,
                sampling=asked.sampling,
            )
        )
    except NotFound as error:
        raise NotFound(str(error), hint="GET /v1/models lists the characters") from error
    created = int(desk.house.memory.clock.now().timestamp())
    if asked.stream:
        has_usage = bool(asked.stream_options and asked.stream_options.include_usage)
        return ReplyResponse(
            reply, _iter_completion_chunks(reply, character, created, has_usage=has_usage), desk
        )
    try:
        end = [part for part in reply if part.finish][-1]
    finally:
        reply.close()
    desk.count(reply)
    choice = Choice(
        message=ReplyMessage(content=reply.text), finish_reason=_normalise_finish_reason(end)
    )
    return Completion(
        id=_format_completion_id(reply),
        created=created,
        model=character,
        choices=[choice],
        usage=_count_spent_tokens(reply, end),
    )


def _iter_completion_chunks(
    reply: Reply, character: str, created: int, *, has_usage: bool
) -> Iterator[str]:
    base: dict[str, object] = {
        "id": _format_completion_id(reply),
        "object": "chat.completion.chunk",
        "created": created,
        "model": character,
    }
    base |= {"system_fingerprint": None} | ({"usage": None} if has_usage else {})

    def chunk(delta: dict[str, object], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return format_server_event({**base, "choices": [choice]})

    yield chunk({"role": "assistant", "content": "", "refusal": None})
    try:
        for part in reply:
            if part.text:
                yield chunk({"content": part.text})
            if part.finish:
                yield chunk({}, _normalise_finish_reason(part))
                if has_usage:
                    yield format_server_event(
                        {
                            **base,
                            "choices": [],
                            "usage": _count_spent_tokens(reply, part).model_dump(),
                        }
                    )
    except GieokError as error:
        yield format_server_event(openai_error(error))
        return
    yield "data: [DONE]\n\n"


def _normalise_finish_reason(end: ReplyPart) -> str:
    return end.finish if end.finish in _FINISHES else "stop"


def _count_spent_tokens(reply: Reply, end: ReplyPart) -> Spent:
    read, written = end.input_tokens or reply.prepared.tokens, end.output_tokens or reply.tokens
    return Spent(prompt_tokens=read, completion_tokens=written, total_tokens=read + written)


def _format_completion_id(reply: Reply) -> str:
    return f"chatcmpl-{reply.id}"
