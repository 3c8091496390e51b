"""Summarise symbols with a model, several per request; summaries are stored by code hash.

The same code is never paid for twice: after a revert, on another branch, or in another file. The
rows lie beside the graph, which never depends on them.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import partial
from hashlib import sha256
from typing import NamedTuple

from gieok.code.deepen.deeper import RULES, fence_code, prompt
from gieok.code.deepen.outline import select_symbol_code
from gieok.code.index.project import SCOPE, Project
from gieok.code.languages import places
from gieok.code.model.facts import DEFINITIONS, FUNCTIONS, SymbolKind
from gieok.code.model.tuning import SummaryReach
from gieok.errors import BudgetReached, DegenerateOutput, GeneratorFailed
from gieok.flow.generate import Asker
from gieok.model.code import Summary, Symbol
from gieok.text.tokens import estimate_tokens

_MOST_AT_ONCE = 12
#: Symbols whose files are read at once to estimate a run.
_MOST_READ_AT_ONCE = 2_000
_MOST_CHARS = 2_000
_SUMMARY_CHARS = 400
#: Tokens of a sentence of thirty words, in Korean or English.
_SENTENCE_TOKENS = 60
_ASK = RULES + (
    "Say of each numbered piece in one sentence of at most 30 words what it is for, not how "
    "it is written. "
    'Answer with one JSON object from number to sentence, such as {"1": "…", "2": "…"}, and '
    "nothing else."
)
#: Parsed pair by pair, so that a truncated answer still yields its complete pairs.
_PAIR = re.compile(r'"(\d{1,3})"\s*:\s*("(?:[^"\\]|\\.)*")')
#: Prefix of the hash of an outline, which keeps it apart from hashes of code.
_OUTLINE = "="
_SPACES = re.compile(r"\s+")


class SummaryBudget(NamedTuple):
    """Token limit of a run, and the name of the setting that holds this limit."""

    setting: str
    tokens: int


class WrittenSummaries(NamedTuple):
    """Result of a run: written summaries, symbols without a summary, and why the run ended
    early.
    """

    written: int = 0
    left: int = 0
    failure: GeneratorFailed | None = None

    @property
    def note(self) -> str:
        """Return a note for the user; '' where every symbol has its summary."""
        if not self.left:
            return ""
        why = "the model passed over them, or they have changed meanwhile"
        if self.failure is not None:
            is_of_budget = isinstance(self.failure, BudgetReached)
            why = (
                f"{self.failure} "
                f"({self.failure.hint if is_of_budget else 'the next run tries again'})"
            )
        return f"{self.left:,} symbols have no summary by a model yet: {why}"


class RunEstimate(NamedTuple):
    """About what a run costs: summaries, requests, and tokens with those of the description."""

    symbols: int
    requests: int
    input_tokens: int
    output_tokens: int
    description_tokens: int


def estimate_run(
    project: Project, symbols: Sequence[Symbol], description: tuple[int, int], model: str = ""
) -> RunEstimate:
    """Return about what summaries of symbols would cost; known ones cost nothing.

    `description` are the tokens of the project's record, in and out. With `model`, only summaries
    of that model are known.
    """
    taken, given = description
    requests, count = int(bool(taken)), 0
    todo = _order_by_dependants(project, symbols)
    open_tokens = _count_open_tokens(project, todo, model)
    for begin in range(0, len(todo), _MOST_AT_ONCE):
        asked = [s for s in todo[begin : begin + _MOST_AT_ONCE] if s.key in open_tokens]
        if asked:
            requests, count = requests + 1, count + len(asked)
            taken += estimate_tokens(_ASK) + sum(open_tokens[s.key] for s in asked)
            given += _SENTENCE_TOKENS * len(asked)
    return RunEstimate(
        symbols=count,
        requests=requests,
        input_tokens=taken,
        output_tokens=given,
        description_tokens=sum(description),
    )


def _count_open_tokens(project: Project, symbols: Sequence[Symbol], model: str) -> dict[str, int]:
    """Return key → tokens of what a model would be asked about, for symbols without a summary.

    Each file is read once, with others of its folder.
    """
    tokens: dict[str, int] = {}
    by_path = sorted(symbols, key=lambda s: s.path)
    for begin in range(0, len(by_path), _MOST_READ_AT_ONCE):
        pieces = _build_summary_pieces(project, by_path[begin : begin + _MOST_READ_AT_ONCE])
        _, unknown = _split_known_pieces(project, pieces, model)
        tokens |= {piece.symbol.key: estimate_tokens(piece.text) for piece in unknown}
    return tokens


def select_summarisable(symbols: Collection[Symbol], reach: SummaryReach) -> list[Symbol]:
    """Return the symbols whose summary is worth a model's tokens.

    Inner functions are left out; tests, examples and short functions as the settings say.
    """
    kinds = {s.key: s.kind for s in symbols}
    holders = {s.parent for s in symbols if s.kind in DEFINITIONS}

    def is_worth(s: Symbol) -> bool:
        if not _is_in_reach(s.path, reach):
            return False
        if s.kind == SymbolKind.MODULE:
            return s.key in holders
        is_long = (
            s.end_line - s.start_line + 1 >= reach.least_lines
            and kinds.get(s.parent) not in FUNCTIONS
        )
        return s.kind == SymbolKind.CLASS or (s.kind in FUNCTIONS and is_long)

    return [s for s in symbols if is_worth(s)]


def _is_in_reach(path: str, reach: SummaryReach) -> bool:
    if places.is_test_file(path):
        return bool(reach.tests)
    return bool(reach.examples) or not places.is_side(path)


def in_files(project: Project, paths: Sequence[str], model: str) -> list[Symbol]:
    """Return the symbols of files that are worth a summary and that this model has not summarised.

    They are of the kind that a full run summarises: after it, nothing is left to be paid for.
    """
    symbols = project.store.symbols(paths=sorted(paths))
    summaries = project.store.summaries([s.code_hash for s in symbols])
    summarised = {row.code_hash for row in summaries.values() if row.text and row.model == model}
    chosen = select_summarisable(symbols, project.tuning.summaries)
    return [s for s in chosen if s.code_hash not in summarised]


def find_unsummarised(project: Project) -> list[Symbol]:
    """Return the symbols that are worth a summary but have none from a model."""
    summarised = {row.code_hash for row in project.store.summaries().values() if row.text}
    chosen = select_summarisable(list(project.store.all_symbols()), project.tuning.summaries)
    return [s for s in chosen if s.code_hash not in summarised]


def note_waiting_summaries(project: Project, before: Collection[str] | None) -> list[Symbol]:
    """Store which new code waits for a summary, and return the symbols that wait.

    New is code whose hash is not in `before`; with None nothing is new. The stored list survives a
    failure and the end of the process; code that is gone is taken off the list.
    """
    summaries = project.store.summaries()
    if before is None and all(row.text for row in summaries.values()):
        return []
    symbols = select_summarisable(list(project.store.all_symbols()), project.tuning.summaries)
    current = {s.code_hash for s in symbols}
    fresh = sorted(current - summaries.keys() - set(before)) if before is not None else []
    gone = sorted(
        row.code_hash for row in summaries.values() if not row.text and row.code_hash not in current
    )
    if fresh or gone:
        project.store.write_summaries([Summary(code_hash, "", "") for code_hash in fresh], gone)
    open_hashes = {*fresh, *(row.code_hash for row in summaries.values() if not row.text)}
    return [s for s in symbols if s.code_hash in open_hashes]


def write_symbol_summaries(
    project: Project,
    asker: Asker,
    symbols: Sequence[Symbol],
    budget: SummaryBudget,
    progress: Callable[[int, int], None] = lambda done, total: None,
    *,
    anew: bool = False,
) -> WrittenSummaries:
    """Summarise symbols, the most depended-on first, until the budget is nearly used.

    Each answer is stored as it comes, so that a failure or a kill loses at most one. With `anew`, a
    stored summary of the same outline by another model does not count. Never raises
    GeneratorFailed.
    """
    todo = _order_by_dependants(project, symbols)
    begin, total, written = asker.meter.tokens, len(todo), 0
    failure: GeneratorFailed | None = None
    while todo and failure is None:
        progress(total - len(todo), total)
        pieces = _build_summary_pieces(project, todo[:_MOST_AT_ONCE])
        rows, unknown = _split_known_pieces(project, pieces, asker.generator.model if anew else "")
        fitting = _select_fitting_pieces(unknown, budget.tokens - (asker.meter.tokens - begin))
        if fitting:
            try:
                rows += _ask_piece_summaries(asker, fitting)
            except GeneratorFailed as error:
                failure = error
        elif unknown:
            failure = BudgetReached(
                "the {tokens:,} tokens of one run are used up",
                tokens=budget.tokens,
                setting=budget.setting,
                hint="run it again, or raise `{setting}`",
            )
        project.store.write_summaries(rows)
        written += sum(1 for row in rows if not row.code_hash.startswith(_OUTLINE))
        postponed = [piece.symbol for piece in unknown[len(fitting) :]]
        todo = postponed + todo[_MOST_AT_ONCE:]
    return WrittenSummaries(written, total - written, failure)


def _order_by_dependants(project: Project, symbols: Sequence[Symbol]) -> list[Symbol]:
    """Return one symbol per distinct code, the most depended-on first."""
    dependants: dict[str, set[str]] = defaultdict(set)
    for edge in project.store.edges_into([s.key for s in symbols]):
        dependants[edge.target].add(edge.source)
    ordered = sorted(symbols, key=lambda s: (-len(dependants[s.key]), s.key))
    first: dict[str, Symbol] = {}
    for symbol in ordered:
        first.setdefault(symbol.code_hash, symbol)
    return list(first.values())


class _Piece(NamedTuple):
    """The part of a symbol that is sent to a model."""

    symbol: Symbol
    text: str

    @property
    def mark(self) -> str:
        """Return the hash of an outline.

        An outline is hashed by itself because most changes of a module or a class are inside of a
        function.
        """
        return _OUTLINE + sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _build_summary_pieces(project: Project, symbols: Sequence[Symbol]) -> list[_Piece]:
    """Return the pieces to send, without symbols whose file has changed since indexing."""
    paths = sorted({s.path for s in symbols})
    before = project.store.files()
    documents = {d.key: d for d in project.store.get(SCOPE, paths)}
    current = {s.key: s for s in project.store.symbols(paths=paths)}
    after = project.store.files()
    inner: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in current.values():
        if symbol.kind in DEFINITIONS:
            inner[symbol.parent].append(symbol)
    pieces = []
    for symbol in symbols:
        document, now = documents.get(symbol.path), current.get(symbol.key)
        held = {
            files[symbol.path].content_hash for files in (before, after) if symbol.path in files
        }
        if (
            document
            and now
            and now.code_hash == symbol.code_hash
            and held == {document.content_hash}
        ):
            lines = document.text.split("\n")
            text = select_symbol_code(lines, now, inner[now.key], _MOST_CHARS)
            pieces.append(_Piece(now, f"{now.key}\n{text}"))
    return pieces


def _split_known_pieces(
    project: Project, pieces: Sequence[_Piece], model: str
) -> tuple[list[Summary], list[_Piece]]:
    """Return the stored summaries of identical pieces, and the pieces without one.

    `model` is the model of the summaries, '' for any.
    """
    stored = project.store.summaries([piece.mark for piece in pieces])
    known = {mark: row for mark, row in stored.items() if not model or row.model == model}
    rows = [known[p.mark]._replace(code_hash=p.symbol.code_hash) for p in pieces if p.mark in known]
    return rows, [piece for piece in pieces if piece.mark not in known]


def _select_fitting_pieces(pieces: Sequence[_Piece], budget_tokens: int) -> list[_Piece]:
    """Return the first pieces that fit into the budget."""
    used, fitting = estimate_tokens(_ASK), list[_Piece]()
    for piece in pieces:
        used += estimate_tokens(piece.text) + _SENTENCE_TOKENS
        if used > budget_tokens:
            break
        fitting.append(piece)
    return fitting


def _ask_piece_summaries(asker: Asker, pieces: Sequence[_Piece]) -> list[Summary]:
    """Summarise pieces in one request. Raises GeneratorFailed.

    Summaries of outlines are also returned under the hash of the outline.
    """
    text = "\n\n".join(
        f"{number}\n{fence_code(piece.text)}" for number, piece in enumerate(pieces, 1)
    )
    sentences = asker.ask(prompt(_ASK, text), partial(_parse_numbered_summaries, count=len(pieces)))
    named = [(pieces[number - 1], line) for number, line in sentences.items()]
    model = asker.generator.model
    rows = [Summary(piece.symbol.code_hash, line, model) for piece, line in named]
    return rows + [
        Summary(p.mark, line, model) for p, line in named if p.symbol.kind not in FUNCTIONS
    ]


def _parse_numbered_summaries(answer: str, count: int) -> dict[int, str]:
    """Return number → sentence. Raises DegenerateOutput where the answer has no such pair."""
    sentences = {}
    for match in _PAIR.finditer(answer):
        try:
            text = _SPACES.sub(" ", json.loads(match[2], strict=False)).strip()[:_SUMMARY_CHARS]
        except ValueError:
            continue
        if text and 1 <= int(match[1]) <= count:
            sentences[int(match[1])] = text
    if not sentences:
        raise DegenerateOutput("the model summarised nothing of what it was asked about")
    return sentences
