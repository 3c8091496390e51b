"""`gieok search`: find the lines that answer."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from datetime import date as day
from itertools import islice
from typing import Annotated, NamedTuple

from gieok.commands.command import TRUST_HINT, Parameter, Surface, command, waiting_words
from gieok.commands.memory import behind, filters, newest, restatements
from gieok.commands.memory.hits import (
    JUDGED,
    Days,
    SearchHit,
    SearchResult,
    has_likely_hit,
    judge_hit_levels,
    render_search,
)
from gieok.commands.memory.newest import PlacedHit
from gieok.commands.memory.restatements import Folded, RowStatement
from gieok.commands.scope_names import name_scope, name_scope_by_path
from gieok.errors import BadRequest, NotIndexed
from gieok.home.call import Call
from gieok.hook.validity import Standing
from gieok.memory.files import roots
from gieok.model.memory import Document, Scope, find_document_status
from gieok.model.retrieval import Filter, FoundPassage, Hit
from gieok.places.scope import SESSIONS, is_served
from gieok.ports.store import ManagedStore, Store, VectorSearch
from gieok.ranking import coming, timeline
from gieok.ranking.likelihood import HIGH, level
from gieok.ranking.profile import Profile
from gieok.ranking.recall import Question, RankedHits, documents_of, first_answer, holding, recall
from gieok.text.dates import DateSpan, find_span
from gieok.text.handles import build_handle
from gieok.text.messages import WordList, Words
from gieok.text.turns import exchange

#: A longer question is a paste; its tail would only cost time.
_LONGEST_QUESTION = 10_000
_MOST_HITS = 1_000
#: Hits that are examined where a status is wanted: a hit's status is known only when the hit is
#: shown.
_LOOKED_AT = 200
#: Factor by which more hits are examined where restatements were folded.
_MORE = 4
#: Default number of lines in a timeline.
_LISTED = 12
#: Least score of the nearest hit that is shown where nothing answers and it has no word of the
#: question. A score is lower the more scopes are searched; a word in common stays one.
_NEAREST = 0.15
_KINDS = {
    "memory": frozenset(("memory",)),
    "observed": frozenset(("observation", "pattern")),
    "sessions": frozenset(("turn",)),
    "all": frozenset[str](),
}
_SOURCE_OF_KIND = {"memory": "memory", "turn": "sessions"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """Parameters of `gieok search`."""

    query: Sequence[str]
    limit: int
    min_score: float
    source: str
    since: str
    until: str
    narrowing: filters.Narrowing
    profile: str
    keyword_only: bool
    explain: bool
    everywhere: bool


def _build_search_hit(
    placed: PlacedHit,
    path: str,
    document: Document | None,
    now: datetime,
    zone: tzinfo,
    request: SearchRequest,
) -> SearchHit:
    hit, ended, explain = placed.hit, placed.ended, request.explain
    parts = newest.spoken_parts(placed.parts)
    compared = newest.explain_pair(placed.pair) if explain and placed.pair else None
    later = None if ended else placed.later
    file = file_of(document) if document else None
    status = find_document_status(document, now) if document else "stands"
    p = hit.passage
    return SearchHit(
        handle=build_handle(
            p.scope.path, p.key, p.start_line if p.key.startswith(f"{SESSIONS}/") else 0
        ),
        path=path,
        start_line=p.start_line,
        end_line=p.end_line,
        score=hit.score,
        snippet=hit.snippet,
        source=_SOURCE_OF_KIND.get(p.kind, p.kind),
        citation=format_citation(path, hit),
        scope=p.scope,
        heading=p.context,
        date=timeline.find_passage_day(p, zone) if p.valid_from else None,
        status=newest.find_hit_status(placed, status),
        tier=p.tier,
        replaced_by=(ended.handle or None) if ended else None,
        replaced_on=datetime.fromtimestamp(ended.at - (not ended.key), zone).date()
        if ended
        else None,
        level=level(hit.score),
        signals=dict(hit.signals) if explain else None,
        parts=dict(hit.parts) if explain and hit.parts else None,
        file=file,
        line=(hit.line.number if hit.line else _best_line(p, " ".join(request.query)))
        if file or hit.line
        else None,
        line_text=hit.line.text if hit.line else None,
        has_more_in_file=file is not None and _has_more_in_file(file, hit.snippet),
        ended_parts=parts or None,
        ended_words=newest.describe_parts(placed.parts),
        compared=compared.en if compared else None,
        compared_words=(compared,) if compared else (),
        said_later=later.handle if later else None,
        said_later_on=datetime.fromtimestamp(later.at, zone).date() if later else None,
        is_later=placed.is_later or None,
    )


def file_of(document: Document) -> str | None:
    """Return the absolute path of a document's file.

    None where the document is no file, or the file is not on this machine.
    """
    if document.kind != "memory" or not document.provenance:
        return None
    file = document.provenance[0].source
    # A cold search has no time to import Path.
    return file if os.path.isabs(file) and os.path.isfile(file) else None  # noqa: PTH117, PTH113


def _has_more_in_file(file: str, snippet: str) -> bool:
    """Return whether a file lacks a redacted line of a snippet: it has the line as it was."""
    redacted = [line.strip() for line in snippet.split("\n") if "[redacted:" in line]
    if not redacted:
        return False
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:  # noqa: PTH123
            text = opened.read()
    except OSError:
        return False
    return any(line not in text for line in redacted)


def _best_line(p: FoundPassage, question: str) -> int:
    """Return the number of the first line of a passage that holds most words of the question."""
    from gieok.text.marks import count_question_words

    held = [count_question_words(line, question) for line in p.text.split("\n")]
    return p.start_line + held.index(max(held))


def format_citation(path: str, hit: Hit) -> str:
    """Return `path#L3-L9`, or `path#L3` for one line."""
    p = hit.passage
    return f"{path}#L{p.start_line}" + (f"-L{p.end_line}" if p.end_line != p.start_line else "")


@command(
    "search",
    Words("Find the lines of memory that answer a question"),
    present=render_search,
    examples=(
        'gieok search "when are payments settled"',
        "gieok search --since yesterday",
        "gieok search refund --source sessions --limit 3",
        "gieok search lint --tag ci --status stands",
        'gieok search "왜 Redis를 골랐지" --explain',
    ),
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
)
def search_memory(
    call: Call,
    *,
    query: Annotated[
        Sequence[str],
        Parameter(
            Words("what to look for; may be left out with --since or --until"), positional=True
        ),
    ] = (),
    limit: Annotated[int, Parameter(Words("how many hits (0: what the profile says)"))] = 0,
    min_score: Annotated[
        float, Parameter(Words("leave out hits below, 0-1 (-1: what the profile says)"))
    ] = -1.0,
    source: Annotated[
        str, Parameter(Words("where to look"), choices=tuple(sorted(_KINDS)))
    ] = "all",
    since: Annotated[str, Parameter(Words("only what is dated on or after this day"))] = "",
    until: Annotated[str, Parameter(Words("only what is dated on or before this day"))] = "",
    tag: Annotated[str, Parameter(filters.TAG)] = "",
    agent: Annotated[str, Parameter(filters.AGENT)] = "",
    category: Annotated[str, Parameter(filters.CATEGORY)] = "",
    priority: Annotated[str, Parameter(filters.PRIORITY)] = "",
    status: Annotated[str, Parameter(filters.STATUS, choices=filters.SEARCHED_STATUSES)] = "all",
    profile: Annotated[
        str, Parameter(Words("how hits are ranked: files or openclaw"), cli_only=True)
    ] = "",
    keyword_only: Annotated[
        bool, Parameter(Words("do not use vectors: faster, words only"), cli_only=True)
    ] = False,
    explain: Annotated[bool, Parameter(Words("show what made each score"), cli_only=True)] = False,
    everywhere: Annotated[
        bool,
        Parameter(
            Words("in every scope, of other projects too; those of characters are left out"),
            cli_only=True,
        ),
    ] = False,
) -> SearchResult:
    """Return the lines of the scope's memory that answer."""
    request = SearchRequest(
        query=query,
        limit=limit,
        min_score=min_score,
        source=source,
        since=since,
        until=until,
        narrowing=filters.Narrowing(
            tag=tag, agent=agent, status=status, category=category, priority=priority
        ),
        profile=profile,
        keyword_only=keyword_only,
        explain=explain,
        everywhere=everywhere,
    )
    text = " ".join(request.query).strip()
    if not text and not (request.since or request.until):
        raise BadRequest(
            "query is missing",
            hint='such as `gieok search "…"`, or `gieok search --since yesterday`',
        )
    late = behind.caught_up(call, use_vectors=not request.keyword_only)
    try:
        result, silent = first_answer(
            call.home.stores.all(),
            lambda store: _search_memory_store(call, request, text, store),
        )
    except NotIndexed as error:
        if not late:
            raise
        raise NotIndexed(
            "{error}; {notice}", error=error, notice=late.words(), hint="run `gieok index`"
        ) from error
    result = result._replace(behind=late)
    if silent:
        return result._replace(degraded="; ".join(filter(None, (silent, result.degraded))))
    return result


