"""Language models of any provider, through the `pydantic-ai` library. One try per call: the engine retries and meters.

The libraries' own retries are switched off, so that every wait is the engine's, which the user sees.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from gieok.errors import GeneratorFailed
from gieok.ports.models import Generated, Prompt

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_TIMEOUT_S = 120.0
#: Worth another try, as every 5xx is: time-outs, conflicts, too early, too many.
_RETRYABLE = frozenset((408, 409, 425, 429))


#: A model, and the function that closes its connections.
_Opened = tuple["Model", Callable[[], Awaitable[None]]]


class ProviderGenerator:
    """`Generator` on one model. Each call has a client and an event loop of its own: calls are rare, and threads many."""

    def __init__(self, model: str, build: Callable[[], _Opened], timeout_s: float = _TIMEOUT_S) -> None:
        self.model = model
        self._build = build
        self._timeout_s = timeout_s

    def generate(self, prompt: Prompt) -> Generated:
        """Ask once. Raises GeneratorFailed."""
        return asyncio.run(self._ask(prompt))

    async def _ask(self, prompt: Prompt) -> Generated:
        from pydantic_ai import exceptions
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest

        model, close = self._build()
        try:
            answer = await asyncio.wait_for(
                model_request(
                    model,
                    [ModelRequest.user_text_prompt(prompt.text, instructions=prompt.system)],
                    model_settings={
                        "temperature": prompt.temperature,
                        "max_tokens": prompt.max_output_tokens,
                        "timeout": self._timeout_s,
                    },
                ),
                self._timeout_s,
            )
        except exceptions.ModelHTTPError as error:
            retry = error.status_code >= 500 or error.status_code in _RETRYABLE
            raise GeneratorFailed(f"{self.model} answered {error.status_code}", worth_retrying=retry) from error
        except TimeoutError as error:
            raise GeneratorFailed(
                f"{self.model} did not answer within {self._timeout_s:g} s", worth_retrying=True
            ) from error
        except exceptions.UserError as error:
            raise GeneratorFailed(
                f"{self.model}: {error}", hint="`gieok config show` shows the model's settings"
            ) from error
        except Exception as error:  # each provider's library has its own; none of them may stop the sidecar
            name = type(error).__name__
            raise GeneratorFailed(f"{self.model} failed: {name}: {error}", worth_retrying=True) from error
        finally:
            await close()
        return Generated(answer.text or "", answer.usage.input_tokens, answer.usage.output_tokens)


def chat(model: str, key: str, address: str) -> ProviderGenerator:
    """Return a model behind an endpoint that speaks OpenAI's chat protocol. Raises GeneratorFailed without an address."""
    if not address:
        raise GeneratorFailed(
            f"the endpoint of {model} needs its address",
            hint="set `base_url` next to the setting of the model, such as `observe.base_url`",
        )

    def build() -> _Opened:
        from openai import AsyncOpenAI
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        client = AsyncOpenAI(api_key=key or "none", base_url=address, max_retries=0)
        return OpenAIChatModel(_name(model), provider=OpenAIProvider(openai_client=client)), client.close

    return ProviderGenerator(model, build)


def anthropic(model: str, key: str, address: str) -> ProviderGenerator:
    """Return a model of Anthropic."""

    def build() -> _Opened:
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        client = AsyncAnthropic(api_key=key or "none", base_url=address or None, max_retries=0)
        return AnthropicModel(_name(model), provider=AnthropicProvider(anthropic_client=client)), client.close

    return ProviderGenerator(model, build)


def gemini(model: str, key: str, address: str) -> ProviderGenerator:
    """Return a model of Google."""

    def build() -> _Opened:
        from google.genai import Client
        from google.genai.types import HttpOptions, HttpRetryOptions
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        options = HttpOptions(base_url=address or None, retry_options=HttpRetryOptions(attempts=1))
        client = Client(api_key=key or "none", vertexai=False, http_options=options)
        return GoogleModel(_name(model), provider=GoogleProvider(client=client)), client.aio.aclose

    return ProviderGenerator(model, build)


def _name(model: str) -> str:
    return model.partition(":")[2]
