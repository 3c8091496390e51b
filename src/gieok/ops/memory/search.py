"""`gieok search`: find the lines that answer."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from datetime import date as day
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok import places
from gieok.capabilities.files import roots
from gieok.engine.profile import Profile
from gieok.engine.recall import Question, RankedHits, first_answer, recall
from gieok.errors import BadRequest, NotIndexed
from gieok.model.memory import Scope
from gieok.model.retrieval import Filter, Hit
from gieok.ops.context import Context
from gieok.ops.encode import OMITTED, Hidden, Rounded, Score
from gieok.ops.operation import TRUST_HINT, Operation, Style, Surface, Words, argument, printable, waiting_words
from gieok.ports.store import Store, VectorSearch
from gieok.text.dates import DateSpan, find_span

#: A question longer than this is a paste; its tail would only cost time.
_LONGEST_QUESTION = 10_000
_MOST_HITS = 1_000
_KINDS = {"memory": frozenset(("memory",)), "sessions": frozenset(("session",)), "all": frozenset[str]()}
_SOURCE_OF_KIND = {"memory": "memory", "session": "sessions"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """Parameters of `gieok search`."""

    query: list[str] = argument(
        Words("what to look for, in Korean or English", "찾을 것, 한국어나 영어로"),
        [],
        positional=True,
        needed='gieok search "…"',
    )
    limit: int = argument(Words("how many hits (0: what the profile says)", "결과 수 (0: 프로필대로)"), 0)
    min_score: float = argument(
        Words("leave out hits below, 0-1 (-1: what the profile says)", "이보다 낮은 결과는 뺌, 0-1 (-1: 프로필대로)"),
        -1.0,
    )
    source: str = argument(Words("where to look", "찾을 곳"), "all", choices=tuple(sorted(_KINDS)))
    since: str = argument(Words("only what is dated on or after this day", "이 날부터의 것만"), "")
    until: str = argument(Words("only what is dated on or before this day", "이 날까지의 것만"), "")
    profile: str = argument(
        Words("how hits are ranked: files or openclaw", "순위 방식: files 또는 openclaw"), "", cli_only=True
    )
    keyword_only: bool = argument(
        Words("do not use vectors: faster, words only", "벡터를 쓰지 않음: 더 빠르고 낱말만"), False, cli_only=True
    )
    explain: bool = argument(Words("show what made each score", "점수의 근거를 보임"), False, cli_only=True)


class SearchHit(NamedTuple):
    """Lines that answer; `heading` says where in the file they stand."""

    path: str
    start_line: int
    end_line: int
    score: Score
    snippet: str
    source: str
    citation: str
    scope: Scope
    heading: str
    date: day | None
    #: What made the score, where it was asked for.
    signals: Annotated[dict[str, float] | None, Rounded(4), OMITTED]


class Days(NamedTuple):
    """The days that the question names, and in which words."""

    from_: day
    to: day
    words: str


class SearchResult(NamedTuple):
    """Lines that answer, best first."""

    results: tuple[SearchHit, ...]
    ranked: Hidden[RankedHits]
    degraded: str | None
    days: Days | None
    #: Records of the project that are left out because nobody trusts them yet.
    waiting: int = 0

    @property
    def found(self) -> bool:
        """True where there is a hit."""
        return bool(self.results)


def _shown(hit: Hit, path: str, *, explain: bool) -> SearchHit:
    p = hit.passage
    return SearchHit(
        path,
        p.start_line,
        p.end_line,
        hit.score,
        hit.snippet,
        _SOURCE_OF_KIND.get(p.kind, p.kind),
        citation(path, hit),
        p.scope,
        p.context,
        p.valid_from.date() if p.valid_from else None,
        dict(hit.signals) if explain else None,
    )


def citation(path: str, hit: Hit) -> str:
    """Return `path#L3-L9`, or `path#L3` for one line."""
    p = hit.passage
    return f"{path}#L{p.start_line}" + (f"-L{p.end_line}" if p.end_line != p.start_line else "")


def run(context: Context, request: SearchRequest) -> SearchResult:
    """Search the scope's memory."""
    text = " ".join(request.query).strip()
    result, silent = first_answer(context.memory.stores(), lambda store: _search(context, request, text, store))
    if silent:
        return result._replace(degraded="; ".join(filter(None, (silent, result.degraded))))
    return result


