"""The reflector: all observations of a scope → fewer, in up to four increasingly strict tries.

Replaced observations go first, then older wordings of a statement; only the rest is condensed, by a
model or by rules (`keeping`). Dropped observations enter the journal's history in the transaction
that puts the new ones. An empty or degenerate result is never committed, no statement that must
stay is dropped, and an observation that changed while the reflection was made stays as it is.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import NamedTuple, Protocol

from gieok.errors import DegenerateOutput
from gieok.flow.distil import finish_span
from gieok.flow.generate import Asker
from gieok.memory import observation, scope_memory
from gieok.memory.observation import Observation, Observed
from gieok.memory.observer.observer import escape_block_end, read_memory_prompt
from gieok.memory.observer.parse import SourceText, parse_observer_answer
from gieok.memory.reflection import drop_rules
from gieok.memory.scope_memory import ScopeMemory
from gieok.model.conversation import BufferedSpan, Journalled, Message, Role, Run
from gieok.model.memory import CORRECTED, REPLACED_BY, Document, Entry, Passage, Scope
from gieok.ports.journal import FullJournal
from gieok.ports.models import Prompt
from gieok.ports.store import Documents
from gieok.ports.system import Clock
from gieok.text.tokens import estimate_tokens

READER = "reflect"
#: Realm of the journal: scope → tokens of a memory that could not be made smaller.
_IN_VAIN = "reflected-in-vain"
#: Growth of that memory before another try.
_GROWN = 1.1
#: The part of what a reflection may leave that each try aims at, and its instruction.
_TRIES = (
    (1.0, "Keep about {share} of the length: join and shorten, lose no fact that may matter."),
    (0.8, "Keep about {share} of the length: more of what is new, less of the rest."),
    (0.6, "Keep about {share} of the length; put each topic in one line."),
    (0.4, "Keep about {share} of the length, and sum up the oldest 50-70 % in a few lines."),
)
_MOST_OBSERVATIONS = 2_000
_LEAST_TOKENS = 2_000
_MOST_TOKENS = 24_000


class Reflected(NamedTuple):
    """Tokens before and after; equal if there was nothing to do or to gain."""

    before_tokens: int
    after_tokens: int
    tries: int = 0


class _ReflectionLine(NamedTuple):
    """Observation of a reflection, and the keys of its sources.

    An observation that stays as it is has only its own key.
    """

    observation: Observation
    keys: tuple[str, ...]


class _Made(NamedTuple):
    """Reflection: its lines, and the fingerprints of all documents that it looked at.

    Documents without a line are dropped. `joined` is the key of a document that stays → the keys of
    its older wordings.
    """

    lines: tuple[_ReflectionLine, ...]
    prints: Mapping[str, str]
    joined: Mapping[str, tuple[str, ...]]
    task_before: str
    result: Observed
    tries: int

    @property
    def tokens(self) -> int:
        """Return the tokens of the reflection's lines."""
        return sum(line.observation.tokens for line in self.lines)


class ReflectionLevel(NamedTuple):
    """How strict a try is: the share of the tokens that it may leave, and that in words."""

    share: float
    instruction: str


def build_levels(target: float) -> tuple[ReflectionLevel, ...]:
    """Return the levels of the tries, the mildest first; that one leaves the share `target`."""
    shares = [part * target for part, _ in _TRIES]
    return tuple(
        ReflectionLevel(share, instruction.format(share=f"{share:.0%}"))
        for share, (_, instruction) in zip(shares, _TRIES, strict=True)
    )


class Condenser(Protocol):
    """Makes observations fewer and shorter."""

    def condense(self, held: ScopeMemory, level: ReflectionLevel, budget_tokens: int) -> Observed:
        """Return observations in place of those of a memory, by a level and a budget.

        Raises GeneratorFailed, DegenerateOutput.
        """


