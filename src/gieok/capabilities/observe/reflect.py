"""The reflector: all observations of a scope → fewer, in up to four increasingly strict tries.

The replaced observations go to the journal's history in the transaction that puts the new ones. An empty or degenerate result
is never committed, and every 🔴 decision that the model dropped silently is restored.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import NamedTuple

from gieok.capabilities.observe import observation, scope_memory
from gieok.capabilities.observe.observation import Category, Observation, Observed, Priority
from gieok.capabilities.observe.observer import MOST_OUTPUT_TOKENS, fenced, template
from gieok.capabilities.observe.parse import SourceText, parse
from gieok.capabilities.observe.scope_memory import ScopeMemory
from gieok.engine.distil import finish
from gieok.engine.generate import Asker
from gieok.errors import DegenerateOutput
from gieok.model.conversation import BufferedSpan, Journalled, Message, Role, Run
from gieok.model.memory import Scope
from gieok.ports.journal import FullJournal
from gieok.ports.models import Prompt
from gieok.ports.store import Documents
from gieok.ports.system import Clock
from gieok.text.keywords import keyword_text
from gieok.text.tokens import count_tokens

READER = "reflect"
#: The instruction of each try.
_LEVELS = (
    "Keep about half of the length: join and shorten, lose no fact that may matter.",
    "Keep about 8/10 of the detail of what is new, and half of the rest.",
    "Keep about 6/10 of the detail; put each topic in one line.",
    "Keep about 4/10 of the detail, and sum up the oldest 50-70 % in a few lines.",
)
_MOST_OBSERVATIONS = 2_000
_MOST_TOKENS = 24_000
#: A decision is kept if a new observation has this share of its words.
_SAME = 0.5


class Reflected(NamedTuple):
    """Tokens before and after; equal if there was nothing to do or to gain."""

    before_tokens: int
    after_tokens: int
    tries: int = 0


@dataclass(frozen=True, slots=True)
class Reflector:
    """Reflects on one scope. `ask` condenses observations by an instruction and a token budget, or raises."""

    journal: FullJournal
    store: Documents
    scope: Scope
    clock: Clock
    ask: Callable[[ScopeMemory, str, int], Observed]
    target: float = 0.5

    def __call__(self, *, fresh: bool = False) -> Reflected:
        """Replace the observations by fewer, with the prepared reflection unless `fresh`.

        Raises GeneratorFailed: nothing has changed then.
        """
        position = self.journal.position(self.scope, READER)
        held = scope_memory.uncorrected(scope_memory.load(self.store, self.scope))
        if not held.observations:
            return Reflected(0, 0)
        made = (None if fresh else self._prepared(held)) or self._make(held)
        if made is None:
            return Reflected(held.tokens, held.tokens, len(_LEVELS))
        return Reflected(held.tokens, self._commit(position, held, made), made.tries)

    def prepare(self) -> bool:
        """Make a reflection ahead of time; False if there is one already, or nothing to gain.

        Its activation leaves later observations alone. Raises GeneratorFailed.
        """
        position = self.journal.position(self.scope, READER)
        held = scope_memory.uncorrected(scope_memory.load(self.store, self.scope))
        made = None if self.journal.chunks(self.scope, READER) or not held.observations else self._make(held)
        if made is None:
            return False
        body = json.dumps([observation.dump(made.observed), made.keys, made.tries])
        return self.journal.buffer(self.scope, READER, BufferedSpan(position, position + 1, held.tokens, body))

    def _prepared(self, held: ScopeMemory) -> "_Made | None":
        """Return the prepared reflection, unless an observation that it replaces was forgotten or changed since."""
        chunks = self.journal.chunks(self.scope, READER)
        if not chunks:
            return None
        body, keys, tries = json.loads(chunks[0].body)
        there = {document.key for document in held.documents}
        return _Made(observation.load(body), tuple(keys), tries) if there.issuperset(keys) else None

    def _make(self, held: ScopeMemory) -> "_Made | None":
        result, tries = self._climb(held)
        if result is None:
            return None
        whole = _with_sources(_with_decisions(held.observations, result), held.observations)
        return _Made(whole, tuple(document.key for document in held.documents), tries)

    def _climb(self, held: ScopeMemory) -> tuple[Observed | None, int]:
        """Return the smallest good result, None if none is smaller than the observations."""
        best: Observed | None = None
        failure: DegenerateOutput | None = None
        for tries, level in enumerate(_LEVELS, start=1):
            try:
                found = self.ask(held, level, _budget(held.tokens))
            except DegenerateOutput as error:
                failure = error
                continue
            if found.observations and (best is None or _tokens(found) < _tokens(best)):
                best = found
            if best is not None and _tokens(best) <= self.target * held.tokens:
                return best, tries
        if best is None and failure is not None:
            raise failure
        return (best if best is not None and _tokens(best) < held.tokens else None), len(_LEVELS)

    def _commit(self, position: int, held: ScopeMemory, made: "_Made") -> int:
        """Replace the observations by the reflection; return the tokens after that."""
        now, result = self.clock.now(), made.observed
        put = observation.entries(self.scope, result, now)
        kept = {entry.document.key for entry in put}
        replaced = [document for document in held.documents if document.key in made.keys]
        later = held.tokens - sum(observation.observation_of(document).tokens for document in replaced)
        run = Run(
            scope=self.scope, reader=READER, kind="reflected", at=now, start=position, end=position + 1, messages=0,
            source_tokens=held.tokens - later, documents=len(put), document_tokens=_tokens(result), model=result.model,
        )  # fmt: skip
        gone = [d for d in (*replaced, *(held.patterns if result.patterns else ())) if d.key not in kept]
        done = finish(self.journal, self.store, position, run, put=put, forget=gone)
        return later + _tokens(result) if done else held.tokens


class _Made(NamedTuple):
    """A reflection, and the keys of the observations that it replaces."""

    observed: Observed
    keys: tuple[str, ...]
    tries: int


def model_ask(asker: Asker, zone: tzinfo, temperature: float = 0.0) -> Callable[[ScopeMemory, str, int], Observed]:
    """Return an `ask` that uses a model."""

    def ask(held: ScopeMemory, level: str, budget_tokens: int) -> Observed:
        source = SourceText(_as_messages(held.observations), zone, held.observations[-1].at.astimezone(zone).date())
        lines = (f"[{n}] {scope_memory.line(o)}" for n, o in enumerate(held.observations, start=1))
        text = f"<memory>\n{fenced(chr(10).join(lines))}\n</memory>"
        prompt = Prompt(template("reflector").format(level=level), text, temperature, budget_tokens)
        model = asker.generator.model
        return asker.ask(prompt, lambda answer: parse(answer, source, limit=_MOST_OBSERVATIONS, model=model))

    return ask


def rules_ask(held: ScopeMemory, level: str, budget_tokens: int) -> Observed:
    """Select observations without a model: decisions first, then by priority and age."""
    del budget_tokens
    share = 0.5 - 0.1 * _LEVELS.index(level)
    rank = list(reversed(Priority))
    newest = sorted(
        held.observations, key=lambda o: (o.category is Category.DECISION, rank.index(o.priority), o.at), reverse=True
    )
    room = share * held.tokens
    kept: list[Observation] = []
    for o in newest:
        room -= o.tokens
        if room >= 0 or not kept:
            kept.append(o)
    return Observed(tuple(sorted(kept, key=lambda o: o.at)), held.task)


def _budget(tokens: int) -> int:
    return min(max(tokens, MOST_OUTPUT_TOKENS), _MOST_TOKENS)


def _tokens(observed: Observed) -> int:
    return sum(o.tokens for o in observed.observations)


def _as_messages(observations: Sequence[Observation]) -> tuple[Journalled, ...]:
    """Return observations as numbered messages for the parser."""
    return tuple(
        Journalled(n, Message(str(n), Role.TOOL, o.text, o.at, tokens=count_tokens(o.text)))
        for n, o in enumerate(observations, start=1)
    )


def _with_decisions(before: Sequence[Observation], result: Observed) -> Observed:
    """Restore the decisions that the result does not mention."""
    after = [set(keyword_text(o.text).split()) for o in result.observations]
    lost = [
        o
        for o in before
        if o.priority is Priority.HIGH and o.category is Category.DECISION and not _is_mentioned(o.text, after)
    ]
    together = sorted((*result.observations, *lost), key=lambda o: o.at)
    return result._replace(observations=tuple(together))


def _is_mentioned(text: str, after: Sequence[set[str]]) -> bool:
    words = set(keyword_text(text).split())
    return not words or any(len(words & other) >= _SAME * len(words) for other in after)


def _with_sources(result: Observed, before: Sequence[Observation]) -> Observed:
    """Replace the cited numbers of observations by their message ids."""

    def messages(o: Observation) -> tuple[str, ...]:
        ids = (before[int(n) - 1].message_ids if n.isdigit() and int(n) <= len(before) else (n,) for n in o.message_ids)
        return tuple(dict.fromkeys(identity for found in ids for identity in found))

    return result._replace(observations=tuple(o._replace(message_ids=messages(o)) for o in result.observations))
