"""`gieok code query`: find the functions and classes that answer."""

from dataclasses import dataclass

from gieok.capabilities.code.ask.query import Answer, Answers, search
from gieok.capabilities.code.deepen import escalation
from gieok.capabilities.code.index.project import SCOPE, Freshness, freshness
from gieok.capabilities.code.report import summary
from gieok.errors import BadRequest
from gieok.ops.code.project import freshness_lines, opened, pending_lines
from gieok.ops.context import Context
from gieok.ops.operation import Operation, Style, Surface, Words, argument, printable

_LONGEST_QUESTION = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRequest:
    """Parameters of `gieok code query`."""

    query: list[str] = argument(
        Words("what to look for: words, a question, or a name", "찾을 것: 낱말, 물음, 이름"), [], positional=True
    )
    k: int = argument(Words("how many answers", "답의 수"), 8)
    budget_tokens: int = argument(
        Words("at most this many model tokens (0: no limit)", "모델 토큰 한도 (0: 없음)"), 4000
    )
    keyword_only: bool = argument(
        Words("do not use vectors: faster, words only", "벡터를 쓰지 않음: 더 빠르고 낱말만"), False, cli_only=True
    )


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What answers."""

    answers: Answers
    #: Each with the model that wrote it, '' for none.
    summaries: tuple[tuple[str, str], ...]
    freshness: Freshness
    pending: dict[str, object] | None = None

    @property
    def found(self) -> bool:
        """True where there is an answer."""
        return bool(self.answers.answers)

    def to_json(self) -> object:
        """Return the documented shape (docs/code.md)."""
        rows = [answer_json(a, *s) for a, s in zip(self.answers.answers, self.summaries, strict=True)]
        return {
            "results": rows,
            "degraded": self.answers.degraded,
            "freshness": self.freshness.to_json(),
            "pending": bool(self.pending),
        }


def answer_json(answer: Answer, text: str, model: str) -> dict[str, object]:
    """Return an answer's documented shape."""
    s = answer.symbol
    return {
        "path": s.path, "start_line": answer.start_line, "end_line": answer.end_line,
        "symbol": s.key.partition("::")[2], "kind": s.kind, "signature": s.signature, "summary": text,
        "summary_by": model or None, "score": round(answer.score, 4), "callers": answer.callers,
        "why": answer.why, "status": s.status,
        "snippet": answer.snippet, "snippet_line": answer.snippet_line,
        "citation": f"{s.path}#L{answer.start_line}-L{answer.end_line}",
    }  # fmt: skip


def run(context: Context, request: QueryRequest) -> QueryResult:
    """Search the project."""
    text = " ".join(request.query).strip()
    if not text:
        raise BadRequest("the question is empty", hint='say what to look for: `gieok code query "…"`')
    if request.k < 1 or request.budget_tokens < 0:
        raise BadRequest(f"k {request.k} or budget {request.budget_tokens} is out of range")
    project = opened(context)
    embedder = None if request.keyword_only or not project.store.stats().vectors else context.memory.embedder()
    answers = search(project, embedder, text[:_LONGEST_QUESTION], request.k, budget_tokens=request.budget_tokens)
    waits = context.memory.embedder_name != "none" and not request.keyword_only and not embedder
    if waits and (count := project.store.waiting(SCOPE)):
        answers = answers._replace(
            degraded=f"words only: {count} passages have no vector yet; `gieok code sync` makes them"
        )
    told = summary.told(project, [a.symbol for a in answers.answers])
    return QueryResult(answers, tuple(told), freshness(project), escalation.pending(project.root))


def present(result: QueryResult, style: Style) -> str:
    """Show each answer as place, signature and summary."""
    blocks = []
    for answer, (text, _) in zip(result.answers.answers, result.summaries, strict=True):
        s = answer.symbol
        place = f"{s.path}#L{answer.start_line}-L{answer.end_line}"
        callers = Words(f"{answer.callers} caller{'' if answer.callers == 1 else 's'}", f"호출 {answer.callers}곳").say(
            style.lang
        )
        name = s.path if s.kind == "module" else s.key.partition("::")[2]
        head = f"{style.bold(printable(name))}  {style.dim(printable(place))}"
        lines = [head + style.dim(f"  {s.kind}, {callers}, {answer.why}")]
        lines += [f"    {printable(line)}" for line in (s.signature, text) if line]
        blocks.append("\n".join(lines))
    if not blocks:
        blocks.append(Words("Nothing found.", "찾은 것이 없습니다.").say(style.lang))
    if result.answers.degraded:
        blocks.append(style.dim(Words("note: ", "알림: ").say(style.lang) + result.answers.degraded))
    return "\n\n".join([*blocks, *freshness_lines(result.freshness, style), *pending_lines(result.pending, style)])


OPERATION = Operation(
    name="code query",
    tool="code_search",
    shows_source=True,
    request=QueryRequest,
    handler=run,
    present=present,
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
    doc=Words("Find the functions and classes that answer a question", "물음에 답하는 함수와 클래스를 찾습니다"),
)
