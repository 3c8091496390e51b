"""Answer a question with symbols: engine recall over passages, named symbols, then neighbours.

Symbols that the question names come first; neighbours are the symbols next to the matches in the
graph.

The order is made of rules, each measured on real queries (docs/code.md): symbols that define a name
of the question, files whose path matches the question, and files of which several passages match
count more, and so does what matches call or are called by, for callers and tests often have the
words of a question that a function has not; tests, examples and re-exports count less.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from gieok.code.ask.open_work import find_open_work
from gieok.code.ask.phrases import measure_phrase, read_phrase
from gieok.code.ask.quotes import QuotedMessage
from gieok.code.ask.spelling import SpellingIndex, iter_spellings
from gieok.code.ask.sureness import (
    AnswerEvidence,
    has_chance,
    rate_marker,
    rate_named,
    rate_sureness,
)
from gieok.code.index.chunks import symbol_key
from gieok.code.index.graph import IMPORTS, Certainty
from gieok.code.index.project import SCOPE, Project
from gieok.code.languages import places
from gieok.code.languages.table import find_source_language
from gieok.code.model import korean_terms
from gieok.code.model.facts import DEFINITIONS, SymbolKind
from gieok.code.model.profile import SEARCH
from gieok.code.model.tuning import SearchWeights
from gieok.model.code import Symbol, key_path, module_key
from gieok.model.retrieval import Hit
from gieok.ports.models import Embedder
from gieok.ranking.recall import Question, RankedHits, recall
from gieok.text.keywords import keyword_tokens, query_tokens
from gieok.text.tokens import estimate_tokens

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*")
_CODE_LIKE = re.compile(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z]|_|\.|::|\(\)")
#: Changes to a passage's score, as fractions of the best passage's score.
_DEFINES = 3.0
_DEFINES_IN_WORDS = 1.0
#: What a symbol gains whose name has words of the question, and a file whose path has; at 1, .48 of
#: 100 questions in a developer's own words had an answer among the first five by words, now .52.
_NAMED_ALIKE = 0.5
#: Share of these gains that is left where vectors take part. A question in a developer's own words
#: has hardly a word of the right name, but some of wrong ones: with gains of 1 .65 of 100 had an
#: answer among the first five, with half of .5 .72.
_BESIDE_VECTORS = 0.5
#: What a passage gains that holds all words of the question together: a message of the program.
_SAID = 4.0
_PATH_SHARE = 0.5
#: How much a file of several matches raises each of them. A gain of the best match alone put the
#: second function of the right file behind files that hardly match: of 40 questions in a
#: developer's own words .50 had an answer among the first five, then .55.
_FILE_SHARE = 0.7
#: What a symbol gains from the best match that calls it, from the best that it calls, and from the
#: class that it stands in, as shares of these matches' scores.
_FROM_CALLER, _FROM_CALLEE, _FROM_OWNER = 0.4, 0.2, 0.2
#: Each further caller or callee lends this share of what the one before it does, and so many do.
_FURTHER, _MOST_LENDERS = 0.3, 3
#: Share of the answers that the score alone orders; among the others, files without an answer yet
#: come first.
_BY_SCORE = 0.6
#: Share of its gain that a file's name keeps where the question has hardly a word of the name:
#: `JsonAdapterAnnotationTypeAdapterFactory`.
_PART_OF_NAME = 0.25
#: This many query words in one name count as all of them.
_ENOUGH_WORDS = 3
_REEXPORT, _DECLARATIONS, _SUPERSEDED = 0.5, 0.7, 0.3
#: Answers that are shown where vectors take part, however unlikely each is.
_ALWAYS_SHOWN = 5
#: Several passages of one symbol are one answer, so this many passages are looked at per answer.
_SHOWN = 4
_SNIPPET_CHARS = 700
#: Words of a question, at most, that are looked up as names with modules.
_MOST_SPELLINGS = 30
#: Files of one name, at most, that the name stands for.
_MOST_NAMESAKES = 5
_VERSION = re.compile(r"/v(\d{1,3})(?=/)")


class FoundSymbol(NamedTuple):
    """A matching symbol. `why` names the signal: name, message, marker, words or neighbour."""

    symbol: Symbol
    start_line: int
    end_line: int
    score: float
    why: str
    callers: int = 0
    snippet: str = ""
    #: Line at which the snippet begins; the snippet is whole, unchanged lines of the file.
    snippet_line: int = 0
    #: Probability that the answer is right; 0 for a neighbour, which answers nothing by itself.
    sureness: float = 0.0


class FoundSymbols(NamedTuple):
    """The matches, best first, and the reason for degraded quality, if any."""

    answers: tuple[FoundSymbol, ...]
    degraded: str | None = None


class _Scored(NamedTuple):
    hit: Hit
    score: float
    symbol: Symbol | None
    evidence: AnswerEvidence


class _AskedWords(NamedTuple):
    """Words of a question, also in other forms; as they stand in it, in order; and as a message
    of the program.
    """

    any: set[str]
    phrase: tuple[str, ...]
    message: QuotedMessage


def search_symbols(
    project: Project,
    embedder: Embedder | None,
    text: str,
    limit: int,
    *,
    budget_tokens: int = 0,
    expand: bool = True,
) -> FoundSymbols:
    """Return at most `limit` symbols that answer `text`, within a token budget (0: no budget)."""
    named = _find_asked_symbols(project, text)
    is_name = _is_one_name(text, named)
    query = Question(text=text, scopes=(SCOPE,), use_vectors=embedder is not None)
    result = recall(project.store, embedder, query, SEARCH, project.clock)
    words = set(korean_terms.tokens(text)) | set(query_tokens(text))
    asked = _AskedWords(words, read_phrase(text), QuotedMessage(text))
    ranked = _rank_symbol_hits(project, result, asked, named, is_name=is_name)
    holders = _MessageHolders(ranked, project.tuning.search)
    best = _with_symbols(project, ranked[: _SHOWN * limit])
    answers = [_build_symbol_answer(scored, is_name=is_name) for scored in best]
    answers = _with_missing(project, named, answers, is_name=is_name)
    answers = [*_find_open_markers(project, text)[:limit], *answers]
    answers = _prefer_other_files(project, answers, math.ceil(_BY_SCORE * limit), is_name=is_name)
    answers = answers[:limit]
    room = limit - len(answers)
    answers = _leave_out_unlikely(answers, 1 if embedder is None else _ALWAYS_SHOWN)
    answers = _share_sureness(answers, best, holders)
    if expand:
        answers = _add_neighbour_symbols(project, answers, room)
    answers = _add_matching_lines(project, answers, words)
    answers = _fit_symbol_answers(answers, budget_tokens)
    callers = count_callers(project, [a.symbol.key for a in answers])
    lost = _not_understood(result, text) if embedder is None else None
    degraded = "; ".join(filter(None, (result.degraded, lost))) or None
    return FoundSymbols(
        tuple(a._replace(callers=callers.get(a.symbol.key, 0)) for a in answers), degraded
    )


def _not_understood(found: RankedHits, text: str) -> str | None:
    """Return a warning that names the Korean words of a question that the search cannot match.

    No found passage holds these words, and no English word for them is known. None where every word
    is matched.
    """
    unknown = korean_terms.find_korean_terms(text).unknown
    lost = [
        word
        for word in unknown
        if not any(t in h.passage.text for t in query_tokens(word) for h in found.hits)
    ]
    if not lost:
        return None
    return (
        f"words only: nothing holds {', '.join(lost)}, and no English word for it is known; "
        "vectors find by meaning"
    )


def _find_asked_symbols(project: Project, text: str) -> list[Symbol]:
    """Return the symbols that the question names."""
    words = [
        word
        for word in dict.fromkeys(_IDENTIFIER.findall(text))
        if is_code_like(word) or word == text.strip()
    ]
    spellings = SpellingIndex(project)
    spelled = [
        symbol
        for spelling in list(iter_spellings(text))[:_MOST_SPELLINGS]
        for symbol in spellings.find_symbols(spelling)
        if symbol.kind in DEFINITIONS
    ]
    spelled += _find_named_modules(project, text, spellings)
    if not words:
        return spelled
    lasts = {re.split(r"\.|::|#", word)[-1] for word in words}
    candidates = project.store.symbols(names=sorted(lasts))
    named = [
        s
        for s in candidates
        if s.kind in DEFINITIONS and any(_is_symbol_word(s, word) for word in words)
    ]
    return [*{s.key: s for s in (*named, *spelled)}.values()]


def _find_named_modules(project: Project, text: str, spellings: SpellingIndex) -> list[Symbol]:
    """Return the modules whose file a question names by its name or by the end of its path."""
    named = [word.strip("`'\"(),?") for word in text.split()]
    named = [word for word in named if find_source_language(word) is not None]
    paths = sorted({path for word in named for path in spellings.find_files_ending(word)})
    # A name that many files have, such as `__init__.py`, names none of them.
    if not 0 < len(paths) <= _MOST_NAMESAKES:
        return []
    return [s for s in project.store.symbols(paths=paths) if s.kind == SymbolKind.MODULE]


def _is_one_name(text: str, named: Sequence[Symbol]) -> bool:
    """Say whether a question is a name, or lines of a stack trace, and nothing else."""
    text = text.strip()
    is_spelling = len(text.split()) == 1 or set(text.splitlines()) <= set(iter_spellings(text))
    return bool(_IDENTIFIER.fullmatch(text)) or (bool(named) and is_spelling)


def is_code_like(word: str) -> bool:
    """Return whether a word is written like an identifier: `load_all`, `Order.total`, `getUser`."""
    return _CODE_LIKE.search(word) is not None


def _is_symbol_word(symbol: Symbol, word: str) -> bool:
    qualified = symbol.qualified
    dotted = re.sub(r"::|#", ".", word)
    return (
        qualified == dotted
        or qualified.endswith(f".{dotted}")
        or (f"{places.find_module_stem(symbol.path)}.{qualified}").endswith(dotted)
    )


def _rank_symbol_hits(
    project: Project,
    found: RankedHits,
    asked: _AskedWords,
    named_symbols: Sequence[Symbol],
    *,
    is_name: bool,
) -> list[_Scored]:
    hits, weights, words = found.hits, project.tuning.search, asked.any
    if not hits:
        return []
    best = max(_read_fused_score(hit) for hit in hits)
    named = {s.key for s in named_symbols}
    paths = {hit.passage.key for hit in hits}
    overlaps = {path: _path_overlap(path, words) for path in paths}
    uses_vectors = any("vector" in hit.signals for hit in hits)
    alike = _BESIDE_VECTORS if uses_vectors else 1.0
    # While vectors are being made, a passage without one may be near: only its words say anything.
    unseen = 0.0 if uses_vectors and not project.store.waiting(SCOPE) else None
    scored = []
    for hit, symbol in zip(hits, _symbols_of(project, hits), strict=True):
        is_defined = symbol is not None and symbol.kind in DEFINITIONS
        evidence = AnswerEvidence(
            words=hit.signals.get("keyword", 0.0),
            path=overlaps[hit.passage.key],
            name=_name_overlap(symbol.name, words) if symbol is not None and is_defined else 0.0,
            is_named=(symbol.key if symbol else module_key(hit.passage.key)) in named,
            cosine=hit.signals.get("vector", unseen),
            phrase=_rate_phrase(asked, hit.passage.text),
        )
        score = _read_fused_score(hit)
        score += best * alike * (_NAMED_ALIKE * evidence.name + _PATH_SHARE * evidence.path)
        score += best * _SAID * evidence.phrase
        score *= _weigh_inner_test(symbol, weights)
        scored.append(_Scored(hit, score, symbol, evidence))
    scored = _lend_scores(project, scored, is_asked=is_name and bool(named))
    scored = _raise_named(scored, best * (_DEFINES if is_name else _DEFINES_IN_WORDS), weights)
    return _by_file(scored, _in_use(project, paths), _handing_on(project, paths), weights)


class _MessageHolders:
    """Matches that hold the message of a question, to count those that hold it equally well."""

    def __init__(self, scored: Sequence[_Scored], weights: SearchWeights) -> None:
        self._weights = weights
        self._rows: dict[float, dict[str, float]] = defaultdict(dict)
        for one in scored:
            if one.evidence.has_message:
                self._rows[one.evidence.phrase][_name_match(one)] = self._weigh(one)

    def count_equals(self, scored: _Scored) -> int:
        """Return how many symbols hold as much of the message as a match, itself among them.

        A test or an example that repeats a message of the product makes that one no less sure.
        """
        weight = self._weigh(scored)
        return sum(other >= weight for other in self._rows[scored.evidence.phrase].values())

    def _weigh(self, scored: _Scored) -> float:
        path = scored.hit.passage.key
        return _weigh_code_path(path, self._weights) * _weigh_inner_test(
            scored.symbol, self._weights
        )


def _name_match(scored: _Scored) -> str:
    """Return what a match counts as: its symbol, of which it may be one of several passages."""
    return scored.symbol.key if scored.symbol is not None else module_key(scored.hit.passage.key)


def _share_sureness(
    answers: Iterable[FoundSymbol], scored: Iterable[_Scored], holders: _MessageHolders
) -> list[FoundSymbol]:
    """Return answers of which those that hold one and the same message share its probability.

    They are all shown, however many share: each of them holds what was asked for.
    """
    by_place = {(one.hit.passage.key, one.hit.passage.start_line): one for one in scored}
    shared: list[FoundSymbol] = []
    for answer in answers:
        one = by_place.get((answer.symbol.path, answer.start_line))
        if one is not None and answer.why == "message":
            sureness = rate_sureness(one.evidence, holders.count_equals(one))
            shared.append(answer._replace(sureness=sureness))
        else:
            shared.append(answer)
    return shared


def _rate_phrase(asked: _AskedWords, code: str) -> float:
    """Return how much of a question stands in a piece of code as it was asked, 0 to 1."""
    return 1.0 if asked.message.stands_in(code) else measure_phrase(asked.phrase, code)


def _lend_scores(project: Project, scored: Sequence[_Scored], *, is_asked: bool) -> list[_Scored]:
    """Return matches with what they gain from those that they are next to in the graph.

    Only edges that are sure lend, and only matches gain: the answers stay those that hold a word of
    the question or are near to it. Where the question is a name (`is_asked`), only the symbols of
    that name gain: it has no words that a caller could share, and the class of a file that is asked
    for would come behind its methods, which call each other.
    """
    own: dict[str, float] = defaultdict(float)
    for one in scored:
        if one.symbol is not None:
            own[one.symbol.key] = max(own[one.symbol.key], one.score)
    callers: dict[str, set[str]] = defaultdict(set)
    callees: dict[str, set[str]] = defaultdict(set)
    for edge in project.store.edges_between(sorted(own)):
        is_sure = edge.kind != IMPORTS and edge.tier <= Certainty.UNIQUE_NAME
        if is_sure and edge.source != edge.target:
            callers[edge.target].add(edge.source)
            callees[edge.source].add(edge.target)
    gains = {
        key: _FROM_CALLER * _sum_lent(own[caller] for caller in callers[key])
        + _FROM_CALLEE * _sum_lent(own[callee] for callee in callees[key])
        for key in own
    }
    return [
        one._replace(
            score=one.score + gains[one.symbol.key] + _FROM_OWNER * own.get(one.symbol.parent, 0.0)
        )
        if one.symbol is not None and (one.evidence.is_named or not is_asked)
        else one
        for one in scored
    ]


def _raise_named(scored: Sequence[_Scored], gain: float, weights: SearchWeights) -> list[_Scored]:
    """Return matches with the gain of those that the question names.

    What is lent is counted before it: a class that is named would otherwise lend of this gain, and
    one of its members would come before it.
    """
    return [
        one._replace(score=one.score + gain * _weigh_inner_test(one.symbol, weights))
        if one.evidence.is_named
        else one
        for one in scored
    ]


def _weigh_inner_test(symbol: Symbol | None, weights: SearchWeights) -> float:
    """Return how much a symbol counts for being a test in a file of product code, or not."""
    return weights.tests / 100 if _is_test_inside(symbol) else 1.0


def _sum_lent(scores: Iterable[float]) -> float:
    """Return what several matches lend together: the best one most."""
    best = sorted(scores, reverse=True)[:_MOST_LENDERS]
    return sum(score * _FURTHER**place for place, score in enumerate(best))


def _is_test_inside(symbol: Symbol | None) -> bool:
    """Return whether a symbol is a test in a file of product code, as in Rust (`mod tests`)."""
    return (
        symbol is not None
        and not places.is_test_file(symbol.path)
        and places.is_test_code(symbol.path, symbol.traits)
    )


def _read_fused_score(hit: Hit) -> float:
    """Return the passage's score: its share of the keyword ceiling, and its vector similarity."""
    return hit.signals.get("fused", 0.0)


