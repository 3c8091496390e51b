"""Chat models through the providers' own libraries, with replies streamed in pieces.

A reply ends where the reader goes away. The libraries' own retries are off: the waiting person
decides. A client is made once per model, and shared by threads.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gieok import extras
from gieok.errors import GeneratorFailed, GieokError, MissingExtra
from gieok.ports.models import ChatMessage, ReplyPart, ReplyParts, Sampling

if TYPE_CHECKING:
    from anthropic import Anthropic
    from google.genai import Client
    from openai import OpenAI

_TIMEOUT_S = 120.0
#: Sampling parameters that OpenAI's own models take; other servers take the rest too.
_KNOWN = (
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "logit_bias",
    "reasoning_effort",
    "verbosity",
)
_OTHERS = ("top_k", "top_a", "min_p", "repetition_penalty")
_RETRYABLE = frozenset((408, 409, 425, 429))
#: Claude has no reply without a limit.
_MOST_TOKENS = 1_024
#: Tokens that a thinking model may use for its thinking, beside the reply.
_THINKING = 8_000


class _ProviderChat:
    """`ChatModel` on a provider's library; a subclass makes the request."""

    def __init__(self, model: str, key: str, address: str, timeout_s: float = _TIMEOUT_S) -> None:
        self.model = model
        self._key, self._address, self._timeout_s = key or "none", address, timeout_s

    def stream(self, messages: Sequence[ChatMessage], sampling: Sampling) -> ReplyParts:
        """Yield a reply. Raises GeneratorFailed."""
        try:
            yield from self._parts(messages, sampling)
        except GieokError:
            raise
        except Exception as error:  # each provider's library has its own
            raise self._failed(error) from error

    def _parts(self, messages: Sequence[ChatMessage], sampling: Sampling) -> Iterator[ReplyPart]:
        raise NotImplementedError

    def _failed(self, error: Exception) -> GeneratorFailed:
        status = getattr(error, "status_code", None) or getattr(error, "code", None)
        if isinstance(status, int):
            retry = status >= 500 or status in _RETRYABLE
            return GeneratorFailed(
                "{model} answered {code}",
                model=self.model,
                code=status,
                hint=_HINT,
                worth_retrying=retry,
            )
        return GeneratorFailed(
            "{model} failed: {kind}",
            model=self.model,
            kind=type(error).__name__,
            hint=_HINT,
            worth_retrying=True,
        )

    @property
    def _name(self) -> str:
        return self.model.partition(":")[2]


def _import_httpx() -> None:
    """Import httpx to its end, where it is installed, before OpenAI's library asks for its classes.

    The library takes httpx from `sys.modules` as it finds it. A request fails there while another
    thread is still importing httpx, as the extraction of facts does with pydantic-ai's models.
    """
    with suppress(MissingExtra), extras.imports_of("models", "httpx"):
        import httpx  # noqa: F401


_HINT = "`gieok config show character` shows the model's settings; try again"


class OpenAiChat(_ProviderChat):
    """Chat model of any server with OpenAI's chat protocol."""

    def __init__(self, model: str, key: str, address: str, timeout_s: float = _TIMEOUT_S) -> None:
        super().__init__(model, key, address, timeout_s)
        if not address:
            raise GeneratorFailed(
                "the endpoint of {model} needs its address",
                model=model,
                hint="set `character.base_url`",
            )

    @cached_property
    def _client(self) -> "OpenAI":
        with extras.imports_of("models", self.model):
            from openai import OpenAI

        _import_httpx()
        return OpenAI(
            api_key=self._key, base_url=self._address, max_retries=0, timeout=self._timeout_s
        )

    def _parts(self, messages: Sequence[ChatMessage], sampling: Sampling) -> Iterator[ReplyPart]:
        talk: Any = [{"role": message.role, "content": message.text} for message in messages]
        parameters: Any = self._asked(sampling)
        end = ReplyPart(finish="")
        with self._client.chat.completions.create(
            model=self._name,
            messages=talk,
            stream=True,
            stream_options={"include_usage": True},
            extra_body=parameters,
        ) as answer:
            for chunk in answer:
                for choice in chunk.choices:
                    if choice.delta.content:
                        yield ReplyPart(choice.delta.content)
                    end = end._replace(finish=choice.finish_reason or end.finish)
                if chunk.usage:
                    end = end._replace(
                        input_tokens=chunk.usage.prompt_tokens,
                        output_tokens=chunk.usage.completion_tokens,
                    )
        yield _require_finished_reply(end, self.model)

    def _asked(self, sampling: Sampling) -> dict[str, object]:
        """Return the request parameters, by the names that the server knows."""
        is_own = self.model.startswith("openai:")
        names = _KNOWN if is_own else _KNOWN + _OTHERS
        parameters: dict[str, object] = {
            name: sampling.more[name] for name in names if name in sampling.more
        }
        if sampling.temperature is not None:
            parameters["temperature"] = sampling.temperature
        if sampling.stop:
            parameters["stop"] = list(sampling.stop)
        if is_own and _is_reasoning_model(self._name):
            parameters = {
                name: parameters[name]
                for name in ("reasoning_effort", "verbosity", "seed")
                if name in parameters
            }
            room = _THINKING
        else:
            room = 0
        if sampling.max_tokens:
            # The older name is the one that every other server knows.
            parameters["max_completion_tokens" if is_own else "max_tokens"] = (
                sampling.max_tokens + room
            )
        return parameters