@dataclass(frozen=True, slots=True)
class Reflector:
    """Reflects on one scope."""

    journal: FullJournal
    store: Documents
    scope: Scope
    clock: Clock
    condenser: Condenser
    target: float = 0.5

    def __call__(self, *, fresh: bool = False) -> Reflected:
        """Replace the observations by fewer, with the prepared reflection unless `fresh`.

        Raises GeneratorFailed: nothing has changed then.
        """
        position = self.journal.position(self.scope, READER)
        whole = self._hot()
        held = scope_memory.uncorrected(whole)
        if not held.observations:
            return Reflected(0, 0)
        reflection = (None if fresh else self._prepared()) or self._make(whole)
        if reflection is None:
            self._note_vain(held)
            return Reflected(held.tokens, held.tokens, len(_TRIES))
        after = self._commit(position, reflection)
        return Reflected(held.tokens, held.tokens if after is None else after, reflection.tries)

    def _hot(self) -> ScopeMemory:
        """Return the memory in the hot tier; memory of other tiers is not reflected upon."""
        return scope_memory.load_scope_memory(
            self.store, self.scope, hashes=self.journal.standing(self.scope, 0)
        )

    def _note_vain(self, held: ScopeMemory) -> None:
        if held.observations and not self.journal.chunks(self.scope, READER):
            self.journal.keep(_IN_VAIN, {str(self.scope): str(held.tokens)})

    def is_in_vain(self, tokens: int) -> bool:
        """Say whether memory of about this size could not be made smaller before."""
        before = self.journal.kept(_IN_VAIN).get(str(self.scope), "")
        return before.isdigit() and int(before) <= tokens < _GROWN * int(before)

    def prepare(self) -> bool:
        """Make a reflection ahead of time; False if there is one already, or nothing to gain.

        Activating the prepared reflection leaves later observations alone. Raises GeneratorFailed.
        """
        position = self.journal.position(self.scope, READER)
        whole = self._hot()
        held = scope_memory.uncorrected(whole)
        reflection = (
            None
            if self.journal.chunks(self.scope, READER) or not held.observations
            else self._make(whole)
        )
        if reflection is None:
            self._note_vain(held)
            return False
        return self.journal.buffer(
            self.scope,
            READER,
            BufferedSpan(position, position + 1, held.tokens, _dump_reflection(reflection)),
        )

    def _prepared(self) -> _Made | None:
        """Return the prepared reflection.

        None if there is none, or if one of its sources was forgotten.
        """
        chunks = self.journal.chunks(self.scope, READER)
        reflection = _load_reflection(chunks[0].body) if chunks else None
        if reflection is None:
            return None
        now = _build_change_prints(scope_memory.uncorrected(self._hot()).documents)
        return reflection if now.keys() >= reflection.prints.keys() else None

    def _make(self, whole: ScopeMemory) -> _Made | None:
        """Return a reflection that is smaller than the memory, None if there is none."""
        held, now = scope_memory.uncorrected(whole), self.clock.now()
        sorted_documents = drop_rules.sort(
            held.documents, _list_corrected_documents(whole, held), now
        )
        rest = ScopeMemory(
            sorted_documents.current,
            tuple(map(observation.observation_of, sorted_documents.current)),
            held.task,
            held.patterns,
        )
        current_keys = {document.key for document in sorted_documents.current}
        target = self.target * held.tokens
        joined = {
            key: tuple(d.key for d in older)
            for key, older in sorted_documents.wordings.items()
            if key in current_keys
        }
        still = drop_rules.still_told(sorted_documents.replaced, int(target) - rest.tokens, now)
        base = _Made(
            lines=tuple(
                _ReflectionLine(observation.observation_of(d), (d.key,))
                for d in (*still, *rest.documents)
            ),
            prints=_build_change_prints(held.documents),
            joined=joined,
            task_before=held.task,
            result=Observed(()),
            tries=0,
        )
        reflection = base if rest.tokens <= target else self._climb(rest, held.tokens, base)
        return reflection if reflection.tokens < held.tokens else None

    def _climb(self, rest: ScopeMemory, held_tokens: int, base: _Made) -> _Made:
        """Return the smallest good result of the tries; `base` if none is smaller."""
        best, answered = base, False
        failure: DegenerateOutput | None = None
        for tries, level in enumerate(build_levels(self.target), start=1):
            best = best._replace(tries=tries)
            try:
                result = self.condenser.condense(rest, level, _clamp_output_budget(rest.tokens))
            except DegenerateOutput as error:
                failure = error
                continue
            answered = answered or bool(result.observations)
            lines = _build_reflection_lines(result, rest)
            if lines:
                lines += drop_rules.find_wrongly_dropped(
                    rest.documents, lines, is_told=bool(result.model)
                )
                lines.sort(key=lambda line: line[0].at)
            candidate = base._replace(
                lines=tuple(_ReflectionLine(*line) for line in lines), result=result, tries=tries
            )
            if lines and candidate.tokens < best.tokens:
                best = candidate
            if best.result.observations and best.tokens <= self.target * held_tokens:
                break
        if not answered and failure is not None and base.tokens == held_tokens:
            raise failure
        return best

    def _commit(self, position: int, made: _Made) -> int | None:
        """Replace the observations by the reflection; return the tokens after that.

        None if another process was faster. A source that changed since the reflection was made, or
        that a person corrected, stays as it is; so do all other sources of the same line.
        """
        now = self.clock.now()
        held = scope_memory.uncorrected(self._hot())
        documents = {document.key: document for document in held.documents}
        same = {
            key
            for key, change_print in _build_change_prints(held.documents).items()
            if made.prints.get(key) == change_print
        }
        put, gone, successor = _build_reflection_changes(made, documents, same, self.scope, now)
        put += _relink_successors(
            held.documents, gone, successor, {entry.document.key for entry in put}
        )
        result = made.result
        task = result.task if result.task != held.task and held.task == made.task_before else ""
        put += observation.build_observed_entries(
            self.scope, Observed((), task, result.patterns), now
        )
        put_keys = {entry.document.key for entry in put}
        forget = [documents[key] for key in gone if key not in put_keys]
        forget += [d for d in (held.patterns if result.patterns else ()) if d.key not in put_keys]
        texts = [
            observation.observation_of(e.document)
            for e in put
            if e.document.kind == observation.KIND
        ]
        after = [
            observation.observation_of(d)
            for key, d in documents.items()
            if key not in put_keys and key not in gone
        ]
        tokens = sum(o.tokens for o in texts)
        run = Run(
            scope=self.scope,
            reader=READER,
            kind="reflected",
            at=now,
            start=position,
            end=position + 1,
            messages=0,
            source_tokens=sum(observation.observation_of(documents[key]).tokens for key in gone),
            documents=len(texts),
            document_tokens=tokens,
            model=result.model,
        )
        is_finished = finish_span(self.journal, self.store, position, run, put=put, forget=forget)
        return tokens + sum(o.tokens for o in after) if is_finished else None


