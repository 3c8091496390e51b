"""`gieok recall`: the memories injected before a prompt.

The hook asks the daemon for them; a person sees why each was chosen.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok.agents import table
from gieok.commands.absence import absence
from gieok.commands.command import Parameter, Style, command, printable
from gieok.commands.encode import Omitted, Score
from gieok.commands.memory import newest
from gieok.commands.memory.hits import not_taken_as_times
from gieok.commands.prompt.candidates import (
    FATES,
    Cuts,
    RecallCandidate,
    build_recall_candidates,
    compute_score_cuts,
)
from gieok.commands.prompt.spoken_rules import load_spoken_rules
from gieok.home.call import Call
from gieok.home.withholding import find_withheld_notice
from gieok.hook import choice, inject, levels, question, refusals, rules, tasks
from gieok.hook.inject import InjectedMemory
from gieok.hook.matches import find_record_category, shown_path
from gieok.hook.note_gate import NoteGate
from gieok.hook.validity import EndedClaim, LaterStatement, Standing, say_later
from gieok.hook.window import ContextWindow
from gieok.model.memory import Document, Scope
from gieok.model.retrieval import Hit
from gieok.ports.store import ManagedStore, Store, VectorSearch
from gieok.ranking import timeline
from gieok.ranking.learned import prompts
from gieok.ranking.likelihood import apply_logistic
from gieok.ranking.recall import Question, documents_of, holding, recall
from gieok.ranking.snippet import snippet
from gieok.settings.hook import HookSettings
from gieok.settings.option import Value
from gieok.text.handles import build_handle
from gieok.text.keywords import normalise, query_tokens
from gieok.text.messages import Words
from gieok.text.turns import find_closing_words, read_spoken_line

_SNIPPET_CHARS = 600
#: Sentences of a prompt that are asked separately; each costs as much as the whole prompt.
_MOST_TEXTS = 3
#: Hits of one question, and of all questions together, that are examined.
_HITS, _MOST_HITS = 20, 30
#: The share of its probability that a hit keeps for the kind of task: what reads like a rule, and
#: the rest.
_RULE_SHARE, _OTHER_SHARE = 1.0, 0.4
#: Hits of a compacted session that are followed to what closed their matter, and the share of a
#: hit's probability that the closing words have.
_CARRYING, _CARRIED_SHARE = 3, 0.8
#: Least probability of the nearest hit for the hint that something near exists: a little less than
#: for showing the hit.
_NEAR = 0.8 * apply_logistic(choice.FIRST)


class RecallRow(NamedTuple):
    """Memory that would be shown, with the fields of `inject.InjectedMemory`."""

    handle: str
    score: Score
    title: str
    text: str
    citation: str
    category: str
    tags: str
    day: str
    who: str
    answers: str
    status: str
    scope: str
    is_sure: bool


@dataclass(frozen=True, slots=True)
class RecallResult:
    """Text to inject ('' for none), its memories, its cost, and why recall may be degraded."""

    text: str
    tokens: int
    memories: tuple[RecallRow, ...]
    #: Questions that memory was asked.
    asked: tuple[str, ...]
    degraded: str | None
    is_hint: bool = False
    #: Candidates, likeliest first, and the thresholds; present where the caller asked for them.
    candidates: Omitted[tuple[RecallCandidate, ...]] = None
    cuts: Omitted[Cuts] = None
    #: Words that look like a time but were not read as a time; left out where there are none.
    not_times: Omitted[tuple[str, ...]] = None
    #: Where nothing would be injected: places that were not searched. Left out where every place
    #: was searched, and for the hook.
    not_looked_at: Omitted[tuple[Words, ...]] = None
    #: Why agents are given nothing now: a pause, a private session, or an exclusion.
    withheld: Omitted[Words] = None

    @property
    def found(self) -> bool:
        """True where something would be injected."""
        return bool(self.text)


class _Found(NamedTuple):
    """Hit with its probability for the prompt, the question that found it, and its fate."""

    hit: Hit
    score: float
    question: str
    ended: EndedClaim | None = None
    parts: tuple[EndedClaim, ...] = ()
    has_won: bool = False
    later: LaterStatement | None = None
    is_later: bool = False


def render_recall(result: RecallResult, style: Style) -> str:
    """Show the text to inject, then the memories behind it."""
    if not result.text:
        nothing = Words("An agent would be given nothing.")
        return "\n".join(
            [
                absence(nothing, result.not_looked_at, style),
                *([result.withheld.say(style.lang)] if result.withheld else []),
                *_list_notes(result, style),
                *_explain_candidates(result, style),
            ]
        )
    lines = [printable(result.text)]
    lines += [
        style.dim(f"{m.score:.2f}  {m.handle}  {style.memory(m.title or m.text)[:60]}")
        for m in result.memories
    ]
    lines.append(style.dim(style.say("{tokens} tokens", tokens=result.tokens)))
    return "\n".join([*lines, *_list_notes(result, style), *_explain_candidates(result, style)])


def _list_notes(result: RecallResult, style: Style) -> list[str]:
    """Return the notes that follow a recall.

    One note says why the recall is degraded, another which words were not read as a time.
    """
    notes = (
        [style.dim(style.say("note: ") + style.told(result.degraded))] if result.degraded else []
    )
    if result.not_times:
        notes.append(style.dim(printable(not_taken_as_times(result.not_times).say(style.lang))))
    return notes


def _explain_candidates(result: RecallResult, style: Style) -> list[str]:
    """Return a line for each candidate, with its fate."""
    if result.cuts is None:
        return []
    first, further = f"{result.cuts.first:.2f}", f"{result.cuts.further:.2f}"
    lines = [
        style.bold(
            style.say(
                "shown from {first} on, further ones from {further}", first=first, further=further
            )
        )
    ]
    for candidate in result.candidates or ():
        text = style.memory(" ".join((candidate.title or candidate.text).split()))[:60]
        lines.append(
            f"{candidate.score:.2f}  {candidate.handle:<12} {text}  "
            f"{style.dim(FATES[candidate.fate].say(style.lang))}"
        )
    return lines


@command(
    "recall",
    Words("Show what an agent would get at a prompt, and why"),
    present=render_recall,
    examples=('gieok recall "which linter do we use?"',),
)
def recall_memories(
    call: Call,
    *,
    prompt: Annotated[
        Sequence[str],
        Parameter(
            Words("the prompt, as an agent would get it"),
            positional=True,
            needed='gieok recall "…"',
        ),
    ] = (),
    agent: Annotated[str, Parameter(Words("the agent that asks"))] = "",
    session: Annotated[
        str, Parameter(Words("its session: what the agent has there already is left out"))
    ] = "",
    scopes: Annotated[
        str, Parameter(Words("whose memory, joined by commas (default: that of this folder)"))
    ] = "",
    explain: Annotated[
        bool, Parameter(Words("also what was found and is not shown, and why"), cli_only=True)
    ] = False,
    limit: Annotated[
        int, Parameter(Words("as if `hook.limit` were this (0: as it is set)"), cli_only=True)
    ] = 0,
    mode: Annotated[
        str,
        Parameter(
            Words("as if `hook.output_mode` were this"),
            choices=("", "tiered", "full"),
            cli_only=True,
        ),
    ] = "",
    within_ms: Annotated[int, Parameter(Words("stop asking after this; 0: never"))] = 0,
) -> RecallResult:
    """Search for each part of the prompt, merge by probability, and choose what to show."""
    withheld = find_withheld_notice(call, agent=agent, session=session)
    if withheld is not None:
        return RecallResult(
            text="", tokens=0, memories=(), asked=(), degraded=None, withheld=withheld
        )
    prompt_text = " ".join(prompt)
    store = call.home.store
    texts = question.texts(prompt_text)[:_MOST_TEXTS]
    named = tuple(Scope(name.strip()) for name in scopes.split(",") if name.strip())
    wanted_scopes = named or call.scopes
    held_scopes = holding(store, wanted_scopes) if texts else ()
    if not held_scopes:
        gaps = (
            tuple(_list_recall_gaps(call, store, wanted_scopes, (), within_ms=within_ms))
            if texts
            else ()
        )
        return RecallResult(
            text="", tokens=0, memories=(), asked=(), degraded=None, not_looked_at=gaps or None
        )
    asking = _Asking(call, store, held_scopes, within_ms)
    asks_memory = asking.asks_memory(texts[0])
    if question.asks_the_world(prompt_text):
        asks_memory = choice.LEAST_ASKING
    for text in texts:
        asking.ask(text)
    about = tasks.question_of(prompt_text)
    if about:
        asks_memory = max(asks_memory, 0.0)
        asking.ask(
            about, lambda hit: _RULE_SHARE if tasks.is_rule_text(hit.passage.text) else _OTHER_SHARE
        )
    window = ContextWindow(str(call.home.folder), agent, session)
    window.read(table.instructions(agent, str(call.caller.folder), str(call.caller.user)))
    best = _carry_to_decisions(store, window, asking.best())
    hits = _order_newest_first(call, store, best, asking.standing)
    gate = NoteGate(
        call.home.hook_settings.text("hook.asked_only"),
        [str(scope) for scope in wanted_scopes],
        prompt_text,
    )
    every = _list_injected_memories(call, store, hits, window, gate)
    first = asking.least_of_first
    refused = refusals.PromptRefusals(str(call.home.folder), prompt_text)
    low_ratio = call.home.hook_settings.number("hook.low_ratio")
    memories = choice.likely(refused.allowed(every), low_ratio, asks_memory, first)
    binding = refused.allowed(rules.bearing(load_spoken_rules(call, held_scopes), prompt_text))
    shown = choice.fresh(
        rules.merge_rules_first(binding, memories), window, str(call.caller.folder)
    )
    settings = _build_supposed_settings(call, limit=limit, mode=mode)
    row = table.BY_NAME.get(agent)
    search = row.search if row else inject.SEARCH_COMMAND
    injection = choice.render_chosen_memories(
        shown, settings, str(call.home.folder), call.project, search
    )
    most_memories = int(settings.number("hook.limit"))
    why = (
        build_recall_candidates(
            every,
            memories,
            shown,
            injection.memories,
            window,
            most_memories,
            frozenset(map(id, filter(refused.refuses, every))),
        )
        if explain
        else None
    )
    is_hint = (
        not memories
        and not binding
        and asking.is_near
        and question.asks_about_the_past(prompt_text)
    )
    gaps = (
        ()
        if is_hint or injection.text
        else tuple(_list_recall_gaps(call, store, wanted_scopes, held_scopes, within_ms=within_ms))
    )
    return RecallResult(
        text=inject.format_near_note(search) if is_hint else injection.text,
        tokens=injection.tokens,
        memories=tuple(RecallRow(**memory.fields()) for memory in injection.memories),
        asked=(*texts, *filter(None, (about,))),
        degraded=asking.degraded,
        is_hint=is_hint,
        candidates=why,
        cuts=compute_score_cuts(every, asks_memory, low_ratio, first) if explain else None,
        not_times=tuple(dict.fromkeys(asking.not_times)) or None,
        not_looked_at=gaps or None,
    )


def _list_recall_gaps(
    call: Call, store: Store, wanted: Sequence[Scope], held: Sequence[Scope], *, within_ms: int
) -> Iterator[Words]:
    """Yield the places that a recall without results did not look at.

    A hook, which has a deadline and tells nobody, asks for no gaps.
    """
    if within_ms:
        return
    from gieok.commands.memory import gaps  # which walks folders

    if not held:
        names = ", ".join(map(str, wanted))
        yield Words.of("{names} holds nothing yet", names=names)
    yield from gaps.gaps_of_memory(call, store, wanted)


def _build_supposed_settings(call: Call, *, limit: int, mode: str) -> HookSettings:
    """Return the hook's settings with the request's values in place of the saved ones."""
    supposed: dict[str, Value] = {"hook.limit": limit} if limit > 0 else {}
    supposed |= {"hook.output_mode": mode} if mode else {}
    return call.home.hook_settings.supposing(supposed)


class _Asking:
    """Search with the questions of one prompt, and the best hits of all questions."""

    def __init__(self, call: Call, store: Store, scopes: tuple[Scope, ...], within_ms: int) -> None:
        self._call, self._store, self._scopes = call, store, scopes
        self._end = time.monotonic() + within_ms / 1000 if within_ms else float("inf")
        self._embedder = call.home.open_embedder() if isinstance(store, VectorSearch) else None
        self._reader = call.home.open_help_reader() if self._embedder else None
        self.standing = newest.open_standing(call)
        self._profile = replace(
            call.home.build_profile("").with_limit(_HITS).with_least_score(0.0),
            snippet_chars=0,
            half_life_days=call.home.hook_settings.number("hook.half_life_days"),
        )
        self._found: dict[int, _Found] = {}
        self.degraded: str | None = None
        self.not_times: list[str] = []

    def ask(self, text: str, share: Callable[[Hit], float] = lambda hit: 1.0) -> None:
        """Search for a text and add the hits, each with `share` of its probability.

        Adds nothing where the time is up.
        """
        if self._found and time.monotonic() > self._end:
            self.degraded = "time was up before everything was asked"
            return
        # A service that searches by itself is not asked for every prompt: each request would leave
        # the machine, cost money, and come late.
        is_here = not isinstance(self._store, ManagedStore)
        query = Question(
            text,
            self._scopes,
            use_vectors=is_here,
            hybrid=self._call.home.settings.flag("hybrid"),
            claims=self.standing,
        )
        ranked = recall(
            self._store,
            self._embedder,
            query,
            self._profile,
            self._call.clock,
            self._call.zone,
            reader=self._reader,
        )
        self.degraded = ranked.degraded or self.degraded
        self.not_times += ranked.refused
        for hit in ranked.hits:
            score = hit.score * share(hit)
            if hit.passage.id not in self._found or self._found[hit.passage.id].score < score:
                self._found[hit.passage.id] = _Found(hit, score, text)

    def asks_memory(self, prompt: str) -> float:
        """Return the log-odds that a prompt asks for stored statements; 0 without a vector."""
        embedder = self._embedder
        if embedder is None or embedder.model != prompts.find_prompts_model():
            return 0.0
        return prompts.asks_memory(embedder.embed_query(normalise(prompt)), embedder.model)

    def best(self) -> list[_Found]:
        """Return the best hits of all questions."""
        return sorted(self._found.values(), key=lambda one: -one.score)[:_MOST_HITS]

    @property
    def least_of_first(self) -> float:
        """Return the least log-odds of the best memory: its score depends on who read it."""
        best = self.best()[:1]
        is_read = any("help" in one.hit.signals for one in best)
        return choice.FIRST if is_read else choice.FIRST_UNREAD

    @property
    def is_near(self) -> bool:
        """Return whether words and vectors were both searched and found something near."""
        return (
            self._embedder is not None
            and not self.degraded
            and any(candidate.score >= _NEAR for candidate in self.best())
        )


def _carry_to_decisions(
    store: Store, window: ContextWindow, best: Sequence[_Found]
) -> list[_Found]:
    """Return hits with the user's words that closed what the best hits of this session opened.

    Only for a session that was compacted: what its context lost is asked for in the words of the
    matter ("how are secrets stored?"), and the decision has other words ("Fernet then").
    """
    opened = [
        one
        for one in best[:_CARRYING]
        if one.score >= choice.OTHERS and window.was_lost(one.hit.passage)
    ]
    if not opened:
        return list(best)
    found = {(p.scope, p.key, p.start_line): one for one in best for p in (one.hit.passage,)}
    for number, one in enumerate(opened, start=1):
        passage = one.hit.passage
        score = one.score * _CARRIED_SHARE
        for entry in store.entries(passage.scope, [passage.key]):
            document = entry.document
            line = find_closing_words(document.text.split("\n"), passage.end_line)
            slices = [part for part in entry.passages if part.start_line == line]
            known = found.get((passage.scope, passage.key, line))
            if not slices or (known is not None and known.score >= score):
                continue
            if known is not None:
                found[passage.scope, passage.key, line] = known._replace(score=score)
                continue
            text = document.text[slices[0].start : slices[0].end]
            carried = passage._replace(
                id=-number,
                text=text,
                context=slices[0].context,
                start_line=line,
                end_line=slices[0].end_line,
            )
            hit = Hit(passage=carried, score=score, snippet=text, signals={}, parts={})
            found[passage.scope, passage.key, line] = _Found(hit, score, one.question)
    return sorted(found.values(), key=lambda one: -one.score)


def _order_newest_first(
    call: Call, store: Store, best: Sequence[_Found], standing: Standing
) -> list[_Found]:
    """Return hits with each current statement before the statement that it replaced.

    So is what was said later on the subject of a hit. Each is as likely as what stands behind it.
    """
    known = {candidate.hit.passage.id: candidate for candidate in best}
    placed = newest.place_current_hits(
        call, store, [candidate.hit for candidate in best], standing, is_quick=True
    )
    candidates = [known[(one.instead_of or one.hit).passage.id] for one in placed]
    scores = newest.raise_successor_scores(placed, [candidate.score for candidate in candidates])
    return [
        candidate._replace(
            hit=one.hit,
            score=score,
            ended=one.ended,
            parts=one.parts,
            has_won=one.has_won,
            later=one.later,
            is_later=one.is_later,
        )
        for one, candidate, score in zip(placed, candidates, scores, strict=True)
    ]


def _list_injected_memories(
    call: Call, store: Store, best: Sequence[_Found], window: ContextWindow, gate: NoteGate
) -> list[InjectedMemory]:
    """Return hits as memories to show.

    Leaves out memories that are gone, that may not be injected, or that were said in this very
    context.
    """
    folder = str(call.caller.folder)
    _, sure_from = levels.select_level_cuts(call.home.hook_settings.number("hook.floor"))
    documents = documents_of(store, [candidate.hit for candidate in best])
    said_here = _said_here(call, documents.values(), window) if window.session else frozenset()
    memories = []
    for candidate in best:
        document = documents.get((candidate.hit.passage.scope, candidate.hit.passage.key))
        if document is None or not _has_existing_source(document):
            continue  # a deleted file is no memory any more, whatever the index still holds
        if not _may_enter(gate, candidate, document):
            continue
        began_s = document.valid_from.timestamp() if document.valid_from else 0.0
        if not window.was_said_here(document.key, began_s) and document.key not in said_here:
            memories.append(
                _build_injected_memory(candidate, document, folder, call.zone, sure_from)
            )
    return memories


def _may_enter(gate: NoteGate, one: _Found, document: Document) -> bool:
    tags = document.metadata.get("tags", "")
    return document.kind == choice.TURN or gate.admits(
        source=document.source,
        scope=str(document.scope),
        key=document.key,
        category=find_record_category(dict(document.metadata), document.key),
        score=one.score,
        text=f"{document.title} {tags} {one.hit.passage.text}",
    )


def _said_here(call: Call, documents: Iterable[Document], window: ContextWindow) -> frozenset[str]:
    """Return keys of documents observed in this session alone whose source is still in context."""
    here = set()
    for document in documents:
        ids = (
            [i for origin in document.provenance for i in origin.message_ids]
            if document.kind != choice.TURN
            else []
        )
        entries = call.home.journal.messages(document.scope, ids) if ids else []
        if entries and all(
            window.is_here(entry.message.session, entry.message.at.timestamp()) for entry in entries
        ):
            here.add(document.key)
    return frozenset(here)


def _has_existing_source(document: Document) -> bool:
    source = Path(document.source)
    return not source.is_absolute() or source.exists() or document.kind == choice.TURN


def _format_recall_status(one: _Found, sure_from: float) -> str:
    """Return the status of a hit.

    The status is what ended the hit or parts of it; `current` where the hit won a comparison; or
    that the hit is unsure.
    """
    if one.ended is not None:
        return one.ended.status
    status_words = (
        [choice.CURRENT] if one.has_won else [choice.format_unsure_status(one.score, sure_from)]
    )
    if one.later is not None:
        status_words.append(one.later.status)
    status = "; ".join(filter(None, (*status_words, newest.spoken_parts(one.parts))))
    return say_later(status) if one.is_later else status


def _build_injected_memory(
    one: _Found, document: Document, folder: str, zone: tzinfo, sure_from: float
) -> InjectedMemory:
    """Return a hit as a memory; `sure_from` is the least probability of a sure one."""
    passage = one.hit.passage
    status = _format_recall_status(one, sure_from)
    day = str(timeline.find_passage_day(passage, zone)) if passage.valid_from else ""
    turn = (
        read_spoken_line(document.text.split("\n"), passage.start_line)
        if document.kind == choice.TURN
        else None
    )
    if turn:
        line = passage.start_line
        text = f"{turn.text}{choice.ANSWERED_BY}{turn.answer}" if turn.answer else turn.text
        return InjectedMemory(
            title="",
            citation=f"{document.key}#L{line}",
            text=text,
            who=turn.who,
            answers=turn.answers,
            day=day,
            status=status,
            handle=build_handle(str(document.scope), document.key, line),
            scope=str(document.scope),
            score=one.score,
            is_sure=one.score >= sure_from,
        )
    source = document.source
    if choice.has_changed(source, passage.text):
        status = ", ".join(filter(None, (status, "its file has changed since")))
    lines = f"#L{passage.start_line}" + (
        f"-L{passage.end_line}" if passage.end_line != passage.start_line else ""
    )
    return InjectedMemory(
        title=document.title or choice.build_fallback_title(passage.text),
        citation=shown_path(source or document.key, folder) + lines
        if Path(source or document.key).suffix
        else "",
        text=snippet(passage.text, list(query_tokens(one.question)), _SNIPPET_CHARS),
        category=find_record_category(dict(document.metadata), document.key),
        tags=document.metadata.get("tags", ""),
        day=day,
        status=status,
        handle=build_handle(str(document.scope), document.key),
        scope=str(document.scope),
        score=one.score,
        is_sure=one.score >= sure_from,
    )