def _left_out(context: Context, store: Store) -> int:
    """Return how many records of the project here are not among what is searched: nobody trusts them yet."""
    project = context.project
    shelf = Path(project, places.PROJECT_FOLDER, "memory")
    return roots.not_indexed(store, context.scope, shelf) if project and shelf.is_dir() else 0


def _search(context: Context, request: SearchRequest, text: str, store: Store) -> SearchResult:
    left_out = _left_out(context, store)
    try:
        scopes = _with_memory(context, store)
    except NotIndexed as error:
        if not left_out:
            raise
        raise NotIndexed(f"{error}; {waiting_words(left_out).en}", hint=TRUST_HINT) from error
    since, until = span_of_days(context, request.since), span_of_days(context, request.until)
    where = Filter(
        _KINDS[request.source],
        since=_midnight(since.first) if since else None,
        until=_midnight(until.last) + timedelta(days=1) if until else None,
    )
    question = Question(
        text=text[:_LONGEST_QUESTION],
        scopes=scopes,
        where=where,
        use_vectors=not request.keyword_only,
        hybrid=context.memory.is_hybrid,
    )
    embedder = context.memory.embedder() if isinstance(store, VectorSearch) and not request.keyword_only else None
    found = recall(store, embedder, question, _profile(context, request), context.clock, context.zone)
    known_roots = {scope: roots.load(store, scope) for scope in scopes}
    shown = ((hit, roots.display(known_roots[hit.passage.scope], hit.passage.key)) for hit in found.hits)
    results = tuple(_shown(hit, path, explain=request.explain) for hit, path in shown)
    days = Days(found.span.first, found.span.last, found.span.words) if found.span else None
    return SearchResult(results, found, found.degraded, days, left_out)


def _with_memory(context: Context, store: Store) -> tuple[Scope, ...]:
    """Return those scopes to read that hold anything. Raises NotIndexed where none does."""
    # A note costs one look; the list of all scopes, where there are thousands, more than the search.
    if all(map(store.notes, context.scopes)):
        return context.scopes
    known = store.scopes()
    scopes = tuple(scope for scope in context.scopes if scope in known)
    if not scopes:
        listed = ", ".join(map(str, known)) or "none"
        raise NotIndexed(f"nothing is indexed in scope {str(context.scope)!r} (scopes with memory: {listed})")
    return scopes


def _profile(context: Context, request: SearchRequest) -> Profile:
    profile = context.memory.profile(request.profile)
    if not 0 <= request.limit <= _MOST_HITS or request.min_score > 1:
        raise BadRequest(f"limit {request.limit} or min-score {request.min_score:g} is out of range")
    if request.limit:
        profile = profile.with_limit(request.limit)
    return replace(profile, min_score=request.min_score) if request.min_score >= 0 else profile


def span_of_days(context: Context, words: str) -> DateSpan | None:
    """Return the days that `words` name (a date, `yesterday`, `지난주`); None for no words."""
    if not words:
        return None
    span = find_span(words, context.clock.now().astimezone(context.zone).date())
    if span is None:
        raise BadRequest(f"{words!r} is no day", hint="write 2026-11-20, `yesterday`, `last week`, `지난주` …")
    return span


def _midnight(of: day) -> datetime:
    """Return when a day begins: in UTC, like the notes' days."""
    return datetime.combine(of, time(), UTC)


def present(result: SearchResult, style: Style) -> str:
    """Show each hit as score, citation and snippet."""
    blocks = []
    for hit in result.results:
        heading = f"  {style.dim(printable(hit.heading))}" if hit.heading else ""
        lines = [f"{hit.score:.2f}  {style.bold(printable(hit.citation))}{heading}"]
        lines += [f"      {printable(line)}" for line in hit.snippet.split("\n") if line.strip()]
        if hit.signals is not None:
            signals = ", ".join(f"{name} {value:.3g}" for name, value in hit.signals.items())
            lines.append(style.dim(f"      [{signals}]"))
        blocks.append("\n".join(lines))
    if not blocks:
        blocks.append(style.say("Nothing found.", "찾은 것이 없습니다."))
    if result.degraded:
        blocks.append(style.dim(style.say("note: ", "알림: ") + result.degraded))
    if result.waiting:
        blocks.append(style.dim(f"{waiting_words(result.waiting).say(style.lang)}: {TRUST_HINT}"))
    return "\n\n".join(blocks)


OPERATION = Operation(
    name="search",
    handler=run,
    present=present,
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
    doc=Words("Find the lines of memory that answer a question", "물음에 답하는 기억의 줄을 찾습니다"),
)