def _path_overlap(path: str, words: set[str]) -> float:
    """Return the share of query words in the file's name, plus half the share in its folders.

    A long name gives less.
    """
    pure = PurePosixPath(path)
    own = set(query_tokens(pure.stem.replace("_", " ").replace("-", " ")))
    folders = set(query_tokens(" ".join(pure.parent.parts).replace("_", " ").replace("-", " ")))
    if not words:
        return 0.0
    shared = _count_shared_words(words, own)
    hit = shared + 0.5 * _count_shared_words(words, folders - own)
    weight = _PART_OF_NAME + (1 - _PART_OF_NAME) * shared / len(own) if own else 1.0
    return min(1.0, weight * hit / max(1.0, min(len(words), _ENOUGH_WORDS)))


def _name_overlap(name: str, words: set[str]) -> float:
    """Return the share of the words of a symbol's name that the question contains.

    The share is less where the name has fewer than three words.
    """
    tokens = set(keyword_tokens(name))
    parts = tokens - {name.lower()} or tokens
    shared = len(parts & words)
    return shared / len(parts) * min(1.0, shared / _ENOUGH_WORDS) if parts else 0.0


def _count_shared_words(words: set[str], others: set[str]) -> float:
    count = 0.0
    for other in others:
        if other in words:
            count += 1
        elif len(other) > 3 and any(
            len(w) > 3 and (w.startswith(other) or other.startswith(w)) for w in words
        ):
            count += 0.7
    return count