def _build_reflection_changes(
    made: _Made, documents: Mapping[str, Document], same: set[str], scope: Scope, now: datetime
) -> tuple[list[Entry], set[str], dict[str, str]]:
    """Return the entries to put, the keys to drop, and dropped key → key of its successor."""
    put: list[Entry] = []
    stay: set[str] = set()
    successor: dict[str, str] = {}
    for o, keys in made.lines:
        if not same.issuperset(keys):
            stay.update(keys)
        elif len(keys) == 1 and keys[0] in documents and documents[keys[0]].text == o.text:
            stay.add(keys[0])
            older = [documents[key] for key in made.joined.get(keys[0], ()) if key in same]
            if older:
                put.append(
                    _build_reflection_entry(
                        drop_rules.merge_repeated_documents(documents[keys[0]], older)
                    )
                )
                successor |= {document.key: keys[0] for document in older}
        else:
            entry = observation.build_observed_entries(scope, Observed((o,)), now)[0]
            if entry.document.key in documents and entry.document.key not in keys:
                stay.update(keys)  # what was replaced, or a person's: it must not come back
            else:
                put.append(entry)
                wordings = [old for key in keys for old in made.joined.get(key, ())]
                successor |= dict.fromkeys((*keys, *wordings), entry.document.key)
    stay |= {
        old for key, olds in made.joined.items() if key in stay and key not in same for old in olds
    }
    gone = {key for key in made.prints if key in same and key not in stay}
    return put, gone, successor


def _relink_successors(
    documents: Iterable[Document], gone: set[str], successor: Mapping[str, str], known: set[str]
) -> list[Entry]:
    """Return documents that name a dropped successor, relinked to the one that replaces it."""
    return [
        _build_reflection_entry(
            replace(document, metadata={**document.metadata, REPLACED_BY: successor[by]})
        )
        for document in documents
        if document.key not in gone
        and document.key not in known
        and (by := document.metadata.get(REPLACED_BY, "")) in successor
    ]


def _build_reflection_entry(document: Document) -> Entry:
    digest = hashlib.sha256(
        f"{document.text}\0{document.metadata}\0{document.provenance}".encode("utf-8", "replace")
    )
    document = replace(document, content_hash=digest.hexdigest()[:12])
    return Entry(document, (Passage(0, len(document.text), 1, document.text.count("\n") + 1),))