def _search_memory_store(
    call: Call, request: SearchRequest, text: str, store: Store
) -> SearchResult:
    left_out = behind.untrusted_records(call, store)
    scopes = _choose_searched_scopes(call, request, store, left_out)
    since, until = span_of_days(call, request.since), span_of_days(call, request.until)
    where = _build_search_filter(call, request, since, until)
    today = call.clock.now().astimezone(call.zone).date()
    period = (
        timeline.find_asked_period(text, today)
        if text
        else timeline.open_period(since, until, today)
    )
    standing = newest.open_standing(call)
    question = Question(
        text=text[:_LONGEST_QUESTION],
        scopes=scopes,
        where=where,
        use_vectors=not request.keyword_only,
        hybrid=call.home.settings.flag("hybrid"),
        claims=standing,
    )
    embedder = (
        call.home.open_embedder()
        if isinstance(store, VectorSearch) and not request.keyword_only
        else None
    )
    profile = _build_search_profile(call, request)
    is_list = period is not None or coming.find_coming_span(text, today) is not None
    limits = _choose_limits(request, profile.limit, period, is_list=is_list)
    if limits.ranked > profile.limit:
        profile = profile.with_limit(limits.ranked)
    by = call.home.open_reranking() if text and question.use_vectors else None
    reader = call.home.open_help_reader() if text and question.use_vectors else None

    def ranked(profile: Profile) -> RankedHits:
        if period and not text:
            period_question = timeline.PeriodQuestion(
                period=period, scopes=scopes, where=where, vector=None, zone=call.zone
            )
            return RankedHits(
                timeline.list_period_hits(store, period_question, profile),
                None,
                period.span,
                is_timeline=True,
            )
        ranked_hits = recall(store, embedder, question, profile, call.clock, call.zone, by, reader)
        return ranked_hits._replace(hits=_within_days(ranked_hits.hits, since, until, call.zone))

    ranked_hits = ranked(profile)
    results = _build_search_results(
        call, request, store, scopes, standing, ranked_hits, limits.judged
    )
    # Restatements take one line, and other hits take their place, unless a paid service would have
    # to be asked again.
    if (
        len(results) < min(limits.judged, len(ranked_hits.hits))
        and by is None
        and not isinstance(store, ManagedStore)
    ):
        ranked_hits = ranked(profile.with_limit(min(_MORE * profile.limit, _MOST_HITS)))
        results = _build_search_results(
            call, request, store, scopes, standing, ranked_hits, limits.judged
        )
    near = ranked_hits.nearest if request.min_score == -1 else None
    near_results = (
        _build_search_results(call, request, store, scopes, standing, RankedHits((near,)), 1)
        if near and _is_near(near, text)
        else ()
    )
    if any(hit.level == HIGH for hit in results) and not ranked_hits.is_timeline:
        results = judge_hit_levels(results, text)
    results = results[: limits.shown]
    days = (
        Days(ranked_hits.span.first, ranked_hits.span.last, ranked_hits.span.words)
        if ranked_hits.span
        else None
    )
    gaps = (
        ()
        if results and (ranked_hits.is_timeline or has_likely_hit(results))
        else tuple(_list_search_gaps(call, request, store, scopes, ranked_hits, since, until))
    )
    return SearchResult(
        results=results,
        ranked=ranked_hits,
        degraded=ranked_hits.degraded,
        days=days,
        waiting=left_out,
        query=text,
        nearest=next(iter(near_results), None),
        not_times=ranked_hits.refused or None,
        not_looked_at=gaps or None,
        has_own_threshold=request.min_score != -1,
    )