def _in_use(project: Project, paths: Iterable[str]) -> set[str]:
    """Return the paths that are named like tests but imported by product code:
    `jinja2/tests.py`.
    """
    modules = [module_key(path) for path in sorted(paths) if places.is_test_file(path)]
    edges = project.store.edges_into(modules) if modules else ()
    return {
        key_path(edge.target)
        for edge in edges
        if edge.kind == IMPORTS and not places.is_test_file(key_path(edge.source))
    }


def _handing_on(project: Project, paths: Iterable[str]) -> set[str]:
    """Return the paths that stand for their folder and define nothing of their own.

    Rust's `mod.rs` mostly does.
    """
    named = sorted(path for path in paths if places.is_reexport(path))
    defining = (
        {s.path for s in project.store.symbols(paths=named) if s.kind in DEFINITIONS}
        if named
        else set()
    )
    return set(named) - defining


def _by_file(
    scored: Sequence[_Scored], in_use: set[str], handing_on: set[str], weights: SearchWeights
) -> list[_Scored]:
    """Aggregate passages by file: each passage gains from how well the file's best ones match.

    Each further passage adds less.
    """
    members: dict[str, list[_Scored]] = defaultdict(list)
    for one in scored:
        members[one.hit.passage.key].append(one)
    out: list[_Scored] = []
    old = _find_superseded_paths(members)
    for path, own in members.items():
        own.sort(key=lambda one: (-one.score, one.hit.passage.start_line))
        best = max(own[0].score, 0.0)
        total = sum(max(one.score, 0.0) / place for place, one in enumerate(own[:4], 1))
        factor = _weigh_code_path(path, weights, is_test=path not in in_use) * (
            _SUPERSEDED if path in old else 1.0
        )
        factor *= _REEXPORT if path in handing_on else 1.0
        factor *= 1 + (_FILE_SHARE * total / best if best else 0.0)
        out += [
            one._replace(score=one.score * factor * (weights.repeated / 100) ** place)
            for place, one in enumerate(own)
        ]
    return sorted(out, key=lambda s: (-s.score, s.hit.passage.key, s.hit.passage.start_line))


