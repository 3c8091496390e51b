"""Model observer: a span of messages → observations, each session by itself.

Sessions of one scope run side by side. Read as one conversation, the subject of one session would
be taken for another's.
"""

from collections.abc import Callable, MutableMapping, Sequence
from datetime import tzinfo
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from gieok.errors import AnswerCut
from gieok.flow.distil import MessageSpan
from gieok.flow.generate import Asker
from gieok.memory import observation
from gieok.memory.observation import Observation, Observed
from gieok.memory.observer.known_statements import Known, is_known
from gieok.memory.observer.parse import SourceText, parse_observer_answer
from gieok.model.conversation import Journalled, Message, Role
from gieok.ports.models import Prompt

_CHUNK_TOKENS = 6_000
_MOST_CHUNKS = 5
#: How many times a conversation is halved after its answer was cut off.
_MOST_HALVINGS = 2
#: Characters shown of one message, from its beginning and its end: a pasted book must not crowd out
#: the rest.
_MESSAGE_CHARS = 12_000
_NAMES = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.TOOL: "tool"}

#: Returns the known observations for a conversation; the `Observed` are results of earlier
#: conversations in this span.
FindKnown = Callable[[Sequence[Journalled], Sequence[Observed]], Known]
#: Results of a span's sessions from before the span failed, so that they are not paid for again.
#: The key holds the messages' texts: a session whose message was corrected or forgotten meanwhile
#: is observed anew.
Paid = MutableMapping[tuple[tuple[int, str], ...], Observed]


class AnswerLimits(NamedTuple):
    """Limits of an answer for a chunk of messages; they grow with longer conversations."""

    observations: int = 20
    output_tokens: int = 2_000


LIMITS = AnswerLimits()


@cache
def read_memory_prompt(name: str) -> str:
    """Return the prompt of this name from the observer's prompts."""
    return (
        files("gieok.memory.observer").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    )


class ModelObserver:
    """`Observer` that asks a model."""

    def __init__(
        self,
        asker: Asker,
        zone: tzinfo,
        look: FindKnown,
        temperature: float = 0.3,
        paid: Paid | None = None,
        limits: AnswerLimits = LIMITS,
    ) -> None:
        self._asker = asker
        self._zone = zone
        self._look = look
        self._temperature = temperature
        self._paid: Paid = {} if paid is None else paid
        self._limits = limits

    def observe(self, span: MessageSpan) -> Observed:
        """Return the observations of a span. Raises GeneratorFailed."""
        parts: list[Observed] = []
        for messages in by_session(span.messages):
            parts += self._observed(messages, parts)
        self._paid.clear()
        return observation.merge(parts)._replace(model=self._asker.generator.model)

    def _observed(
        self, messages: Sequence[Journalled], before: Sequence[Observed], halvings: int = 0
    ) -> list[Observed]:
        """Observe a part of one session; if the answer is cut off, observe each half."""
        key = tuple((found.seq, found.message.text) for found in messages)
        if key in self._paid:
            return [self._paid[key]]
        try:
            found = self._ask(messages, self._look(messages, before))
        except AnswerCut:
            if halvings == _MOST_HALVINGS or len(messages) == 1:
                raise
            middle = len(messages) // 2
            first = self._observed(messages[:middle], before, halvings + 1)
            return first + self._observed(messages[middle:], [*before, *first], halvings + 1)
        self._paid[key] = found
        return [found]

    def _ask(self, messages: Sequence[Journalled], known: Known) -> Observed:
        last = messages[-1].message
        today = last.at.astimezone(self._zone).date()
        chunks = -(-sum(found.message.tokens for found in messages) // _CHUNK_TOKENS)
        room = min(max(chunks, 1), _MOST_CHUNKS)
        limit = room * self._limits.observations
        source = SourceText(messages, self._zone, today, is_conversation=True, known=known.keys)
        prompt = Prompt(
            system=read_memory_prompt("observer"),
            text=f"Today is {today} ({today:%A}). Write at most {limit} observations.\n\n"
            + _build_observer_question(messages, self._zone, known),
            temperature=self._temperature,
            max_output_tokens=room * self._limits.output_tokens,
        )
        model = self._asker.generator.model
        found = self._asker.ask(
            prompt, lambda answer: parse_observer_answer(answer, source, limit=limit, model=model)
        )
        said_at = last.at if found.task else None
        return found._replace(
            observations=_select_new_observations(found.observations, known),
            task_session=last.session,
            task_at=said_at,
        )


def by_session(messages: Sequence[Journalled]) -> list[tuple[Journalled, ...]]:
    """Return the messages of each session in order; the sessions are in order of their
    beginning.
    """
    sessions: dict[tuple[str, str], list[Journalled]] = {}
    for journalled in messages:
        sessions.setdefault((journalled.message.agent, journalled.message.session), []).append(
            journalled
        )
    return list(map(tuple, sessions.values()))


def _select_new_observations(found: Sequence[Observation], known: Known) -> tuple[Observation, ...]:
    """Return the observations that say anything new."""
    fresh: list[Observation] = []
    for o in found:
        if not is_known(o, (*known.all, *fresh)):
            fresh.append(o)
    return tuple(fresh)


def _build_observer_question(messages: Sequence[Journalled], zone: tzinfo, known: Known) -> str:
    session = messages[-1].message.session
    parts = []
    if known.text:
        parts.append(f"<remembered>\n{escape_block_end(known.text)}\n</remembered>")
    if known.task:
        of = (
            "this conversation, so far" if known.task_session == session else "another conversation"
        )
        parts.append(f'<task of="{of}">\n{escape_block_end(known.task)}\n</task>')
    parts.append(f"<conversation>\n{render_span_messages(messages, zone)}\n</conversation>")
    return "\n\n".join(parts)


def render_span_messages(messages: Sequence[Journalled], zone: tzinfo) -> str:
    """Return messages as numbered lines under their days."""
    lines: list[str] = []
    day = None
    for number, journalled in enumerate(messages, start=1):
        message = journalled.message
        at = message.at.astimezone(zone)
        if at.date() != day:
            day = at.date()
            lines.append(f"Date: {day:%Y-%m-%d} ({day:%A})")
        lines.append(f"[{number}] {at:%H:%M} {_NAMES[message.role]}:{_quote_message_text(message)}")
    return "\n".join(lines)


def _quote_message_text(message: Message) -> str:
    """Return a message's text in a form in which no line can pass for another message.

    Tool output is marked as quoted.
    """
    text = escape_block_end(_shorten_message_text(message.text))
    if message.role is Role.TOOL:
        return "\n" + "\n".join(f"| {line}" for line in text.splitlines())
    return " " + text.replace("\n", "\n    ")


def escape_block_end(text: str) -> str:
    """Return text that cannot close the block around it."""
    return text.replace("</", "<\N{ZERO WIDTH SPACE}/")


def _shorten_message_text(text: str) -> str:
    if len(text) <= _MESSAGE_CHARS:
        return text
    head, tail = _MESSAGE_CHARS * 3 // 4, _MESSAGE_CHARS // 4
    return f"{text[:head]}\n… {len(text) - head - tail:,} characters left out …\n{text[-tail:]}"
