"""What a prompt recalls: candidates of every question in every scope, weighed by age, each with its level.

Imported by the hook: see the package. The reader is `sqlite.index_reader.IndexReader`; nothing else is asked of it
than the four methods used here.
"""

import json
import os
import time
from collections.abc import Iterable

from gieok.capabilities.prompt import levels
from gieok.capabilities.prompt.inject import InjectedMemory
from gieok.capabilities.prompt.options import HookSettings
from gieok.engine.snippet import snippet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Reader(Protocol):
        """Looks into a store; `IndexReader` has the words."""

        def scope(self, path: str) -> tuple[int, int, float] | None:
            """Return id, passages, mean length."""

        def holding(self, sid: int, tokens: set[str]) -> dict[str, int]:
            """Return how many passages hold each token."""

        def ranked(
            self,
            sid: int,
            mean_length: float,
            query: Any,  # noqa: ANN401 - a KeywordQuery's fields
            weights: dict[str, float],
            limit: int,
        ) -> list[tuple[int, float]]:
            """Return the best passages."""

        def newest(self, scope: str, limit: int) -> list[tuple[str, str, str, str]]:
            """Return key, title, metadata and provenance of what changed last."""

        def row(self, passage: int) -> tuple[Any, ...]:
            """Return what is shown of a passage."""


_CANDIDATES = 40
_DOCUMENTS = 12
_SNIPPET_CHARS = 600
_DAY_S = 86_400.0
#: What people keep records of; each is a folder.
CATEGORIES = ("decision", "preference", "constraint", "runbook", "tech-debt", "session-summary")
#: Categories that fade with age, as dated notes do; a decision holds until it is retired.
_FADING = frozenset(("session-summary",))


class Ranking:
    """BM25 as the engine's profile for files has it; see `gieok.text.bm25`."""

    k1 = 0.4
    b = 0.4
    context_weight = 0.5
    spread: tuple[float, ...] = ()  # what is recalled are notes, not turns of talk; it costs three times as much
    spread_tokens = 40


class Match:
    """A memory that may be shown."""

    __slots__ = ("coverage", "entry", "key", "level", "ratio")

    def __init__(self, *, level: str, coverage: float, ratio: float, key: str, entry: InjectedMemory) -> None:
        self.level = level
        self.coverage = coverage
        self.ratio = ratio
        self.key = key
        self.entry = entry


class PromptMatches:
    """What was found, best first, and how many passages there are to recall from."""

    __slots__ = ("found", "passages")

    def __init__(self) -> None:
        self.passages = 0
        self.found: list[Match] = []


class _Candidate:
    __slots__ = ("coverage", "floors", "passage", "row", "scope", "tokens", "weighed")

    def __init__(
        self, passage: int, coverage: float, floors: tuple[float, float], tokens: Iterable[str], scope: str
    ) -> None:
        self.passage = passage
        self.scope = scope
        self.coverage = coverage
        self.floors = floors
        self.tokens = tokens
        self.weighed = coverage
        self.row: _Row


def find_matches(
    reader: "Reader",
    scopes: list[str],
    asked: list[dict[str, float]],
    chosen: HookSettings,
    now_unix_s: float,
    cwd: str,
    late: type[Exception],
    *,
    with_low: bool = False,
) -> PromptMatches:
    """Return what the scopes hold on any of the questions. When `late` is raised: what was found until then."""
    recalled = PromptMatches()
    candidates: dict[int, _Candidate] = {}
    try:
        for scope in scopes:
            _gather(reader, scope, asked, chosen, recalled, candidates, with_low=with_low)
    except late:
        pass
    best = _one_a_document(reader, candidates)
    for c in best:
        c.weighed = c.coverage * c.row.freshness(now_unix_s, chosen.number("hook.half_life_days"))
    best.sort(key=lambda c: (-c.weighed, c.passage))
    for c in best:
        ratio = c.weighed / best[0].weighed
        level = levels.level(
            c.coverage, ratio, c.floors, chosen.number("hook.high_ratio"), chosen.number("hook.medium_ratio")
        )
        # A file that is gone is not memory any more, whatever the index still holds.
        if (level != levels.LOW or with_low) and c.row.is_there():
            entry = c.row.entry(cwd, c.tokens, c.scope)
            recalled.found.append(Match(level=level, coverage=c.coverage, ratio=ratio, key=c.row.key, entry=entry))
    return recalled