def _find_superseded_paths(paths: Iterable[str]) -> set[str]:
    """Return the paths in superseded version folders: `v3` next to `v4`."""
    numbered = [
        (path, path[: match.start()], int(match[1]))
        for path in paths
        for match in _VERSION.finditer(f"/{path}")
    ]
    newest: dict[str, int] = defaultdict(int)
    for _, place, number in numbered:
        newest[place] = max(newest[place], number)
    return {path for path, place, number in numbered if number < newest[place]}


def _weigh_code_path(path: str, weights: SearchWeights, *, is_test: bool = True) -> float:
    weight = 1.0
    if is_test and places.is_test_file(path):
        weight *= weights.tests / 100
    if places.is_side(path):
        weight *= weights.examples / 100
    if path.endswith((".d.ts", ".pyi")):
        weight *= _DECLARATIONS
    if places.is_document(path):
        weight *= weights.documents / 100
    return weight


def _symbols_of(project: Project, hits: Sequence[Hit]) -> list[Symbol | None]:
    """Return for each passage the function or class that it was cut from.

    None stands for text between symbols.
    """
    keys = [symbol_key(hit.passage.key, hit.passage.context) for hit in hits]
    named = {s.key: s for s in project.store.symbols(keys=sorted({*keys} - {""}))}
    return [named.get(key) for key in keys]


