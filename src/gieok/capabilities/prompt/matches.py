"""The memories that match a prompt: candidates of every question in every scope, weighed by age, each with its level.

Imported by the hook: see the package. The reader is `sqlite.index_reader.IndexReader`, of which only the methods of
`Reader` are used.
"""

import json
import os
import time
from collections.abc import Iterable

from gieok.capabilities.prompt import levels
from gieok.capabilities.prompt.inject import InjectedMemory
from gieok.capabilities.prompt.options import HookSettings
from gieok.engine.age import age_factor
from gieok.engine.snippet import snippet
from gieok.text.annotations import importance_factor
from gieok.text.bm25 import NOTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Reader(Protocol):
        """A read-only view of a store; `IndexReader` documents the methods."""

        def scope(self, path: str) -> tuple[int, int, float] | None:
            """Return id, passages, mean length."""

        def holding(self, sid: int, tokens: set[str]) -> dict[str, int]:
            """Return how many passages hold each token."""

        def ranked(
            self,
            sid: int,
            mean_length: float,
            query: Any,  # noqa: ANN401 - the fields of `Bm25`
            weights: dict[str, float],
            limit: int,
        ) -> list[tuple[int, float]]:
            """Return the best passages."""

        def newest(self, scope: str, limit: int) -> list[tuple[str, str, str, str]]:
            """Return key, title, metadata and provenance of the last changes."""

        def row(self, passage: int) -> tuple[Any, ...]:
            """Return a passage with the fields of its document that are shown."""


_CANDIDATES = 40
_DOCUMENTS = 12
_SNIPPET_CHARS = 600
#: The categories of records; each is a folder.
CATEGORIES = ("decision", "preference", "constraint", "runbook", "tech-debt", "session-summary")
#: Categories that fade with age, as dated notes do; a decision holds until it is retired.
_FADING = frozenset(("session-summary",))


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
    """The matches, best first, and the number of passages that were searched."""

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
    matches = PromptMatches()
    candidates: dict[int, _Candidate] = {}
    try:
        for scope in scopes:
            matches.passages += _search_scope(reader, scope, asked, chosen, candidates, with_low=with_low)
    except late:
        pass
    best = _one_per_document(reader, candidates)
    for c in best:
        c.weighed = c.coverage * c.row.weight(now_unix_s, chosen.number("hook.half_life_days"))
    best.sort(key=lambda c: (-c.weighed, c.passage))
    for c in best:
        ratio = c.weighed / best[0].weighed
        level = levels.level(
            c.coverage, ratio, c.floors, chosen.number("hook.high_ratio"), chosen.number("hook.medium_ratio")
        )
        # A deleted file is no memory any more, whatever the index still holds.
        if (level != levels.LOW or with_low) and c.row.is_there():
            entry = c.row.entry(cwd, c.tokens, c.scope)
            matches.found.append(Match(level=level, coverage=c.coverage, ratio=ratio, key=c.row.key, entry=entry))
    return matches


def _one_per_document(reader: "Reader", candidates: dict[int, _Candidate]) -> list[_Candidate]:
    """Return the best passage of each of the best documents: one long document must not crowd out the others."""
    best: dict[int, _Candidate] = {}
    for c in sorted(candidates.values(), key=lambda c: (-c.coverage, c.passage)):
        if len(best) == _DOCUMENTS:
            break
        c.row = _Row(*reader.row(c.passage))
        best.setdefault(c.row.document, c)
    return list(best.values())


def _search_scope(
    reader: "Reader",
    scope: str,
    asked: list[dict[str, float]],
    chosen: HookSettings,
    candidates: dict[int, _Candidate],
    *,
    with_low: bool,
) -> int:
    """Add the candidates of a scope; return how many passages it holds."""
    known = reader.scope(scope)
    if known is None:
        return 0
    sid, passages, mean_length = known
    holding = reader.holding(sid, {token for weights in asked for token in weights})
    floors = levels.floors(passages, chosen.number("hook.floor"))
    for weights in asked:
        rare = levels.rarities(weights, passages, holding)
        ceiling = sum(rare.values()) * (NOTES.k1 + 1)
        present = {token: weight for token, weight in rare.items() if token in holding}
        # The tokens that occur at all are an upper bound: most prompts cannot reach the floor and end here.
        if not with_low and sum(present.values()) * (NOTES.k1 + 1) < floors[0] * ceiling:
            continue
        for passage, score in reader.ranked(sid, mean_length, NOTES, present, _CANDIDATES):
            if passage not in candidates or score / ceiling > candidates[passage].coverage:
                candidates[passage] = _Candidate(passage, score / ceiling, floors, weights, scope)
    return passages


class _Row:
    """A passage, and the fields of its document that are shown."""

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
        """Say whether its source still exists."""
        return not os.path.isabs(self._source) or os.path.exists(self._source)

    def weight(self, now_unix_s: float, half_life_days: float) -> float:
        """Return the factor of its score: by age (dated notes and summaries alone) and by its author's marks."""
        moment_ms = self._day_ms
        if self._category in _FADING:
            moment_ms = moment_ms or self._updated_ms
        age_s = None if moment_ms is None else now_unix_s - moment_ms / 1000
        return age_factor(age_s, half_life_days) * importance_factor(self._text)

    def entry(self, cwd: str, tokens: Iterable[str], scope: str) -> InjectedMemory:
        """Return the memory as it is shown."""
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
    """Return a record's category, from its front matter, else from its folder; '' for a note."""
    folder = key.split("/")[-2:-1]
    return metadata.get("category") or (folder[0] if folder and folder[0] in CATEGORIES else "")


def source_of(provenance: str) -> str:
    """Return the source of a document from its stored provenance (JSON); '' without one."""
    rows = json.loads(provenance)
    return str(rows[0]["source"]) if rows else ""


def shown_path(source: str, cwd: str) -> str:
    """Return a path that the agent can open from its folder: relative below it, else `~/…` or absolute."""
    if os.path.isabs(source) and cwd:
        relative = os.path.relpath(source, cwd)
        if not relative.startswith(".." + os.sep):
            return relative
    user = os.path.expanduser("~")
    return "~" + source[len(user) :] if source.startswith(user + os.sep) else source
