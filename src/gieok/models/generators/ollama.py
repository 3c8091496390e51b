"""Language models of Ollama, by its own protocol.

The OpenAI-compatible protocol cannot set the length of the context: then Ollama cuts the beginning
off every prompt that is longer than its default, and reports nothing.
"""

import json
import re
from collections.abc import Sequence

from gieok.errors import GeneratorFailed, ModelFailed
from gieok.models.http import Service
from gieok.ports.models import ChatMessage, Generated, Prompt, ReplyPart, ReplyParts, Sampling
from gieok.text.tokens import estimate_tokens

#: A machine without a graphics card takes minutes.
_TIMEOUT_S = 900.0
#: The context is one of few sizes: with another one, Ollama loads the model anew.
_CONTEXTS = (8_192, 16_384, 32_768, 65_536, 131_072)
#: Thinking that an Ollama release without `think` leaves in front of the answer.
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)
#: Sampling parameters that have the same name in Ollama.
_OPTIONS = ("top_p", "top_k", "min_p", "seed", "presence_penalty", "frequency_penalty")
#: Extra tokens, for the error of Gieok's own token count.
_SLACK = 1.25


class OllamaGenerator:
    """`Generator` on a model of Ollama."""

    def __init__(self, model: str, key: str, address: str) -> None:
        del key
        self.model = model
        self._address = address

    def generate(self, prompt: Prompt) -> Generated:
        """Ask once. Raises GeneratorFailed."""
        room = prompt.max_output_tokens + prompt.thinking_tokens
        name = self.model.partition(":")[2]
        body: dict[str, object] = {
            "model": name,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.text},
            ],
            "stream": False,
            "think": False,
            "options": {
                "temperature": prompt.temperature,
                "num_predict": room,
                "num_ctx": _select_prompt_context(prompt, room),
            },
        }
        if prompt.schema:
            body["format"] = json.loads(prompt.schema)
        try:
            service = _open_service(self.model, self._address, prompt.timeout_s or _TIMEOUT_S)
            answer = service.post("/api/chat", body, {404: f"run `ollama pull {name}`"})
        except ModelFailed as error:
            raise GeneratorFailed(
                str(error), hint=error.hint or None, worth_retrying=error.worth_retrying
            ) from error
        message = answer.get("message")
        text = message.get("content") if isinstance(message, dict) else None
        if not isinstance(text, str):
            raise GeneratorFailed(
                "{model} answered something that is no message",
                model=self.model,
                worth_retrying=True,
            )
        read, written = (
            int(answer.get(count) or 0) for count in ("prompt_eval_count", "eval_count")
        )
        return Generated(
            _THOUGHTS.sub("", text), read, written, is_cut=answer.get("done_reason") == "length"
        )


class OllamaChat:
    """`ChatModel` on a model of Ollama."""

    def __init__(self, model: str, key: str, address: str, timeout_s: float = _TIMEOUT_S) -> None:
        del key
        self.model = model
        self._service = _open_service(model, address, timeout_s)

    def stream(self, messages: Sequence[ChatMessage], sampling: Sampling) -> ReplyParts:
        """Yield the parts of a reply as the model writes them; the last part has the token counts.

        Raises GeneratorFailed.
        """
        name = self.model.partition(":")[2]
        options = {known: sampling.more[known] for known in _OPTIONS if known in sampling.more}
        if sampling.temperature is not None:
            options["temperature"] = sampling.temperature
        if sampling.max_tokens:
            options["num_predict"] = sampling.max_tokens
        if sampling.stop:
            options["stop"] = list(sampling.stop)
        options["num_ctx"] = _select_context_size(
            sum(estimate_tokens(chat_message.text) for chat_message in messages),
            sampling.max_tokens,
        )
        talk = [
            {"role": chat_message.role, "content": chat_message.text} for chat_message in messages
        ]
        body = {"model": name, "messages": talk, "stream": True, "think": False, "options": options}
        try:
            for line in self._service.lines("/api/chat", body, {404: f"run `ollama pull {name}`"}):
                if line.get("error"):
                    raise GeneratorFailed(
                        "{model} broke off", model=self.model, worth_retrying=True
                    )
                message = line.get("message")
                if isinstance(message, dict) and message.get("content"):
                    yield ReplyPart(str(message["content"]))
                if line.get("done"):
                    finish = "length" if line.get("done_reason") == "length" else "stop"
                    read, written = (
                        int(line.get(count) or 0) for count in ("prompt_eval_count", "eval_count")
                    )
                    yield ReplyPart("", finish, read, written)
                    return
        except ModelFailed as error:
            raise GeneratorFailed(
                str(error), hint=error.hint or None, worth_retrying=error.worth_retrying
            ) from error
        raise GeneratorFailed(
            "{model} broke off in the middle of its reply", model=self.model, worth_retrying=True
        )


def _open_service(model: str, address: str, timeout_s: float) -> Service:
    # Settings may hold the address of the compatible protocol.
    return Service(model, address.rstrip("/").removesuffix("/v1"), {}, timeout_s, ModelFailed)


def _select_prompt_context(prompt: Prompt, room: int) -> int:
    return _select_context_size(estimate_tokens(prompt.system) + estimate_tokens(prompt.text), room)


def _select_context_size(tokens: int, room: int) -> int:
    needed_tokens = _SLACK * tokens + room
    return next((size for size in _CONTEXTS if size >= needed_tokens), _CONTEXTS[-1])