def _with_symbols(project: Project, ranked: Sequence[_Scored]) -> list[_Scored]:
    """Add the nearest symbol to each passage that was not cut from a symbol."""
    by_path: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in project.store.symbols(
        paths=sorted({scored.hit.passage.key for scored in ranked if scored.symbol is None})
    ):
        by_path[symbol.path].append(symbol)
    return [
        o
        if o.symbol
        else o._replace(symbol=_find_nearest_symbol(by_path[o.hit.passage.key], o.hit))
        for o in ranked
    ]


def _find_nearest_symbol(symbols: Sequence[Symbol], hit: Hit) -> Symbol | None:
    first, last = hit.passage.start_line, hit.passage.end_line
    around = [
        s
        for s in symbols
        if s.start_line <= last
        and s.end_line >= first
        and s.kind not in (SymbolKind.MARKER, SymbolKind.LAMBDA)
    ]
    return min(
        around,
        key=lambda s: (abs(s.start_line - first) + abs(s.end_line - last), s.key),
        default=None,
    )


def _build_symbol_answer(scored: _Scored, *, is_name: bool) -> FoundSymbol:
    passage, evidence = scored.hit.passage, scored.evidence
    is_alone = is_name and evidence.is_named
    return FoundSymbol(
        symbol=scored.symbol or _file_symbol(passage.key, passage.end_line),
        start_line=passage.start_line,
        end_line=passage.end_line,
        score=scored.score,
        why=_name_signal(evidence),
        sureness=rate_named(is_alone=True) if is_alone else rate_sureness(evidence),
    )


