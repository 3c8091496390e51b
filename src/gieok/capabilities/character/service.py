"""A character's memory as a service: messages in, memories out, the context of a turn. What any surface calls.

Everything is durable in the journal: messages first, then what is made of them, with the position of the reader that made
it in one transaction. So a crash loses nothing and repeats nothing, and of two processes one makes it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from gieok.capabilities.character import episodes, moments, narrative, windows
from gieok.capabilities.character.detect import Detection, Spoken, detect
from gieok.capabilities.character.keeping import Changes, Told, joined
from gieok.capabilities.character.memory import (
    EPISODE,
    FACT,
    IDEA,
    MOMENT,
    Episode,
    Fact,
    Moment,
    digest,
    episode_entry,
    episode_of,
    fact_entry,
    fact_of,
    moment_entry,
    moment_of,
    scope_of,
)
from gieok.capabilities.character.narrative import Held, Narrative, View
from gieok.capabilities.character.recalling import RecalledMemory, Weights, keys_of, recalled
from gieok.engine.distil import deliver, finish
from gieok.model.conversation import Journalled, Message, Role, Run
from gieok.model.memory import Document, Scope
from gieok.ports.cache import WindowCache
from gieok.ports.journal import FullJournal
from gieok.ports.models import Embedder
from gieok.ports.store import Store
from gieok.ports.system import Clock
from gieok.text.language import language_of
from gieok.text.tokens import count_tokens

#: Readers of the journal: what was looked at for facts, and what is summarised.
DETECTION, SUMMARY = "character:facts", "character:summary"
RULES = "rules"
_AGENT = "character"
_EARLIER = 3
#: What is longer is pasted: the rules read its beginning, which is what the person says of it.
_MOST_READ = 2_000

#: Says what a message states; the facts that hold come beside it.
Extractor = Callable[[Spoken, Sequence[Fact], Message], Detection]


class Bond(NamedTuple):
    """A user and a character: whose memory it is. `persona` is the character's prompt, `zone` the user's."""

    user: str
    character: str
    persona: str = ""
    zone: tzinfo = UTC

    @property
    def scope(self) -> Scope:
        """Return the scope of all that is remembered between the two. Raises BadRequest for a bad name."""
        return scope_of(self.user, self.character)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Tokens of a turn's context, and of them those of the narrative; the rest holds persona and window."""

    context_tokens: int = 4_096
    narrative_tokens: int = 1_200

    def window(self, persona: str) -> int:
        """Return the tokens that are left for the window."""
        return max(self.context_tokens - self.narrative_tokens - count_tokens(persona), 0)


class Memories(NamedTuple):
    """What is remembered between two, each kind in order of time."""

    facts: list[Fact]
    moments: list[Moment]
    episodes: list[Episode]


class TurnContext(NamedTuple):
    """What a model is given for a reply, within the budget, and the memories that were recalled with their signals."""

    persona: str
    narrative: Narrative
    window: tuple[Message, ...]
    recalled: tuple[RecalledMemory, ...] = ()
    extractor: str = RULES

    @property
    def text(self) -> str:
        """Return persona, narrative and window as one text."""
        talk = "\n".join(f"{one.role.value}: {one.text}" for one in self.window)
        return "\n\n".join(filter(None, (self.persona, self.narrative.text, talk)))

    @property
    def tokens(self) -> int:
        """Return the estimated tokens."""
        return count_tokens(self.text)


def by_rules(said: Spoken, held: Sequence[Fact], message: Message) -> Detection:
    """Return what a message states, by rules."""
    del message
    return detect(said, held)