def _choose_searched_scopes(
    call: Call, request: SearchRequest, store: Store, left_out: int
) -> tuple[Scope, ...]:
    """Return the scopes that a search looks in.

    Raises NotIndexed, which names the records that wait for trust.
    """
    try:
        return list_owned_scopes(store) if request.everywhere else _with_memory(call, store)
    except NotIndexed as error:
        if not left_out:
            raise
        raise NotIndexed(
            "{error}; {notice}", error=error, notice=waiting_words(left_out), hint=TRUST_HINT
        ) from error


def _build_search_filter(
    call: Call, request: SearchRequest, since: DateSpan | None, until: DateSpan | None
) -> Filter:
    """Return the bounds of a search: kinds, days, and what its options narrow."""
    where = Filter(
        _KINDS[request.source],
        since=_compute_day_edge(since.first, call.zone, min) if since else None,
        until=_compute_day_edge(until.last + timedelta(days=1), call.zone, max) if until else None,
    )
    return request.narrowing.narrow_filter(call, where)


def _is_near(hit: Hit, question: str) -> bool:
    """Return whether a hit that does not answer is near enough to be shown as the nearest."""
    if hit.score >= _NEAREST:
        return True
    from gieok.text.marks import count_question_words

    return count_question_words(hit.passage.text, question) > 0