def _name_signal(evidence: AnswerEvidence) -> str:
    """Return what an answer was found by; a message where most of the question stands in it."""
    if evidence.is_named:
        return "name"
    return "message" if evidence.has_message else "words"


def _build_whole_answer(
    symbol: Symbol, score: float, why: str, sureness: float = 0.0
) -> FoundSymbol:
    return FoundSymbol(
        symbol=symbol,
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        score=score,
        why=why,
        sureness=sureness,
    )


def _file_symbol(path: str, lines: int) -> Symbol:
    return Symbol(
        key=module_key(path),
        path=path,
        name=path,
        kind=SymbolKind.MODULE,
        start_line=1,
        end_line=lines,
        parent="",
        signature="",
        doc="",
        complexity=0,
        traits="",
        status="active",
        code_hash="",
    )


def _with_missing(
    project: Project, named: Sequence[Symbol], answers: list[FoundSymbol], *, is_name: bool
) -> list[FoundSymbol]:
    """Rank symbols that the question names first, even those without a passage among the best."""
    present = {a.symbol.key for a in answers}
    best = answers[0].score if answers else 1.0
    sureness = rate_named(is_alone=is_name)
    missing = [
        _build_whole_answer(
            s, best * _weigh_code_path(s.path, project.tuning.search), "name", sureness
        )
        for s in named
        if s.key not in present
    ]
    # A symbol that the question names exactly comes first, wherever it is defined.
    is_asked = is_name and bool(named)
    merged = sorted([*answers, *missing], key=lambda a: (is_asked and a.why != "name", -a.score))
    first: dict[str, FoundSymbol] = {}
    for answer in merged:
        first.setdefault(answer.symbol.key, answer)
    return list(first.values())


