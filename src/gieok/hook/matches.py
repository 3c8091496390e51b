"""Memories that match a prompt, from every question in every scope, weighed by age.

Each match has its level. Imported by the hook: see the package.
"""

import json
import math
import os
from collections.abc import Iterable

from gieok.hook import choice, levels, named, tasks
from gieok.hook.inject import InjectedMemory
from gieok.hook.note_gate import NoteGate
from gieok.hook.question import asks_about_the_past, asks_the_world
from gieok.ranking.age import age_factor
from gieok.ranking.claim_rows import TextPlace
from gieok.ranking.likelihood import (
    WORDS,
    Evidence,
    ScopedQuestion,
    apply_logistic,
    judge_evidence,
    standardised,
)
from gieok.ranking.likelihood import weights as learned
from gieok.ranking.snippet import snippet
from gieok.settings.hook import HookSettings
from gieok.text.annotations import importance_factor
from gieok.text.bm25 import NOTES, PROSE, Bm25, ceiling, token_weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gieok.model.retrieval import KeywordQuery
    from gieok.ranking.claim_rows import RecordedClaims
    from gieok.storage.index.sqlite.index_reader import IndexReader

_CANDIDATES = 40
_DOCUMENTS = 12
#: A question is not searched when less than this share of its tokens (weighted by rarity) occurs
#: anywhere: most prompts end here.
_LEAST_PRESENT = 0.15
#: Tokens are searched rarest first until this many passages hold them: common tokens tell little
#: and take most of the time.
_MOST_HOLDING = 6_000
#: Families of documents with the parameters of their ranking; the weights are in
#: `ranking/learned/NAME.json`.
_FAMILIES = (("notes", NOTES), ("turns", PROSE))
_SNIPPET_CHARS = 600
#: Words of the prompt that a memory must share before keyword evidence alone makes it sure.
_FEWEST_SHARED = 2
#: The categories of records; each is a folder.
CATEGORIES = ("decision", "preference", "constraint", "runbook", "tech-debt", "session-summary")
#: `_FADING`: categories that fade with age, as dated notes do; a decision holds until it is
#: retired. `_MADE_THEN` repeats `model.memory.MADE_THEN`, whose import is too slow for the hook.
_MADE_THEN = "day_is_of_creation"
_FADING = frozenset(("session-summary",))


class Match:
    """Memory that may be shown, and the probability that it answers."""

    __slots__ = ("entry", "first_line", "key", "level", "probability", "text")

    def __init__(
        self,
        *,
        level: str,
        probability: float,
        key: str,
        entry: InjectedMemory,
        text: str = "",
        first_line: int = 0,
    ) -> None:
        #: Text of the whole passage, and the number of its first line.
        self.text, self.first_line = text, first_line
        self.level = level
        self.probability = probability
        self.key = key
        self.entry = entry


class PromptMatches:
    """The matches, best first, and the number of passages that were searched."""

    __slots__ = ("found", "passages")

    def __init__(self) -> None:
        self.passages = 0
        self.found: list[Match] = []


class _Candidate:
    """Passage that may become a match, with its log-odds and the tokens that found it."""

    __slots__ = ("log_odds", "passage", "row", "scope", "tokens")

    def __init__(
        self, passage: int, row: "_MatchedRow", log_odds: float, tokens: Iterable[str], scope: str
    ) -> None:
        self.passage = passage
        self.row = row
        self.log_odds = log_odds
        self.tokens = tokens
        self.scope = scope


class _ScopeQuery:
    """Query of one question in one scope: the fields of `KeywordQuery`, whose import is too
    slow.
    """

    __slots__ = ("b", "context_weight", "k1", "spread", "spread_tokens", "weights")

    def __init__(self, weights: dict[str, float], by: Bm25) -> None:
        self.weights = weights
        self.k1, self.b, self.context_weight, self.spread = (
            by.k1,
            by.b,
            by.context_weight,
            by.spread,
        )
        self.spread_tokens = 40


