"""Probe of a key: one cheap request to a provider of language models, through its own library.

With a model, that model says a word; without one, the models are listed, which costs nothing.
Nothing that a library says is passed on: providers repeat keys.
"""

from collections.abc import Callable
from typing import Any

from gieok import extras
from gieok.errors import Phrase, ServiceFailed

_INVALID, _SPENT = 401, 402
_WORD = "Say ok."
#: Smallest token limit that every model of OpenAI's takes.
_TOKENS = 16
#: Words in the message of a status 400 → the status that it should have had.
_REFUSALS = (
    ("api key not valid", _INVALID),
    ("api_key_invalid", _INVALID),
    ("api key expired", _INVALID),
    ("credit balance", _SPENT),
)


def openai(key: str, address: str, model: str, timeout_s: float) -> None:
    """Send a probe to OpenAI. Raises ServiceFailed, whose status says why."""
    _probe_openai_protocol(key, address, model, timeout_s, limit="max_completion_tokens")


def compatible(key: str, address: str, model: str, timeout_s: float) -> None:
    """Send a probe to an endpoint with OpenAI's protocol. Raises the errors of `openai`."""
    _probe_openai_protocol(key, address, model, timeout_s, limit="max_tokens")


def _probe_openai_protocol(
    key: str, address: str, model: str, timeout_s: float, *, limit: str
) -> None:
    """Ask for one short answer, or without a model for the list of models.

    `limit` is the service's name for the most tokens of an answer.
    """
    with extras.imports_of("models", "openai"):
        from openai import OpenAI

    with OpenAI(api_key=key, base_url=address or None, max_retries=0, timeout=timeout_s) as client:
        most: Any = {limit: _TOKENS}
        messages: Any = [{"role": "user", "content": _WORD}]
        if model:
            _run_key_probe(
                lambda: client.chat.completions.create(model=model, messages=messages, **most)
            )
        else:
            _run_key_probe(client.models.list)


def anthropic(key: str, address: str, model: str, timeout_s: float) -> None:
    """Send a probe to Anthropic. Raises the errors of `openai`."""
    with extras.imports_of("models", "anthropic"):
        from anthropic import Anthropic

    with Anthropic(
        api_key=key, base_url=address or None, max_retries=0, timeout=timeout_s
    ) as client:
        if model:
            messages: Any = [{"role": "user", "content": _WORD}]
            _run_key_probe(
                lambda: client.messages.create(model=model, messages=messages, max_tokens=_TOKENS)
            )
        else:
            _run_key_probe(lambda: client.models.list(limit=1))


def gemini(key: str, address: str, model: str, timeout_s: float) -> None:
    """Send a probe to Google. Raises the errors of `openai`."""
    with extras.imports_of("models", "gemini"):
        from google.genai import Client
        from google.genai.types import GenerateContentConfig, HttpOptions, HttpRetryOptions

    options = HttpOptions(
        base_url=address or None,
        timeout=int(timeout_s * 1000),
        retry_options=HttpRetryOptions(attempts=1),
    )
    client = Client(api_key=key, vertexai=False, http_options=options)
    try:
        if model:
            config = GenerateContentConfig(max_output_tokens=_TOKENS)
            _run_key_probe(
                lambda: client.models.generate_content(model=model, contents=_WORD, config=config)
            )
        else:
            _run_key_probe(lambda: client.models.list(config={"page_size": 1}))
    finally:
        client.close()


def _run_key_probe(ask: Callable[[], object]) -> None:
    """Run a probe once. Raises ServiceFailed with a message of Gieok's own."""
    try:
        ask()
    except Exception as error:  # each library has its own
        status = _find_probe_status(error)
        reason = (
            Phrase("it answered {status}", status=status)
            if status
            else Phrase("it cannot be reached ({kind})", kind=type(error).__name__)
        )
        raise ServiceFailed(reason, status=status) from error


def _find_probe_status(error: Exception) -> int:
    status_value = getattr(error, "status_code", None) or getattr(error, "code", None)
    status = status_value if isinstance(status_value, int) else 0
    words = str(error).lower()
    return next((better for sign, better in _REFUSALS if status == 400 and sign in words), status)