def _find_open_markers(project: Project, text: str) -> list[FoundSymbol]:
    """Return the comments that say what is left to do, where the question asks for that.

    They are those whose file or text has a word of the rest of the question. Where the rest has no
    word that any of them has, all are given, and only for a question without a rest surely.
    """
    rest = find_open_work(text)
    if rest is None:
        return []
    words = set(korean_terms.tokens(rest)) | set(query_tokens(rest))
    found: list[tuple[float, Symbol]] = []
    for symbol in project.store.all_symbols():
        if symbol.kind == SymbolKind.MARKER:
            said = _count_shared_words(words, set(query_tokens(symbol.signature)))
            about = _path_overlap(symbol.path, words) + 0.5 * min(said, 1.0)
            found.append((about * _weigh_code_path(symbol.path, project.tuning.search), symbol))
    about_rest = [row for row in found if row[0] > 0]
    ranked = sorted(about_rest or found, key=lambda row: (-row[0], row[1].path, row[1].start_line))
    sureness = rate_marker(is_about=bool(about_rest) or not words)
    return [_build_whole_answer(symbol, score, "marker", sureness) for score, symbol in ranked]


def _prefer_other_files(
    project: Project, answers: list[FoundSymbol], head: int, *, is_name: bool
) -> list[FoundSymbol]:
    """Return answers with those of further files first behind the first `head` ones.

    A file of many matches is then seen with its best ones, and does not fill the list. An answer of
    hardly a chance comes before no other, no test, example or document before the product, and
    nothing before a symbol whose name is the whole question.
    """
    weights = project.tuning.search
    shown = {answer.symbol.path for answer in answers[:head]}
    others: list[FoundSymbol] = []
    rest: list[FoundSymbol] = []
    for answer in answers[head:]:
        path = answer.symbol.path
        weight = _weigh_code_path(path, weights) * _weigh_inner_test(answer.symbol, weights)
        is_product = weight >= 1
        is_wanted = path not in shown and is_product and has_chance(answer.sureness)
        (others if is_wanted else rest).append(answer)
        shown.add(path)
    preferred = [*answers[:head], *others, *rest]
    return sorted(preferred, key=lambda answer: is_name and answer.why != "name")