def _one_a_document(reader: "Reader", candidates: dict[int, _Candidate]) -> list[_Candidate]:
    """Return the best passage of each of the best documents: one long document must not crowd out the others."""
    best: dict[int, _Candidate] = {}
    for c in sorted(candidates.values(), key=lambda c: (-c.coverage, c.passage)):
        if len(best) == _DOCUMENTS:
            break
        c.row = _Row(*reader.row(c.passage))
        best.setdefault(c.row.document, c)
    return list(best.values())


def _gather(
    reader: "Reader",
    scope: str,
    asked: list[dict[str, float]],
    chosen: HookSettings,
    recalled: PromptMatches,
    candidates: dict[int, _Candidate],
    *,
    with_low: bool,
) -> None:
    known = reader.scope(scope)
    if known is None:
        return
    sid, passages, mean_length = known
    recalled.passages += passages
    holding = reader.holding(sid, {token for weights in asked for token in weights})
    floors = levels.floors(passages, chosen.number("hook.floor"))
    for weights in asked:
        rare = levels.rarities(weights, passages, holding)
        ceiling = sum(rare.values()) * (Ranking.k1 + 1)
        present = {token: weight for token, weight in rare.items() if token in holding}
        # No passage holds more than what occurs at all: this cannot reach the floor, and most prompts end here.
        if not with_low and sum(present.values()) * (Ranking.k1 + 1) < floors[0] * ceiling:
            continue
        for passage, score in reader.ranked(sid, mean_length, Ranking, present, _CANDIDATES):
            if passage not in candidates or score / ceiling > candidates[passage].coverage:
                candidates[passage] = _Candidate(passage, score / ceiling, floors, weights, scope)


class _Row:
    """A passage with what of its document is shown."""

    def __init__(
        self, document: int, key: str, title: str, text: str, first: int, last: int, updated_ms: int, day_ms: int | None,
        metadata: str, provenance: str,
    ) -> None:  # fmt: skip
        self.document = document
        self.key = key
        self._source = source_of(provenance)
        self._title, self._text, self._lines = title, text, (first, last)
        self._updated_ms, self._day_ms = updated_ms, day_ms
        self._metadata: dict[str, str] = json.loads(metadata)
        self._category = category_of(self._metadata, key)

    def is_there(self) -> bool:
        """Say whether what it came from still exists."""
        return not os.path.isabs(self._source) or os.path.exists(self._source)

    def freshness(self, now_unix_s: float, half_life_days: float) -> float:
        """Return what age leaves of the score: only dated notes and summaries fade."""
        moment = self._day_ms
        if self._category in _FADING:
            moment = moment or self._updated_ms
        return 1.0 if moment is None else levels.recency((now_unix_s - moment / 1000) / _DAY_S, half_life_days)

    def entry(self, cwd: str, tokens: Iterable[str], scope: str) -> InjectedMemory:
        """Return what is shown of it."""
        first, last = self._lines
        lines = f"#L{first}" + (f"-L{last}" if last != first else "")
        return InjectedMemory(
            title=self._title or self.key,
            citation=shown_path(self._source or self.key, cwd) + lines,
            text=snippet(self._text, list(tokens), _SNIPPET_CHARS),
            category=self._category,
            tags=self._metadata.get("tags", ""),
            day=time.strftime("%Y-%m-%d", time.gmtime(self._day_ms / 1000)) if self._day_ms is not None else "",
            scope=scope,
        )


def category_of(metadata: dict[str, str], key: str) -> str:
    """Return a record's category: what its front matter says, else the folder it was put in by hand; '' for a note."""
    folder = key.split("/")[-2:-1]
    return metadata.get("category") or (folder[0] if folder and folder[0] in CATEGORIES else "")


def source_of(provenance: str) -> str:
    """Return where a document came from, of the JSON that the store keeps; '' where it does not say."""
    rows = json.loads(provenance)
    return str(rows[0]["source"]) if rows else ""


def shown_path(source: str, cwd: str) -> str:
    """Return a path as the agent can open it from its folder: relative inside, `~/…` or absolute elsewhere."""
    if os.path.isabs(source) and cwd:
        relative = os.path.relpath(source, cwd)
        if not relative.startswith(".." + os.sep):
            return relative
    user = os.path.expanduser("~")
    return "~" + source[len(user) :] if source.startswith(user + os.sep) else source
