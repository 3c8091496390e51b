"""Language models of any provider, through the `pydantic-ai` library, one try per call.

The engine retries and meters. The libraries' own retries are switched off, so that every wait is
the engine's, which the user sees.

Models are asked not to think, or as little as they can: notes need no thinking, and it is paid for.
Models that think all the same count their thinking as part of the answer, so they get room for it
beside the answer's own.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from gieok import extras
from gieok.errors import GeneratorFailed
from gieok.ports.models import Generated, Prompt

if TYPE_CHECKING:
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

_TIMEOUT_S = 120.0
#: Worth another try, as every 5xx is: time-outs, conflicts, too early, too many.
_RETRYABLE = frozenset((408, 409, 425, 429))


#: A model, and the function that closes its connections.
_Opened = tuple["Model", Callable[[], Awaitable[None]]]


class ProviderGenerator:
    """`Generator` on one model.

    Each call has a client and an event loop of its own: calls are rare, and threads many.
    """

    def __init__(
        self,
        model: str,
        build: Callable[[], _Opened],
        timeout_s: float = _TIMEOUT_S,
        *,
        is_unknown: bool = False,
        own: Mapping[str, object] | None = None,
    ) -> None:
        """Set up the model; `is_unknown`: nothing is known about the model behind the name.

        `own`: settings that only one provider has.
        """
        self.model = model
        self._build = build
        self._timeout_s = timeout_s
        self._is_unknown = is_unknown
        self._own = own or {}

    def generate(self, prompt: Prompt) -> Generated:
        """Ask once. Raises GeneratorFailed."""
        return asyncio.run(self._ask(prompt))

    async def _ask(self, prompt: Prompt) -> Generated:
        with extras.imports_of("models", self.model):
            from pydantic_ai import exceptions
            from pydantic_ai.direct import model_request
            from pydantic_ai.messages import ModelRequest

        model, close = self._build()
        timeout_s = prompt.timeout_s or self._timeout_s
        try:
            answer = await asyncio.wait_for(
                model_request(
                    model,
                    [ModelRequest.user_text_prompt(prompt.text, instructions=prompt.system)],
                    model_settings=self._settings(model, prompt, timeout_s),
                    model_request_parameters=self._form(model, prompt),
                ),
                timeout_s,
            )
        except exceptions.ModelHTTPError as error:
            retry = error.status_code >= 500 or error.status_code in _RETRYABLE
            raise GeneratorFailed(
                "{model} answered {status}",
                model=self.model,
                worth_retrying=retry,
                status=error.status_code,
            ) from error
        except TimeoutError as error:
            raise GeneratorFailed(
                "{model} did not answer within {timeout_s:g} s",
                model=self.model,
                timeout_s=timeout_s,
                worth_retrying=True,
            ) from error
        except exceptions.UserError as error:
            raise GeneratorFailed(
                "{model}: {error}",
                model=self.model,
                error=error,
                hint="`gieok config show` shows the model's settings",
            ) from error
        # each provider's library has its own; none of them may stop the sidecar
        except Exception as error:
            name = type(error).__name__
            raise GeneratorFailed(
                "{model} failed: {name}: {error}",
                model=self.model,
                name=name,
                error=error,
                worth_retrying=True,
            ) from error
        finally:
            await close()
        is_cut = answer.finish_reason == "length"
        return Generated(
            answer.text or "", answer.usage.input_tokens, answer.usage.output_tokens, is_cut
        )

    def _form(self, model: "Model", prompt: Prompt) -> "ModelRequestParameters | None":
        """Return the request parameters that hold a model to the answer's schema.

        None for prose, and for a model that may refuse a schema.
        """
        with extras.imports_of("models", self.model):
            from pydantic_ai.models import ModelRequestParameters
            from pydantic_ai.output import OutputObjectDefinition

        if (
            not prompt.schema
            or self._is_unknown
            or not model.profile.get("supports_json_schema_output")
        ):
            return None
        form = OutputObjectDefinition(
            json_schema=json.loads(prompt.schema), name="answer", strict=True
        )
        return ModelRequestParameters(output_mode="native", output_object=form)

    def _settings(self, model: "Model", prompt: Prompt, timeout_s: float) -> "ModelSettings":
        profile = model.profile
        knows = profile.get
        reasons = knows("openai_supports_reasoning") and not knows(
            "openai_supports_reasoning_effort_none"
        )
        thinks = (
            reasons or knows("thinking_always_enabled") or knows("google_supports_thinking_level")
        )
        room = prompt.max_output_tokens + (
            prompt.thinking_tokens if thinks or self._is_unknown else 0
        )
        settings: ModelSettings = {"max_tokens": room, "thinking": False, "timeout": timeout_s}
        if not (
            reasons or knows("anthropic_disallows_sampling_settings")
        ):  # the library would leave it out, and say so on stderr
            settings["temperature"] = prompt.temperature
        if self._is_unknown:  # the older name is the one that every such server knows
            settings["extra_body"] = {"max_tokens": settings.pop("max_tokens")}
        return {**settings, **self._own}  # type: ignore[typeddict-item]


def build_chat_generator(model: str, key: str, address: str) -> ProviderGenerator:
    """Return a generator on an endpoint with OpenAI's chat protocol.

    Raises GeneratorFailed without an address.
    """
    if not address:
        raise GeneratorFailed(
            "the endpoint of {model} needs its address",
            model=model,
            hint="set `base_url` next to the setting of the model, such as `observe.base_url`",
        )

    def build() -> _Opened:
        with extras.imports_of("models", model):
            from openai import AsyncOpenAI
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider

        client = AsyncOpenAI(api_key=key or "none", base_url=address, max_retries=0)
        return OpenAIChatModel(
            _strip_provider_prefix(model), provider=OpenAIProvider(openai_client=client)
        ), client.close

    return ProviderGenerator(model, build, is_unknown=not model.startswith("openai:"))


def build_anthropic_generator(model: str, key: str, address: str) -> ProviderGenerator:
    """Return a generator on a model of Anthropic."""

    def build() -> _Opened:
        with extras.imports_of("models", model):
            from anthropic import AsyncAnthropic
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

        client = AsyncAnthropic(api_key=key or "none", base_url=address or None, max_retries=0)
        return AnthropicModel(
            _strip_provider_prefix(model), provider=AnthropicProvider(anthropic_client=client)
        ), client.close

    # The instructions come first: they are the same in every call.
    return ProviderGenerator(model, build, own={"anthropic_cache_instructions": True})


def build_gemini_generator(model: str, key: str, address: str) -> ProviderGenerator:
    """Return a generator on a model of Google."""

    def build() -> _Opened:
        with extras.imports_of("models", model):
            from google.genai import Client
            from google.genai.types import HttpOptions, HttpRetryOptions
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

        options = HttpOptions(base_url=address or None, retry_options=HttpRetryOptions(attempts=1))
        client = Client(api_key=key or "none", vertexai=False, http_options=options)
        return GoogleModel(
            _strip_provider_prefix(model), provider=GoogleProvider(client=client)
        ), client.aio.aclose

    return ProviderGenerator(model, build)


def _strip_provider_prefix(model: str) -> str:
    return model.partition(":")[2]