class _Limits(NamedTuple):
    """Numbers of hits: shown, compared to tell how sure each is, and ranked."""

    shown: int
    judged: int
    ranked: int


def _choose_limits(
    request: SearchRequest, usual: int, period: timeline.Period | None, *, is_list: bool
) -> _Limits:
    """Return the numbers of hits of a request; `usual` is that of its profile.

    `is_list`: the question asks for what is of some days, past or to come.
    """
    shown = max(usual, _LISTED) if is_list and not request.limit else usual
    # a list of days is no order of answers, and depends on its length
    is_by_day = is_list and not (period and period.is_newest)
    judged = shown if is_by_day else max(shown, JUDGED)
    # some hits turn out to have another status
    ranked = judged if request.narrowing.status == "all" else max(judged, _LOOKED_AT)
    return _Limits(shown, judged, ranked)


def _list_search_gaps(
    call: Call,
    request: SearchRequest,
    store: Store,
    scopes: Sequence[Scope],
    found: RankedHits,
    since: DateSpan | None,
    until: DateSpan | None,
) -> Iterator[Words]:
    """Yield the places that a search without likely results did not look at."""
    # which walks folders: a search that finds something has no time for it
    from gieok.commands.memory import gaps

    if found.is_timeline and found.span and found.span.words:
        yield gaps.gap_of_days(*found.span)
    yield from gaps.gaps_of_filter(
        since,
        until,
        source=request.source,
        **request.narrowing.describe_filters(),
    )
    yield from gaps.gaps_of_memory(call, store, scopes)


def _build_search_results(
    call: Call,
    request: SearchRequest,
    store: Store,
    scopes: Sequence[Scope],
    standing: Standing,
    found: RankedHits,
    limit: int,
) -> tuple[SearchHit, ...]:
    """Return hits for display: with their paths and current status."""
    known_roots = {scope: roots.load_roots(store, scope) for scope in scopes}
    placed = newest.place_current_hits(
        call, store, found.hits, standing, is_ranked=not found.is_timeline
    )
    if not found.is_timeline:
        placed = _raise_scores(placed)
    documents = documents_of(store, [placed_hit.hit for placed_hit in placed])
    now = call.clock.now()
    shown = (
        (
            placed_hit,
            _build_search_hit(
                placed_hit._replace(hit=_expand_turn_snippet(placed_hit.hit, documents)),
                roots.display(
                    known_roots.get(placed_hit.hit.passage.scope, []), placed_hit.hit.passage.key
                ),
                documents.get(_build_hit_key(placed_hit.hit)),
                now,
                call.zone,
                request,
            ),
        )
        for placed_hit in placed
    )

    def statement(pair: tuple[PlacedHit, SearchHit]) -> RowStatement:
        placed_hit, hit = pair
        days = restatements.list_told_days(documents.get(_build_hit_key(placed_hit.hit)), hit.date)
        text = restatements.spoken_text(placed_hit.hit.passage.text)
        return RowStatement(text, days, hit.handle, f"{hit.scope} {hit.status}")

    pairs = (pair for pair in shown if request.narrowing.admits_status(pair[1].status))
    folded = restatements.fold_restatements(islice(pairs, max(limit, len(found.hits))), statement)
    return tuple(_with_days(hit, fold) for (_, hit), fold in folded[:limit])


