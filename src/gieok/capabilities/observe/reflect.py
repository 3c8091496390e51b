"""The reflector: all observations of a scope → fewer, in up to four ever stronger tries.

What it replaces goes to the journal's history in the transaction that puts the new ones. It never commits an empty or a
degenerate result, and puts back every 🔴 decision that the model left out without a word.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import NamedTuple

from gieok.capabilities.observe import observation, remembered
from gieok.capabilities.observe.observation import Category, Observation, Observed, Priority
from gieok.capabilities.observe.observer import MOST_OUTPUT_TOKENS, fenced, template
from gieok.capabilities.observe.parse import SourceText, parse
from gieok.capabilities.observe.remembered import Remembered
from gieok.engine.distil import finish
from gieok.engine.generate import Asker
from gieok.errors import DegenerateOutput
from gieok.model.conversation import Chunk, Journalled, Message, Role, Run
from gieok.model.memory import Scope
from gieok.ports.journal import FullJournal
from gieok.ports.models import Prompt
from gieok.ports.store import Documents
from gieok.ports.system import Clock
from gieok.text.keywords import keyword_text
from gieok.text.tokens import count_tokens

READER = "reflect"
#: What is kept of the detail, from one try to the next.
_LEVELS = (
    "Keep about half of the length: join and shorten, lose no fact that may matter.",
    "Keep about 8/10 of the detail of what is new, and half of the rest.",
    "Keep about 6/10 of the detail; put each topic in one line.",
    "Keep about 4/10 of the detail, and sum up the oldest 50-70 % in a few lines.",
)
_MOST_OBSERVATIONS = 2_000
_MOST_TOKENS = 24_000
#: A decision counts as kept where a new observation has this share of its words.
_SAME = 0.5


class Reflected(NamedTuple):
    """Tokens before and after; equal where nothing was to be done or gained."""

    before_tokens: int
    after_tokens: int
    tries: int = 0


@dataclass(frozen=True, slots=True)
class Reflector:
    """Reflects on one scope. `ask` makes an answer of observations at a level of the ladder, or raises."""

    journal: FullJournal
    store: Documents
    scope: Scope
    clock: Clock
    ask: Callable[[Remembered, str, int], Observed]
    target: float = 0.5

    def __call__(self, *, fresh: bool = False) -> Reflected:
        """Replace the observations by fewer: by what was prepared, unless it is to be `fresh`.

        Raises GeneratorFailed: then nothing has changed.
        """
        position = self.journal.position(self.scope, READER)
        held = remembered.load(self.store, self.scope)
        if not held.observations:
            return Reflected(0, 0)
        made = (None if fresh else self._prepared(held)) or self._make(held)
        if made is None:
            return Reflected(held.tokens, held.tokens, len(_LEVELS))
        return Reflected(held.tokens, self._commit(position, held, made), made.tries)

    def prepare(self) -> bool:
        """Make a reflection ahead of its time, of what there is now; False where there is one, or nothing to gain.

        What comes later stays as it is when it is activated. Raises GeneratorFailed.
        """
        position = self.journal.position(self.scope, READER)
        held = remembered.load(self.store, self.scope)
        made = None if self.journal.chunks(self.scope, READER) or not held.observations else self._make(held)
        if made is None:
            return False
        body = json.dumps([observation.dump(made.observed), made.keys, made.tries])
        return self.journal.buffer(self.scope, READER, Chunk(position, position + 1, held.tokens, body))

    def _prepared(self, held: Remembered) -> "_Made | None":
        """Return what was prepared, unless something of what it replaces has been forgotten or changed since."""
        chunks = self.journal.chunks(self.scope, READER)
        if not chunks:
            return None
        body, keys, tries = json.loads(chunks[0].body)
        there = {document.key for document in held.documents}
        return _Made(observation.load(body), tuple(keys), tries) if there.issuperset(keys) else None

    def _make(self, held: Remembered) -> "_Made | None":
        result, tries = self._climb(held)
        if result is None:
            return None
        whole = _with_sources(_with_decisions(held.observations, result), held.observations)
        return _Made(whole, tuple(document.key for document in held.documents), tries)

    def _climb(self, held: Remembered) -> tuple[Observed | None, int]:
        """Return the smallest good result, None where none is smaller than what there is."""
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

    def _commit(self, position: int, held: Remembered, made: "_Made") -> int:
        """Put what was made in place of what it was made of; return how many tokens there are then."""
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


def model_ask(asker: Asker, zone: tzinfo, temperature: float = 0.0) -> Callable[[Remembered, str, int], Observed]:
    """Return an `ask` that uses a model."""

    def ask(held: Remembered, level: str, budget_tokens: int) -> Observed:
        source = SourceText(_as_messages(held.observations), zone, held.observations[-1].at.astimezone(zone).date())
        lines = (f"[{n}] {remembered.line(o)}" for n, o in enumerate(held.observations, start=1))
        text = f"<memory>\n{fenced(chr(10).join(lines))}\n</memory>"
        prompt = Prompt(template("reflector").format(level=level), text, temperature, budget_tokens)
        model = asker.generator.model
        return asker.ask(prompt, lambda answer: parse(answer, source, limit=_MOST_OBSERVATIONS, model=model))

    return ask


def rules_ask(held: Remembered, level: str, budget_tokens: int) -> Observed:
    """Make fewer observations without a model: by age and weight, the decisions and what is newest staying."""
    del budget_tokens
    share = 0.5 - 0.1 * _LEVELS.index(level)
    rank = {Priority.HIGH: 2, Priority.MEDIUM: 1, Priority.LOW: 0}
    newest = sorted(
        held.observations, key=lambda o: (o.category is Category.DECISION, rank[o.priority], o.at), reverse=True
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
    """Return observations as what the parser counts by number."""
    return tuple(
        Journalled(n, Message(str(n), Role.TOOL, o.text, o.at, tokens=count_tokens(o.text)))
        for n, o in enumerate(observations, start=1)
    )


def _with_decisions(before: Sequence[Observation], result: Observed) -> Observed:
    """Put back the decisions that the result does not speak of."""
    after = [set(keyword_text(o.text).split()) for o in result.observations]
    lost = [
        o
        for o in before
        if o.priority is Priority.HIGH and o.category is Category.DECISION and not _is_spoken_of(o.text, after)
    ]
    together = sorted((*result.observations, *lost), key=lambda o: o.at)
    return result._replace(observations=tuple(together))


def _is_spoken_of(text: str, after: Sequence[set[str]]) -> bool:
    words = set(keyword_text(text).split())
    return not words or any(len(words & other) >= _SAME * len(words) for other in after)


def _with_sources(result: Observed, before: Sequence[Observation]) -> Observed:
    """Replace the numbers of observations by the messages that those came from."""

    def messages(o: Observation) -> tuple[str, ...]:
        ids = (before[int(n) - 1].message_ids if n.isdigit() and int(n) <= len(before) else (n,) for n in o.message_ids)
        return tuple(dict.fromkeys(identity for found in ids for identity in found))

    return result._replace(observations=tuple(o._replace(message_ids=messages(o)) for o in result.observations))
