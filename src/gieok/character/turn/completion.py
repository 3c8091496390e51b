"""Turn of a front end that keeps the conversation and sends all of it with every message.

The journal follows what the front end shows (`history`). The prompt is the front end's own, with
the memory inserted where `{{memory}}` stands, else behind its system texts. Where it has no system
texts, the character's card is added. When the context is full, the beginning of the conversation is
dropped, which memory covers.

Each conversation that the front end names is a separate row of lines in the journal; all
conversations share one memory.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from gieok.character.memory.service import Bond, ScopeSnapshot
from gieok.character.messages import AGENT, build_talk_message, estimate_message_tokens
from gieok.character.turn import history, reply_prompt
from gieok.character.turn.history import BRANCH, NewLine, Shown, TalkLine
from gieok.character.turn.turn import (
    PreparedPrompt,
    Reply,
    ReplyEnding,
    Scene,
    Turns,
    clean_user_message,
)
from gieok.errors import BadRequest
from gieok.model.conversation import Message, Role
from gieok.ports.models import ChatMessage, Sampling

_MOST_LINES = 20_000
#: How many lines at the end of the conversation stay, however full the context is.
_LEAST_LINES = 2
_SYSTEM = ("system", "developer")


class Sent(NamedTuple):
    """Request of a front end."""

    user: str
    character: str
    shown: tuple[Shown, ...]
    conversation: str = ""
    sampling: Sampling = Sampling()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completions:
    """Turns of front ends that keep the conversation."""

    turns: Turns

    def begin(self, sent: Sent) -> Reply:
        """Begin the reply to a front end's request, and return it once its first words have
        arrived.

        Raises NotFound, BadRequest, NotEnoughPoints, TooManyRequests, GeneratorFailed; nothing is
        charged where an error is raised.
        """
        turns = self.turns
        turns.memory.check_open()
        shown = tuple(
            line._replace(text=clean_user_message(line.text)) if line.text.strip() else line
            for line in sent.shown
        )
        scene = turns.scene(sent.user, sent.character)
        lines = history.select_talk_lines(
            shown, (scene.names.char, scene.names.user, scene.stored.name)
        )
        if not lines or len(lines) > _MOST_LINES:
            raise BadRequest(
                "there are {count:,} messages of talk",
                count=len(lines),
                most_lines=_MOST_LINES,
                hint="send 1 to {most_lines:,}",
            )
        with ExitStack() as held:
            held.enter_context(turns.order.turn(scene.bond.scope))
            message_id = turns.new_id()
            identity = f"{message_id}-reply"
            hold = turns.pay(held, sent.user, scene.stored.id, identity)
            session = sent.conversation or sent.user
            with turns.order.writing(scene.bond.scope):
                last, snapshot = self._follow(scene.bond, session, lines)
            prepared = self._prepare_prompt(
                scene._replace(seen=snapshot), shown, lines, sent.sampling
            )
            parts = turns.ask(scene.stored, prepared.messages, sent.sampling)
            ending = ReplyEnding(
                turns=turns,
                scene=scene,
                identity=identity,
                session=session,
                hold=hold,
                held=held.pop_all(),
                after=last,
            )
            return Reply(identity, message_id, prepared, parts, ending)

    def _follow(
        self, bond: Bond, session: str, lines: Sequence[TalkLine]
    ) -> tuple[datetime | None, ScopeSnapshot]:
        """Bring the journal in line with what the front end shows, and learn from what is new.

        Return when the last line was said, and the state of the scope.
        """
        turns = self.turns
        journal, now = turns.memory.journal, turns.memory.clock.now()
        held = sorted(
            (turn.message for turn in journal.turns(bond.scope, AGENT, session)),
            key=lambda message: message.at,
        )
        alignment = history.aligned(held, lines, now)
        if alignment.gone:
            turns.memory.withdraw(bond, [line.id for line in alignment.gone])
        if alignment.edited:
            anew = [
                line._replace(text=text, tokens=estimate_message_tokens(text))
                for line, text in alignment.edited
            ]
            turns.memory.replace(bond, anew)
        if alignment.new:
            journal.say(bond.scope, [self._build_message(line, session) for line in alignment.new])
        last = alignment.new[-1].at if alignment.new else held[-1].at if held else None
        return last, turns.memory.learn(bond)

    def _build_message(self, new: NewLine, session: str) -> Message:
        role, text = new.line
        return build_talk_message(
            identity=self.turns.new_id(),
            role=role,
            text=text,
            at=new.at,
            session=session,
            source=BRANCH if new.is_branch else "",
        )

    def _prepare_prompt(
        self, scene: Scene, shown: Sequence[Shown], lines: Sequence[TalkLine], asked: Sampling
    ) -> PreparedPrompt:
        turns = self.turns
        user_text = next((line.text for line in reversed(lines) if line.role is Role.USER), "")
        messages = [
            ChatMessage("system" if message.role in _SYSTEM else message.role, message.text)
            for message in shown
        ]
        messages = [
            message
            for message in messages
            if message.role in ("system", "user", "assistant") and message.text.strip()
        ]
        canon = ""
        if not any(message.role == "system" for message in messages):
            canon = turns.prompt_canon(
                scene, [line.text for line in lines[-8:]], turns.canon_tokens
            )
            messages.insert(0, ChatMessage("system", scene.sheet.system))
            if scene.sheet.after:
                messages.append(ChatMessage("system", scene.sheet.after))
        budget = turns.memory.budget
        narrative_tokens = min(budget.narrative_tokens, budget.context_tokens // 4)
        context = turns.memory.context(scene.bond, user_text, scene.seen, narrative_tokens)
        told = reply_prompt.introduce_narrative(context.narrative.text, scene.sheet)
        text = "\n\n".join(filter(None, (canon, told)))
        room = budget.context_tokens - max(asked.max_tokens - turns.sampling.max_tokens, 0)
        return PreparedPrompt(
            _drop_oldest_lines(_insert_memory_text(messages, text), room), context, canon
        )


def _insert_memory_text(messages: Sequence[ChatMessage], memory: str) -> list[ChatMessage]:
    """Return the messages with the memory inserted.

    It stands where its macro stands, else behind the first system texts.
    """
    combined = list(messages)
    place = next(
        (i for i, message in enumerate(combined) if reply_prompt.has_memory_macro(message.text)),
        None,
    )
    if place is None:
        leading = next(
            (i for i, message in enumerate(combined) if message.role != "system"), len(combined)
        )
        place = leading - 1
    if place < 0:
        return [ChatMessage("system", memory), *combined] if memory else combined
    combined[place] = combined[place]._replace(
        text=reply_prompt.with_memory(combined[place].text, memory)
    )
    return combined


def _drop_oldest_lines(messages: Sequence[ChatMessage], room: int) -> tuple[ChatMessage, ...]:
    """Return the messages without the oldest lines of the conversation that do not fit."""
    room_left = room - sum(estimate_message_tokens(message.text) for message in messages)
    talk = [place for place, message in enumerate(messages) if message.role != "system"]
    dropped: set[int] = set()
    for place in talk[: max(len(talk) - _LEAST_LINES, 0)]:
        if room_left >= 0:
            break
        room_left += estimate_message_tokens(messages[place].text)
        dropped.add(place)
    return tuple(message for place, message in enumerate(messages) if place not in dropped)