class AnthropicChat(_ProviderChat):
    """A model of Anthropic."""

    @cached_property
    def _client(self) -> "Anthropic":
        with extras.imports_of("models", self.model):
            from anthropic import Anthropic

        return Anthropic(
            api_key=self._key,
            base_url=self._address or None,
            max_retries=0,
            timeout=self._timeout_s,
        )

    def _parts(self, messages: Sequence[ChatMessage], sampling: Sampling) -> Iterator[ReplyPart]:
        system, talk = split_into_turns(messages)
        parameters: dict[str, Any] = {"max_tokens": sampling.max_tokens or _MOST_TOKENS}
        if sampling.stop:
            parameters["stop_sequences"] = list(sampling.stop)
        if system:
            parameters["system"] = system
        if not _disallows_sampling(self._name):  # the newest library does not name them any more
            chosen = {"temperature": sampling.temperature, "top_k": sampling.more.get("top_k")}
            parameters["extra_body"] = {
                name: value for name, value in chosen.items() if value is not None
            }
        read = written = 0
        finish = ""
        rows: Any = [{"role": message.role, "content": message.text} for message in talk]
        with self._client.messages.create(
            model=self._name, messages=rows, stream=True, **parameters
        ) as answer:
            for event in answer:
                if event.type == "message_start":
                    read = event.message.usage.input_tokens
                elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                    yield ReplyPart(event.delta.text)
                elif event.type == "message_delta":
                    finish = "length" if event.delta.stop_reason == "max_tokens" else "stop"
                    written = event.usage.output_tokens
        yield _require_finished_reply(ReplyPart("", finish, read, written), self.model)


class GeminiChat(_ProviderChat):
    """A model of Google."""

    @cached_property
    def _client(self) -> "Client":
        with extras.imports_of("models", self.model):
            from google.genai import Client
            from google.genai.types import HttpOptions, HttpRetryOptions

        options = HttpOptions(
            base_url=self._address or None,
            timeout=round(self._timeout_s * 1000),
            retry_options=HttpRetryOptions(attempts=1),
        )
        return Client(api_key=self._key, vertexai=False, http_options=options)

    def _parts(self, messages: Sequence[ChatMessage], sampling: Sampling) -> Iterator[ReplyPart]:
        with extras.imports_of("models", self.model):
            from google.genai.types import Content, GenerateContentConfig, Part

        system, talk = split_into_turns(messages)
        names = ("top_p", "top_k", "presence_penalty", "frequency_penalty", "seed")
        more: dict[str, Any] = {
            name: sampling.more[name] for name in names if name in sampling.more
        }
        config = GenerateContentConfig(
            system_instruction=system or None,
            temperature=sampling.temperature,
            max_output_tokens=sampling.max_tokens + _THINKING if sampling.max_tokens else None,
            stop_sequences=list(sampling.stop) or None,
            **more,
        )
        rows: Any = [
            Content(
                role="model" if message.role == "assistant" else "user",
                parts=[Part(text=message.text)],
            )
            for message in talk
        ]
        end = ReplyPart()
        for chunk in self._client.models.generate_content_stream(
            model=self._name, contents=rows, config=config
        ):
            if chunk.text:
                yield ReplyPart(chunk.text)
            for candidate in chunk.candidates or ():
                if candidate.finish_reason:
                    end = end._replace(
                        finish="length" if candidate.finish_reason == "MAX_TOKENS" else "stop"
                    )
            if used := chunk.usage_metadata:
                read, written = used.prompt_token_count or 0, used.candidates_token_count or 0
                end = end._replace(input_tokens=read, output_tokens=written)
        yield _require_finished_reply(end, self.model)


def split_into_turns(messages: Sequence[ChatMessage]) -> tuple[str, list[ChatMessage]]:
    """Return the first system text, and the other messages as alternating turns, the user's first.

    Later system texts are put into the user's turns: these providers accept one system text.
    """
    head = next(
        (place for place, message in enumerate(messages) if message.role != "system"), len(messages)
    )
    system = "\n\n".join(message.text for message in messages[:head])
    talk: list[ChatMessage] = []
    for message in messages[head:]:
        role = "assistant" if message.role == "assistant" else "user"
        if talk and talk[-1].role == role:
            talk[-1] = ChatMessage(role, f"{talk[-1].text}\n\n{message.text}")
        else:
            talk.append(ChatMessage(role, message.text))
    if not talk or talk[0].role != "user":
        talk.insert(0, ChatMessage("user", "…"))
    return system, talk


def _require_finished_reply(end: ReplyPart, model: str) -> ReplyPart:
    """Return the last part of a reply.

    Raises GeneratorFailed where the reply broke off: its last part does not mark an end.
    """
    if not end.finish:
        raise GeneratorFailed(
            "{model} broke off in the middle of its reply",
            model=model,
            hint="try again",
            worth_retrying=True,
        )
    return end


def _is_reasoning_model(name: str) -> bool:
    with extras.imports_of("models", name):
        from pydantic_ai.profiles.openai import openai_model_profile

    known = openai_model_profile(name) or {}
    return bool(known.get("openai_supports_reasoning")) and not known.get(
        "openai_supports_reasoning_effort_none"
    )


def _disallows_sampling(name: str) -> bool:
    with extras.imports_of("models", name):
        from pydantic_ai.profiles.anthropic import anthropic_model_profile

    return bool((anthropic_model_profile(name) or {}).get("anthropic_disallows_sampling_settings"))