@dataclass(frozen=True, slots=True, kw_only=True)
class Characters:
    """The memory of characters. `embedder` is None where memories are found by words alone."""

    journal: FullJournal
    store: Store
    clock: Clock
    embedder: Callable[[], Embedder | None] = lambda: None
    extract: Extractor = by_rules
    extractor: str = RULES
    #: Holds windows that were read before; None: none are.
    cache: WindowCache | None = None
    budget: Budget = field(default_factory=Budget)
    weights: Weights = field(default_factory=Weights)

    def hear(self, bond: Bond, text: str, *, is_user: bool, at: datetime | None = None, identity: str = "") -> str:
        """Journal a message, learn from it, and summarise where the window is full; return the message's id.

        A message of a known id and text is not added again.
        """
        at = at or self.clock.now()
        role = Role.USER if is_user else Role.ASSISTANT
        identity = identity or digest(f"{bond.scope}\0{at.isoformat()}\0{role}\0{text}")
        tokens = count_tokens(text) + 4
        self.journal.say(bond.scope, [Message(identity, role, text, at, bond.user, _AGENT, tokens)])
        self.learn(bond)
        self.summarise(bond)
        return identity

    def learn(self, bond: Bond) -> None:
        """Look at every message that was not looked at yet. Safe to kill, and to run twice at once."""
        while True:
            position = self.journal.position(bond.scope, DETECTION)
            window = self._window(bond.scope)
            fresh = [one for one in window if one.seq > position]
            if not fresh:
                return
            held = self.memories(bond)
            known = {one.key: one for one in held.facts}
            changed, made, gone = dict[str, Fact](), list[Moment](), dict[str, Fact]()
            for one in fresh:
                changes, begun = self._learned(bond, window, one, list(known.values()), [*held.moments, *made])
                for fact in changes.forget:
                    known.pop(fact.key, None)
                    changed.pop(fact.key, None)
                    gone[fact.key] = fact
                known |= {fact.key: fact for fact in changes.put}
                changed |= {fact.key: fact for fact in changes.put}
                made += begun
            put = [fact_entry(bond.scope, fact) for fact in changed.values()]
            put += [moment_entry(bond.scope, moment) for moment in made]
            kept = {fact.key for fact in held.facts}
            forget = [fact_entry(bond.scope, fact).document for key, fact in gone.items() if key in kept - set(changed)]
            run = self._run(bond.scope, DETECTION, "detect", position, fresh, len(put))
            finish(self.journal, self.store, position, run, put=put, forget=forget)

    def _learned(
        self, bond: Bond, window: Sequence[Journalled], one: Journalled, facts: Sequence[Fact], had: Sequence[Moment]
    ) -> tuple[Changes, list[Moment]]:
        said = _spoken(window, one, bond.zone)
        found = self.extract(said, [fact for fact in facts if fact.is_current], one.message)
        told = Told(one.message.at, one.message.id, said.text)
        begun = moments.moments(told, said.is_user, found.findings, had, language_of(said.text) == "ko")
        return joined(found, facts, told), begun

    def summarise(self, bond: Bond) -> Episode | None:
        """Summarise the oldest part of a window that is full; None where it is not, or another process was faster."""
        window = self._window(bond.scope)
        due = episodes.due(window, self.budget.window(bond.persona))
        if due is None or due.end > self.journal.position(bond.scope, DETECTION):
            return None
        position = self.journal.position(bond.scope, SUMMARY)
        held = self.memories(bond)
        who = narrative.whom(held.facts, self._view(bond, window))
        made = episodes.summarised(due.messages, held.facts, held.moments, who)
        put = [episode_entry(bond.scope, made)] if made else []
        run = self._run(bond.scope, SUMMARY, "summary", position, due.messages, len(put))
        return made if finish(self.journal, self.store, position, run, put=put) else None

    def context(self, bond: Bond, text: str) -> TurnContext:
        """Return the context of a reply to a message that is at hand, journalled or not."""
        deliver(self.journal, self.store)
        window = self._window(bond.scope)
        held, view = self.memories(bond), self._view(bond, window, text)
        found = recalled(self.store, self.embedder(), bond.scope, text, view.now, self.weights)
        told = narrative.narrative(Held(*held, keys_of(found)), view, self.budget.narrative_tokens)
        left = self.budget.context_tokens - count_tokens(bond.persona) - count_tokens(told.text)
        kept: list[Message] = []
        for one in reversed(window):
            left -= one.message.tokens
            if left < 0:
                break
            kept.append(one.message)
        return TurnContext(bond.persona, told, tuple(reversed(kept)), tuple(found), self.extractor)

    def search(self, bond: Bond, text: str, limit: int = 5) -> list[RecalledMemory]:
        """Return memories for a question with the parts of their scores, best first."""
        deliver(self.journal, self.store)
        return recalled(self.store, self.embedder(), bond.scope, text, self.clock.now(), self.weights, limit)

    def memories(self, bond: Bond) -> Memories:
        """Return what is remembered, ideas among the facts."""
        made = [entry.document for entry in self.journal.made(bond.scope)]
        return Memories(
            sorted(map(fact_of, _of(made, FACT, IDEA)), key=lambda fact: (fact.at, fact.key)),
            sorted(map(moment_of, _of(made, MOMENT)), key=lambda moment: moment.at),
            sorted(map(episode_of, _of(made, EPISODE)), key=lambda episode: episode.start),
        )

    def _window(self, scope: Scope) -> list[Journalled]:
        """Return the messages after the last summary."""
        return windows.window(self.journal, self.cache, scope, SUMMARY)

    def _view(self, bond: Bond, window: Sequence[Journalled], text: str = "") -> View:
        """Return how it is told: in the language that the user speaks."""
        said = [one.message.text for one in window if one.message.role is Role.USER]
        now = self.clock.now()

        def was_talked_about(fact: Fact) -> bool:
            words = re.findall(r"[가-힣]{2,}|[A-Za-z]{4,}", fact.object)[-1:]
            since = (
                one.message for one in window if one.message.at.astimezone(bond.zone).date().isoformat() >= fact.day
            )
            return any(word in message.text for message in since for word in words)

        return View(language_of(" ".join((*said[-20:], text))), now, bond.zone, was_talked_about)

    def _run(self, scope: Scope, reader: str, kind: str, start: int, span: Sequence[Journalled], documents: int) -> Run:
        tokens = sum(one.message.tokens for one in span)
        now = self.clock.now()
        return Run(scope, reader, kind, now, start, span[-1].seq, len(span), tokens, documents, 0)


def _of(made: Sequence[Document], *kinds: str) -> list[Document]:
    return [document for document in made if document.kind in kinds]


def _spoken(window: Sequence[Journalled], one: Journalled, zone: tzinfo) -> Spoken:
    """Return a message as the rules read it, with what was said before it."""
    before = [other.message for other in window if other.seq < one.seq]
    last = before[-1] if before and before[-1].role is not one.message.role else None
    earlier = [message.text[:_MOST_READ] for message in before if message.role is Role.USER][-_EARLIER:]
    is_user = one.message.role is Role.USER
    day = one.message.at.astimezone(zone).date()
    return Spoken(one.message.text[:_MOST_READ], is_user, day, last.text[-_MOST_READ:] if last else "", tuple(earlier))