def _list_corrected_documents(whole: ScopeMemory, held: ScopeMemory) -> list[Document]:
    """Return the documents that a person corrected."""
    others = {document.key for document in held.documents}
    return [d for d in whole.documents if d.key not in others and d.metadata.get(CORRECTED)]


def _build_change_prints(documents: Iterable[Document]) -> dict[str, str]:
    """Return key → fingerprint of a document's text and of how long it holds."""
    return {
        d.key: f"{d.content_hash} {d.valid_to or ''} {d.metadata.get(REPLACED_BY, '')}"
        for d in documents
    }


def _dump_reflection(made: _Made) -> str:
    lines = observation.dump_observed(
        made.result._replace(observations=tuple(line.observation for line in made.lines))
    )
    keys = [line.keys for line in made.lines]
    return json.dumps(
        [lines, keys, dict(made.prints), dict(made.joined), made.task_before, made.tries]
    )


def _load_reflection(body: str) -> _Made | None:
    """Return the reflection of a body; None for one that an earlier release prepared."""
    try:
        lines, keys, prints, joined, task, tries = json.loads(body)
    except ValueError:
        return None
    result = observation.load_observed(lines)
    reflection_lines = tuple(
        _ReflectionLine(o, tuple(line_keys))
        for o, line_keys in zip(result.observations, keys, strict=True)
    )
    return _Made(
        lines=reflection_lines,
        prints=prints,
        joined={k: tuple(v) for k, v in joined.items()},
        task_before=task,
        result=result,
        tries=tries,
    )


@dataclass(frozen=True, slots=True)
class ModelCondenser:
    """`Condenser` that asks a model."""

    asker: Asker
    zone: tzinfo
    temperature: float = 0.0

    def condense(self, held: ScopeMemory, level: ReflectionLevel, budget_tokens: int) -> Observed:
        """Return the observations that a model condenses a memory to."""
        newest = held.observations[-1].at.astimezone(self.zone).date()
        source = SourceText(_as_messages(held.observations), self.zone, newest)
        lines = (
            f"[{n}] {scope_memory.format_observation_line(o)}"
            for n, o in enumerate(held.observations, start=1)
        )
        text = f"<memory>\n{escape_block_end(chr(10).join(lines))}\n</memory>"
        system = read_memory_prompt("reflector").format(level=level.instruction)
        model = self.asker.generator.model
        return self.asker.ask(
            Prompt(system, text, self.temperature, budget_tokens),
            lambda answer: parse_observer_answer(
                answer, source, limit=_MOST_OBSERVATIONS, model=model
            ),
        )


class RulesCondenser:
    """`Condenser` without a model."""

    def condense(self, held: ScopeMemory, level: ReflectionLevel, budget_tokens: int) -> Observed:
        """Return the observations that must stay, then others by worth and age."""
        del budget_tokens
        room = int(level.share * held.tokens)
        return Observed(tuple(drop_rules.by_worth(held.observations, room)))


def _clamp_output_budget(tokens: int) -> int:
    return min(max(tokens, _LEAST_TOKENS), _MOST_TOKENS)


def _as_messages(observations: Sequence[Observation]) -> tuple[Journalled, ...]:
    """Return observations as numbered messages for the parser."""
    return tuple(
        Journalled(n, Message(str(n), Role.TOOL, o.text, o.at, tokens=estimate_tokens(o.text)))
        for n, o in enumerate(observations, start=1)
    )


def _build_reflection_lines(
    result: Observed, before: ScopeMemory
) -> list[tuple[Observation, tuple[str, ...]]]:
    """Return the observations of a result with the keys of their sources.

    An observation's messages are those of all its sources.
    """
    keys = {
        o: document.key for o, document in zip(before.observations, before.documents, strict=True)
    }
    lines: list[tuple[Observation, tuple[str, ...]]] = []
    for o in result.observations:
        if o in keys:
            lines.append((o, (keys[o],)))
            continue
        numbers = [
            int(n) for n in o.message_ids if n.isdigit() and 0 < int(n) <= len(before.documents)
        ]
        sources = [before.observations[n - 1] for n in numbers]
        ids = tuple(
            dict.fromkeys(identity for source in sources for identity in source.message_ids)
        )
        # A merged line is as new as its newest source.
        days = [source.at for source in sources]
        at = o.at if not days or min(days) <= o.at <= max(days) else max(days)
        lines.append(
            (
                o._replace(message_ids=ids, at=at),
                tuple(before.documents[n - 1].key for n in numbers),
            )
        )
    return lines