def _leave_out_unlikely(answers: list[FoundSymbol], shown: int) -> list[FoundSymbol]:
    """Return the first answers, which are the nearest, and those that have a chance.

    Of 60 questions in words that no project had, .28 had a right answer among those with a chance,
    .43 among the first five.
    """
    rest = [answer for answer in answers[shown:] if has_chance(answer.sureness)]
    return [*answers[:shown], *rest]


def _add_neighbour_symbols(
    project: Project, answers: list[FoundSymbol], room: int
) -> list[FoundSymbol]:
    """Add up to `room` neighbours of the best matches, up to two edges away."""
    present = {a.symbol.key for a in answers}
    frontier = [a.symbol.key for a in answers[: project.tuning.search.neighbours]]
    added: dict[str, tuple[float, str]] = {}
    for depth in (1, 2):
        if len(added) >= room or not frontier:
            break
        near: dict[str, tuple[float, str]] = {}
        for edge in (*project.store.edges_out_of(frontier), *project.store.edges_into(frontier)):
            for key, other in ((edge.target, edge.source), (edge.source, edge.target)):
                if (
                    key not in present
                    and key not in added
                    and edge.kind != IMPORTS
                    and edge.tier <= Certainty.UNIQUE_NAME
                ):
                    near.setdefault(key, (0.5**depth, other))
        added.update(near)
        frontier = sorted(near)
    lowest = min((a.score for a in answers), default=0.0)
    extra = [
        _build_whole_answer(s, lowest * added[s.key][0], f"next to {added[s.key][1]}")
        for s in project.store.symbols(keys=sorted(added))
        if s.kind in DEFINITIONS
    ]
    return answers + sorted(extra, key=lambda a: (-a.score, a.symbol.key))[: max(0, room)]


def _add_matching_lines(
    project: Project, answers: Sequence[FoundSymbol], words: set[str]
) -> list[FoundSymbol]:
    """Add to each match the lines with the most query words."""
    paths = sorted({a.symbol.path for a in answers})
    texts = {
        document.key: document.text.split("\n") for document in project.store.get(SCOPE, paths)
    }
    out = []
    for a in answers:
        lines = texts.get(a.symbol.path, [])[a.start_line - 1 : a.end_line]
        skipped, shown = _select_snippet_lines(lines, words)
        out.append(a._replace(snippet="\n".join(shown), snippet_line=a.start_line + skipped))
    return out


def _select_snippet_lines(lines: Sequence[str], words: set[str]) -> tuple[int, Sequence[str]]:
    """Return whole lines around the best one, and the number of lines skipped before them."""
    if sum(map(len, lines)) + len(lines) <= _SNIPPET_CHARS:
        return 0, lines
    first = max(range(len(lines)), key=lambda n: len(words.intersection(keyword_tokens(lines[n]))))
    end, used = first + 1, len(lines[first])
    while end < len(lines) and used + len(lines[end]) < _SNIPPET_CHARS:
        used, end = used + len(lines[end]) + 1, end + 1
    while first and used + len(lines[first - 1]) < _SNIPPET_CHARS:
        used, first = used + len(lines[first - 1]) + 1, first - 1
    return first, lines[first:end]


def _fit_symbol_answers(answers: list[FoundSymbol], budget_tokens: int) -> list[FoundSymbol]:
    if not budget_tokens:
        return answers
    fitting: list[FoundSymbol] = []
    used = 0
    for answer in answers:
        used += estimate_tokens(f"{answer.symbol.key} {answer.symbol.signature}\n{answer.snippet}")
        if used > budget_tokens and fitting:
            break
        fitting.append(answer)
    return fitting


def count_callers(project: Project, keys: Sequence[str]) -> Mapping[str, int]:
    """Return symbol → number of symbols that depend on it.

    Calls that were linked only by a name that several functions share do not count.
    """
    counts: dict[str, set[str]] = defaultdict(set)
    for edge in project.store.edges_into(keys):
        if edge.kind != IMPORTS and edge.tier <= Certainty.UNIQUE_NAME:
            counts[edge.target].add(edge.source)
    return {key: len(sources) for key, sources in counts.items()}