def find_matches(
    reader: "IndexReader",
    scopes: list[str],
    asked: list[dict[str, float]],
    chosen: HookSettings,
    now_unix_s: float,
    cwd: str,
    late: type[Exception],
    *,
    with_low: bool = False,
    prompt: str = "",
    claims: "RecordedClaims | None" = None,
) -> PromptMatches:
    """Return the matches of all questions in all scopes.

    `asked` are the token weights of the questions in `prompt`, `claims` are what is known of claims
    that ended. When `late` is raised, the matches found until then are returned.
    """
    matches = PromptMatches()
    candidates: dict[int, _Candidate] = {}
    try:
        for scope in scopes:
            matches.passages += _search_scope(
                reader, scope, asked, prompt, candidates, claims, with_low=with_low
            )
    except late:
        pass
    for c in candidates.values():
        c.log_odds += math.log(c.row.weight(now_unix_s, chosen.number("hook.half_life_days")))
    cuts = levels.select_level_cuts(chosen.number("hook.floor"))
    words = named.content_words(prompt)
    gate = NoteGate(chosen.text("hook.asked_only"), scopes, prompt)
    for c in _one_per_document(candidates.values()):
        probability = apply_logistic(c.log_odds)
        level = _adjust_match_level(levels.level(probability, cuts), c.row, words, prompt)
        if not c.row.may_enter(gate, c.scope, probability):
            continue
        # A deleted file is no memory any more, whatever the index still holds.
        if (level != levels.LOW or with_low) and c.row.is_there():
            entry = c.row.entry(cwd, c.tokens, c.scope)
            match = Match(
                level=level,
                probability=probability,
                key=c.row.key,
                entry=entry,
                text=c.row.text,
                first_line=c.row.line,
            )
            matches.found.append(match)
    return matches


def _adjust_match_level(
    level: str, row: "_MatchedRow", words: "list[tuple[str, ...]]", prompt: str
) -> str:
    """Return the level of a match after a check of the words that it shares with the prompt.

    One shared word makes no match sure, and answers no question. A record whose tag or title the
    prompt names is shown by its title at least. Measured: at a busy machine, words alone were sure
    of "our full suite of services" for "run the test suite".
    """
    if level == levels.LOW and not row.tags and not row.title:
        return level
    is_named = row.is_record and named.is_named(words, row.title, row.tags, row.text)
    if level == levels.LOW:
        return levels.MEDIUM if is_named else level
    shares = named.count_shared_words(words, f"{row.title} {row.tags} {row.text}")
    if shares >= _FEWEST_SHARED or shares >= len(words):
        is_lead = level == levels.HIGH or is_named
        return level if is_lead or not asks_the_world(prompt) else levels.LOW
    if not is_named and tasks.is_prompt_question(prompt) and not asks_about_the_past(prompt):
        return levels.LOW
    return levels.MEDIUM


