"""The model observer: a span of messages → observations."""

from collections.abc import Callable
from datetime import tzinfo
from functools import cache
from importlib.resources import files

from gieok.capabilities.observe.observation import Observed
from gieok.capabilities.observe.parse import SourceText, parse
from gieok.engine.distil import MessageSpan
from gieok.engine.generate import Asker
from gieok.model.conversation import Journalled, Message, Role
from gieok.ports.models import Prompt

#: Limits of a run: observations, and tokens of the answer.
MOST_OBSERVATIONS = 20
MOST_OUTPUT_TOKENS = 2_000
#: Characters shown of one message, from its beginning and end: a pasted book must not crowd out the rest.
_MESSAGE_CHARS = 12_000
_NAMES = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.TOOL: "tool"}


@cache
def template(name: str) -> str:
    """Return a prompt of this rib."""
    return files("gieok.capabilities.observe").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")


class ModelObserver:
    """Observes with a model. `recent` returns the latest observations, so that they are not repeated."""

    def __init__(self, asker: Asker, zone: tzinfo, recent: Callable[[], str], temperature: float = 0.3) -> None:
        self._asker = asker
        self._zone = zone
        self._recent = recent
        self._temperature = temperature

    def __call__(self, span: MessageSpan) -> Observed:
        """Return what is worth remembering. Raises GeneratorFailed."""
        today = span.messages[-1].message.at.astimezone(self._zone).date()
        source = SourceText(span.messages, self._zone, today, is_conversation=True)
        prompt = Prompt(
            system=template("observer").format(limit=MOST_OBSERVATIONS, today=today),
            text=_question(span, self._zone, self._recent()),
            temperature=self._temperature,
            max_output_tokens=MOST_OUTPUT_TOKENS,
        )
        model = self._asker.generator.model
        return self._asker.ask(prompt, lambda answer: parse(answer, source, limit=MOST_OBSERVATIONS, model=model))


def _question(span: MessageSpan, zone: tzinfo, recent: str) -> str:
    known = f"<remembered>\n{fenced(recent)}\n</remembered>\n\n" if recent else ""
    return f"{known}<conversation>\n{conversation(span.messages, zone)}\n</conversation>"


def conversation(messages: tuple[Journalled, ...], zone: tzinfo) -> str:
    """Return messages as numbered lines under their days."""
    lines: list[str] = []
    day = None
    for number, found in enumerate(messages, start=1):
        message = found.message
        at = message.at.astimezone(zone)
        if at.date() != day:
            day = at.date()
            lines.append(f"Date: {day:%Y-%m-%d} ({day:%A})")
        lines.append(f"[{number}] {at:%H:%M} {_NAMES[message.role]}:{_quoted(message)}")
    return "\n".join(lines)


def _quoted(message: Message) -> str:
    """Return a message's text so that no line of it can pass for a message; tool output is marked as quoted."""
    text = fenced(_shortened(message.text))
    if message.role is Role.TOOL:
        return "\n" + "\n".join(f"| {line}" for line in text.splitlines())
    return " " + text.replace("\n", "\n    ")


def fenced(text: str) -> str:
    """Return text that cannot close the block around it."""
    return text.replace("</", "<\N{ZERO WIDTH SPACE}/")


def _shortened(text: str) -> str:
    if len(text) <= _MESSAGE_CHARS:
        return text
    head, tail = _MESSAGE_CHARS * 3 // 4, _MESSAGE_CHARS // 4
    return f"{text[:head]}\n… {len(text) - head - tail:,} characters left out …\n{text[-tail:]}"