def _raise_scores(placed: Sequence[PlacedHit]) -> list[PlacedHit]:
    """Return hits of which none is less likely than the statement behind it that it replaced."""
    scores = newest.raise_successor_scores(placed, [one.hit.score for one in placed])
    return [
        one._replace(hit=one.hit._replace(score=score))
        for one, score in zip(placed, scores, strict=True)
    ]


def _with_days(hit: SearchHit, said: Folded) -> SearchHit:
    """Return a hit with the days on which it was said, if there are several."""
    return hit._replace(
        said_on=said.days if len(said.days) > 1 else None, same_as=said.handles or None
    )


def _build_hit_key(hit: Hit) -> tuple[Scope, str]:
    return hit.passage.scope, hit.passage.key


def _expand_turn_snippet(hit: Hit, documents: Mapping[tuple[Scope, str], Document]) -> Hit:
    """Return a hit; a turn is extended by the turn that it answers, or that answers it."""
    document = documents.get(_build_hit_key(hit))
    if document is None or hit.passage.kind not in _KINDS["sessions"]:
        return hit
    return hit._replace(
        snippet=exchange(document.text.split("\n"), hit.passage.start_line) or hit.snippet
    )


def list_owned_scopes(store: Store) -> tuple[Scope, ...]:
    """Return every scope of the owner.

    Scopes of characters belong to the users that talk to them. Raises NotIndexed.
    """
    scopes = tuple(scope for scope in store.scopes() if not is_served(scope.path))
    if not scopes:
        raise NotIndexed("nothing is indexed in any scope")
    return scopes


def _with_memory(call: Call, store: Store) -> tuple[Scope, ...]:
    """Return the scopes to search that hold anything.

    Raises NotIndexed where none does.
    """
    brought = tuple(scope for scope in call.searched[len(call.scopes) :] if store.notes(scope))
    scopes = (*holding(store, call.scopes), *brought)
    if not scopes and not store.scopes():
        raise NotIndexed("nothing is remembered yet")
    if not scopes:
        raise NotIndexed(
            "nothing is indexed here ({scope}); memory is in: {listed}",
            scope=name_scope(call.scope),
            listed=WordList(tuple(map(name_scope_by_path, store.scopes()))),
        )
    return scopes


def _build_search_profile(call: Call, request: SearchRequest) -> Profile:
    profile = call.home.build_profile(request.profile)
    if not 0 <= request.limit <= _MOST_HITS:
        raise BadRequest(
            "limit is {limit}",
            limit=request.limit,
            most_hits=_MOST_HITS,
            hint="it must be from 1 to {most_hits:,}; 0: as the profile says",
        )
    if not (request.min_score == -1 or 0 <= request.min_score <= 1):
        raise BadRequest(
            "min-score is {score:g}",
            score=request.min_score,
            hint="it must be from 0 to 1; -1: as the profile says",
        )
    if request.limit:
        profile = profile.with_limit(request.limit)
    return profile.with_least_score(request.min_score) if request.min_score >= 0 else profile


def span_of_days(call: Call, words: str) -> DateSpan | None:
    """Return the days that `words` name (a date, `yesterday`, `지난주`); None for no words."""
    if not words:
        return None
    span = find_span(words, call.clock.now().astimezone(call.zone).date())
    if span is None:
        raise BadRequest(
            "{words!r} is no day",
            words=words,
            hint="write 2026-11-20, `yesterday`, `last week`, `지난주` …",
        )
    return span


def _compute_day_edge(
    of: day, zone: tzinfo, which: Callable[[datetime, datetime], datetime]
) -> datetime:
    """Return the start of a day: UTC or local midnight, as `which` (min or max) picks.

    A document with a day but no time is stored at midnight UTC, other documents at their time. The
    wider edge admits both; `_within_days` then drops the hits of other days.
    """
    return which(
        datetime.combine(of, time(), UTC), datetime.combine(of, time(), zone).astimezone(UTC)
    )


def _within_days(
    hits: Sequence[Hit], since: DateSpan | None, until: DateSpan | None, zone: tzinfo
) -> tuple[Hit, ...]:
    """Return the hits of the wanted days, as a person in this time zone counts days."""
    if not (since or until):
        return tuple(hits)
    span = DateSpan(since.first if since else day.min, until.last if until else day.max, "")
    return tuple(hit for hit in hits if timeline.is_passage_in_days(hit.passage, span, zone))
