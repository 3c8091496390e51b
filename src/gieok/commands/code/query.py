"""`gieok code query`: find the functions and classes that answer a question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from gieok.code.ask.query import FoundSymbol, search_symbols
from gieok.code.ask.sureness import is_any_likely, name_level
from gieok.code.deepen import escalation
from gieok.code.deepen.escalation import Escalation
from gieok.code.index.project import SCOPE, freshness
from gieok.code.report import summary
from gieok.commands.code.project import (
    ShownFreshness,
    build_none_found_words,
    open_current_project,
    open_search_embedder,
    render_degraded_note,
    render_freshness_notes,
    render_waiting_escalation,
)
from gieok.commands.code.source import format_code_place, shorten_code_line
from gieok.commands.command import Parameter, Style, Surface, command, printable
from gieok.commands.encode import As, OrNull, Score
from gieok.commands.memory.hits import describe_sureness, introduce_nearest
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.text.messages import Words

_LONGEST_QUESTION = 4_000
_LINE_CHARS = 120
#: Signals whose score says how likely an answer is right.
_TELLING = frozenset(("name", "message", "marker"))


def _is_escalation_waiting(pending: object) -> bool:
    return bool(pending)


class AnswerRow(NamedTuple):
    """Function or class that answers; `summary_by` is the model that wrote its summary.

    `score` is the probability that it answers; 0 for a neighbour of an answer.
    """

    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    signature: str
    summary: str
    summary_by: OrNull[str]
    score: Score
    callers: int
    why: str
    status: str
    snippet: str
    snippet_line: int
    citation: str


def _build_found_symbol_row(answer: FoundSymbol, summary: str, model: str) -> AnswerRow:
    s = answer.symbol
    return AnswerRow(
        path=s.path,
        start_line=answer.start_line,
        end_line=answer.end_line,
        symbol=s.qualified,
        kind=s.kind,
        signature=s.signature,
        summary=summary,
        summary_by=model,
        score=answer.sureness,
        callers=answer.callers,
        why=answer.why,
        status=s.status,
        snippet=answer.snippet,
        snippet_line=answer.snippet_line,
        citation=f"{s.path}#L{answer.start_line}-L{answer.end_line}",
    )


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Answers of a query; `pending` is the waiting escalation.

    `is_unsure`: no answer is likely enough, so that they are only the nearest there are.
    """

    results: tuple[AnswerRow, ...]
    degraded: str | None
    freshness: ShownFreshness
    pending: Annotated[Escalation | None, As(_is_escalation_waiting)] = None
    is_unsure: bool = False

    @property
    def found(self) -> bool:
        """True where there is an answer."""
        return bool(self.results)


def render_code_query(result: QueryResult, style: Style) -> str:
    """Show each answer as place, signature and summary."""
    blocks = []
    for answer in result.results:
        callers = style.say("{count} caller", plural="{count} callers", count=answer.callers)
        at = style.bold(
            printable(format_code_place(answer.path, answer.start_line, answer.end_line))
        )
        name = "" if answer.kind == "module" else f"  {printable(answer.symbol)}"
        why = "" if answer.why == "words" else f", {answer.why}"
        sure = _format_sureness(answer, style)
        lines = [at + name + style.dim(f"  {answer.kind}, {callers}{printable(why)}{sure}")]
        detail_lines = (
            shorten_code_line(line, _LINE_CHARS)
            for line in (answer.signature, answer.summary)
            if line
        )
        lines += [f"    {printable(line)}" for line in detail_lines]
        blocks.append("\n".join(lines))
    if not blocks:
        blocks.append(
            build_none_found_words(Words("Nothing found"), result.freshness).say(style.lang)
        )
    elif result.is_unsure:
        blocks.insert(0, introduce_nearest(len(blocks)).say(style.lang))
    return "\n".join(
        [
            *blocks,
            *render_degraded_note(result.degraded, style),
            *render_freshness_notes(result.freshness, style),
            *render_waiting_escalation(result.pending, style),
        ]
    )


def _format_sureness(answer: AnswerRow, style: Style) -> str:
    """Return how likely an answer is right, and the word for it; '' where that is not known.

    Of a question in a developer's own words the score of an answer tells nearly nothing (AUROC
    .54): only what the question names, quotes or asks the comments for has a percentage.
    """
    if answer.why not in _TELLING or not answer.score:
        return ""
    word = describe_sureness(name_level(answer.score)).say(style.lang)
    return f", {answer.score:.0%} {word}"


@command(
    "code query",
    Words("Find the functions and classes that answer a question"),
    present=render_code_query,
    examples=(
        'gieok code query "where is the discount computed"',
        'gieok code query "할인은 어디서 계산하지"',
    ),
    tool="code_search",
    tool_hint="Only places, for many matches; code_explore shows source",
    shows_source=True,
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
)
def query_code(
    call: Call,
    *,
    query: Annotated[
        Sequence[str],
        Parameter(
            Words("what to look for: words, a question, or a name"),
            positional=True,
            needed='gieok code query "…"',
        ),
    ] = (),
    limit: Annotated[
        int,
        Parameter(
            Words("how many answers (also -k); 0: as the project's settings say, 8 as shipped"),
            also=("-k", "--k", "--top-k"),
        ),
    ] = 0,
    budget_tokens: Annotated[
        int, Parameter(Words("at most this many model tokens (0: no limit)"))
    ] = 4000,
    keyword_only: Annotated[
        bool, Parameter(Words("do not use vectors: faster, words only"), cli_only=True)
    ] = False,
) -> QueryResult:
    """Search the project."""
    text = " ".join(query).strip()
    if limit < 0 or budget_tokens < 0:
        raise BadRequest(
            "limit {limit} or budget {budget_tokens} is out of range",
            limit=limit,
            budget_tokens=budget_tokens,
        )
    project = open_current_project(call)
    embedder = None if keyword_only else open_search_embedder(call, project)
    answers = search_symbols(
        project,
        embedder,
        text[:_LONGEST_QUESTION],
        limit or project.tuning.search.answers,
        budget_tokens=budget_tokens,
    )
    waits = call.home.embedder_name != "none" and not keyword_only
    if waits and (count := project.store.waiting(SCOPE)):
        # Where vectors are used, the search itself says how many are missing.
        lacking = None if embedder else f"words only: {count:,} passages have no vector yet"
        making = "`gieok code sync` or `gieok up` makes them"
        answers = answers._replace(
            degraded="; ".join(filter(None, (lacking, answers.degraded, making)))
        )
    summaries = summary.find_summaries(project, [a.symbol for a in answers.answers])
    rows = tuple(
        _build_found_symbol_row(answer, *symbol_summary)
        for answer, symbol_summary in zip(answers.answers, summaries, strict=True)
    )
    shares = [row.score for row in rows if row.why == "message"]
    others = [row.score for row in rows if row.why != "message"]
    is_unsure = bool(rows) and not is_any_likely(shares, others)
    return QueryResult(
        results=rows,
        degraded=answers.degraded,
        freshness=freshness(project),
        pending=escalation.read_pending(project.root),
        is_unsure=is_unsure,
    )