def _one_per_document(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """Return the best passage of each of the best notes, and every turn once.

    One passage per note, so that a long note does not crowd out others.
    """
    best: dict[object, _Candidate] = {}
    for c in sorted(candidates, key=lambda c: (-c.log_odds, c.passage)):
        if len(best) == _DOCUMENTS:
            break
        best.setdefault(c.row.once, c)
    return list(best.values())


def _search_scope(
    reader: "IndexReader",
    scope: str,
    asked: list[dict[str, float]],
    prompt: str,
    candidates: dict[int, _Candidate],
    claims: "RecordedClaims | None",
    *,
    with_low: bool,
) -> int:
    """Add the candidates of a scope; return the number of its passages."""
    known = reader.scope(scope)
    if known is None:
        return 0
    sid, passages, mean_length = known
    holding = reader.holding(sid, {token for weights in asked for token in weights})
    # Asked first: in a scope without conversations no passage's document needs to be looked up.
    talk = reader.has_talk(sid)
    for weights in asked:
        question = ScopedQuestion(prompt, weights, passages, holding)
        if not with_low and 1 - question.unseen < _LEAST_PRESENT:
            continue
        for family, by in _FAMILIES if talk else _FAMILIES[:1]:
            searched = _select_searched_tokens(weights, holding)
            query: KeywordQuery = _ScopeQuery(searched, by)  # type: ignore[assignment]
            rare = token_weights(query, passages, holding)
            ranked = reader.ranked(
                sid, mean_length, query, rare, _CANDIDATES, family if talk else ""
            )
            rows = {passage: _MatchedRow(*reader.row(passage)) for passage, _ in ranked}
            top = ceiling(query, passages, holding)
            evidence = _build_keyword_evidence(
                {passage: score / top for passage, score in ranked}, rows
            )
            if claims is not None:
                kin = claims.find_kin(
                    {passage: row.build_place(scope) for passage, row in rows.items()}
                )
                for item in evidence:
                    item.kin = kin.get(item.id, item.kin)
            for hit in judge_evidence(question, evidence, learned(family, WORDS)).ranked:
                if hit.id not in candidates or hit.log_odds > candidates[hit.id].log_odds:
                    candidates[hit.id] = _Candidate(
                        hit.id, rows[hit.id], hit.log_odds, weights, scope
                    )
    return passages


def _select_searched_tokens(weights: dict[str, float], holding: dict[str, int]) -> dict[str, float]:
    """Return the tokens to search for, including the tokens that occur nowhere."""
    searched: dict[str, float] = {}
    looked_at = 0
    for token in sorted(weights, key=lambda token: (holding.get(token, 0), token)):
        looked_at += holding.get(token, 0)
        if looked_at > _MOST_HOLDING and any(other in holding for other in searched):
            break
        searched[token] = weights[token]
    return searched


def _build_keyword_evidence(
    scores: dict[int, float], rows: "dict[int, _MatchedRow]"
) -> list[Evidence]:
    keyword_z = standardised(scores, scores, 0.0)
    evidence_by_passage = {}
    for passage, score in scores.items():
        near = [
            keyword_z[i]
            for i in (passage - 1, passage + 1)
            if i in rows and rows[i].document == rows[passage].document
        ]
        evidence_by_passage[passage] = Evidence(
            passage,
            rows[passage].text,
            keyword=score,
            fused=keyword_z[passage],
            keyword_z=keyword_z[passage],
            near_keyword=max(near, default=0.0),
            heading=rows[passage].title,
        )
    for passage, evidence in evidence_by_passage.items():
        for step, name in ((-1, "before"), (1, "after")):
            other = rows.get(passage + step)
            if other is not None and other.document == rows[passage].document:
                setattr(evidence, name, evidence_by_passage[passage + step])
    return list(evidence_by_passage.values())


class _MatchedRow:
    """Passage with the fields of its document that are shown."""

    def __init__(
        self,
        document: int,
        key: str,
        title: str,
        text: str,
        first: int,
        last: int,
        updated_ms: int,
        day_ms: int | None,
        metadata: str,
        provenance: str,
        kind: str,
    ) -> None:
        self.document = document
        #: Identity of what is shown once: a note, or a line of a conversation.
        self.once: object = (document, first) if kind == "turn" else document
        self.key = key
        self._source = read_provenance_source(provenance)
        self.title, self.text, self._lines = title, text, (first, last)
        self.is_record = kind != "turn"
        self._updated_ms, self._day_ms = updated_ms, day_ms
        self._metadata: dict[str, str] = json.loads(metadata)
        self._category = find_record_category(self._metadata, key)

    @property
    def tags(self) -> str:
        """Return the tags of a record, joined by commas."""
        return self._metadata.get("tags", "")

    @property
    def line(self) -> int:
        """Return the number of the passage's first line."""
        return self._lines[0]

    def build_place(self, scope: str) -> TextPlace:
        """Return where the passage stands in a scope."""
        return TextPlace(scope, self.key, self.line, self.text)

    def is_there(self) -> bool:
        """Say whether the source of the document still exists."""
        return not os.path.isabs(self._source) or os.path.exists(self._source)

    def may_enter(self, gate: NoteGate, scope: str, probability: float) -> bool:
        """Say whether the gate allows the passage to be injected."""
        return not self.is_record or gate.admits(
            source=self._source,
            scope=scope,
            key=self.key,
            category=self._category,
            score=probability,
            text=f"{self.title} {self.tags} {self.text}",
        )

    def weight(self, now_unix_s: float, half_life_days: float) -> float:
        """Return the factor of the score: by age and by the author's importance marks.

        Dated notes, turns of conversations and session summaries fade with age; other records do
        not.
        """
        is_undated = _MADE_THEN in self._metadata or not self.is_record
        moment_ms = None if is_undated else self._day_ms
        if self._category in _FADING:
            moment_ms = moment_ms or self._updated_ms
        age_s = None if moment_ms is None else now_unix_s - moment_ms / 1000
        return age_factor(age_s, half_life_days) * importance_factor(self.text)

    def entry(self, cwd: str, tokens: Iterable[str], scope: str) -> InjectedMemory:
        """Return the memory as it is shown."""
        first, last = self._lines
        lines = f"#L{first}" + (f"-L{last}" if last != first else "")
        return InjectedMemory(
            title=self.title or self.key,
            citation=shown_path(self._source or self.key, cwd) + lines,
            text=snippet(self.text, list(tokens), _SNIPPET_CHARS),
            category=self._category,
            tags=self.tags,
            day=choice.day(self._day_ms / 1000) if self._day_ms is not None else "",
            scope=scope,
        )


def find_record_category(metadata: dict[str, str], key: str) -> str:
    """Return a record's category: from its front matter, else its folder; '' for a note."""
    folder = key.split("/")[-2:-1]
    return metadata.get("category") or (folder[0] if folder and folder[0] in CATEGORIES else "")


def read_provenance_source(provenance: str) -> str:
    """Return the source in a document's stored provenance (JSON); '' without one."""
    rows = json.loads(provenance)
    return str(rows[0]["source"]) if rows else ""


def shown_path(source: str, cwd: str) -> str:
    """Return a path that the agent can open from its folder.

    The path is relative below that folder, else `~/…` or absolute.
    """
    if os.path.isabs(source) and cwd:
        relative = os.path.relpath(source, cwd)
        if not relative.startswith(".." + os.sep):
            return relative
    user = os.path.expanduser("~")
    return "~" + source[len(user) :] if source.startswith(user + os.sep) else source
