"""Finds claims that hold no more: replaced by a later statement, or with a stated end.

A claim is a sentence of a line: of a user's turn, of an observation, of a note or record. The claim
ends and never the passage around it, which may hold nine other claims.
`memory.talk.statements.relation` and the reader (`pair_judge`) judge pairs; this module decides
which pairs are judged: a statement and the earlier statement that is *nearest* to it
(`memory.talk.nearness`). A sure change marks the earlier statement. What a user said in a later
session and is likely a change (`PairJudge.find_likely_change`) marks nothing: both stand, and are
told beside each other, the later one first (`hook.validity`).

The files written here name claims (key, line, place in the line, checksum) and hold no text, like
those of `lasting`: forgotten text is not in them, and a line that has changed since is not marked.

A → B → A: the last A replaces B, and the first A holds again (`_drop_cancelled_links`), as it does
when B is cancelled. When B is taken back at once without being named (`taken_back`), A replaces B
(`_put_back`).
"""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Any, NamedTuple

from gieok import fs
from gieok.memory import observation
from gieok.memory.talk import cancelled_changes, turns
from gieok.memory.talk.cancelled_changes import TakenBack
from gieok.memory.talk.nearness import rank_near_passages
from gieok.memory.talk.pair_judge import PairJudge
from gieok.memory.talk.statements.relation import Relation, relation
from gieok.memory.talk.statements.statement import read_sentences
from gieok.model.conversation import CORRECTED_MARK
from gieok.model.memory import CORRECTED, MADE_THEN, Document, Entry, Scope
from gieok.model.retrieval import Filter, VectorQuery
from gieok.places.home import CLAIM_FIELDS, later_file, replaced_file
from gieok.places.scope import PROMOTED, USER_SCOPE, is_brought, is_served
from gieok.ports.journal import Conversations
from gieok.ports.store import Documents, Store, VectorCopy, VectorSearch
from gieok.text.claim_share import is_whole_claim
from gieok.text.embedform import text_to_embed
from gieok.text.ends import find_end
from gieok.text.gist import as_told
from gieok.text.handles import line_check
from gieok.text.turns import USER

#: To be raised whenever the same statements would be judged differently.
_VERSION = 9
#: Versions whose results hold until a document is compared anew.
_READABLE = (3, 4, 5, 6, 7, 8, _VERSION)
#: Behind the hash of a document that rules alone have judged.
_BY_RULES = " by rules"
#: Documents that one step compares: a memory that is imported whole takes several steps.
_MOST_DOCUMENTS = 400
_NEIGHBOURS = 24
#: An earlier statement farther than this rank among the neighbours of a later one is not on its
#: subject: at rank 0, .96 of the marks were right on authors for whom no rule was written, within
#: the first three ranks .91.
_FARTHEST = 0
#: Earlier and later statements near to one that are read for a likely change, each in some 15 ms.
#: Of 540 changed statements .84 are among the three earlier ones nearest to their change, .88 among
#: eight.
EARLIER_READ, _LATER_READ = 3, 2
#: How far the nearest earlier statement is ahead of those that are not read where it is taken for
#: what the later one is about, though no word says so.
_LEAD = 0.1
_LABEL = f"{USER}: "
#: Time within which a program that makes a note has written it.
_MAKING = timedelta(minutes=1)


class Claim(NamedTuple):
    """Sentence: document, line (from 1), place in the line, checksum, time said (Unix seconds)."""

    key: str
    line: int
    start: int
    length: int
    check: int
    at: int


class ClaimLink(NamedTuple):
    """Claim that a later claim surely replaced, at a time in Unix seconds.

    `takes_back`: the later claim cancels the earlier one and has no value of its own.
    """

    old: Claim
    new: Claim
    takes_back: bool
    at: int


class ClaimEnd(NamedTuple):
    """Claim that holds no more: its replacement, and since when, in Unix seconds.

    The replacement is None for a claim that ended by itself.
    """

    old: Claim
    by: Claim | None
    at: int


class ComparedScope(NamedTuple):
    """State of the comparison of a scope.

    `compared`: document → stamp of the compared version, '' where it is to be compared anew.
    `links`: links between claims. `ends`: ends that claims state themselves. `taken_back`: lines
    that take back, without naming it, what the line before them states. `likely`: links to lines
    that likely say something else on a claim's subject.
    """

    compared: dict[str, str]
    links: list[ClaimLink]
    ends: list[ClaimEnd]
    taken_back: list[TakenBack]
    likely: list[ClaimLink]


class StatedLine(NamedTuple):
    """Line that states something: place, words without label, and the vector of its passage."""

    document: Document
    line: int
    #: Number of characters of the line before the words.
    offset: int
    text: str
    vector: bytes
    at: int

    @property
    def place(self) -> tuple[str, int]:
        """Return the line's document key and number."""
        return self.document.key, self.line

    @property
    def order(self) -> tuple[int, str, int]:
        """Return the key that sorts statements in the order in which they were made."""
        return self.at, self.document.key, self.line

    def claim(self, words: str) -> Claim:
        """Return one of the line's sentences as a claim."""
        at = max(0, self.text.find(words))
        length = len(words) if self.text.find(words) >= 0 else len(self.text)
        return Claim(
            key=self.document.key,
            line=self.line,
            start=self.offset + at,
            length=length,
            check=line_check(self.text[at : at + length]),
            at=self.at,
        )


def update_claims(
    store: Store,
    home: Path,
    journal: Conversations | None = None,
    zone: tzinfo = UTC,
    judge: PairJudge | None = None,
) -> tuple[dict[Scope, list[ClaimEnd]], bool]:
    """Compare new documents in all scopes; return ended claims, and whether documents wait.

    Raises StoreError. With a journal, an observation of a turn ends together with the turn. `zone`
    is the time zone of the days of stated ends; `judge` judges pairs, by rules alone where there is
    none. Safe to kill and to repeat.
    """
    waits, compared = False, dict[str, ComparedScope]()
    for scope in _list_compared_scopes(store):
        compared[scope.path], is_behind = compare_scope(store, scope, home, zone, judge)
        waits = waits or is_behind
    ended: dict[str, list[tuple[ClaimEnd, str]]] = {}
    for path, standing in compared.items():
        taken_back = _list_taken_back(store, journal, path, compared)
        rows = [*list_ended(_put_back(standing.links, taken_back)), *standing.ends]
        changes = {statement.change for statement, _ in taken_back}
        later = list_said_later(
            [link for link in standing.likely if link.new[:2] not in changes], rows
        )
        if journal is not None and any(turns.is_turns(row.old.key) for row in (*rows, *later)):
            observed = _list_observations(store, Scope(path))
            rows += _share_with_observed(store, journal, Scope(path), rows, observed)
            later += _share_with_observed(store, journal, Scope(path), later, observed)
        ended[path] = [(row, path) for row in rows]
        _write_claim_rows(Path(later_file(str(home), path)), [(row, path) for row in later])
    _end_where_said(store, ended)
    for path, whose in ended.items():
        _write_claim_rows(Path(replaced_file(str(home), path)), whose)
    return {Scope(path): [row for row, _ in whose] for path, whose in ended.items()}, waits


def read_ahead(store: Store, home: Path, judge: PairJudge) -> None:
    """Let the reader judge the pairs that the next comparison will ask for, and write nothing.

    A model is asked for seconds, which no lock may be held for. Stops behind the document at which
    the judge has read enough.
    """
    for scope in _list_compared_scopes(store):
        hashes = store.hashes(scope)
        compared = _keep_stamps(_read_compared_scope(_locate_links(home, scope)), hashes, judge)
        comparison = _Comparison(store, scope, judge)
        for entry in store.entries(scope, _list_changed(compared, hashes)[:_MOST_DOCUMENTS]):
            if judge.is_tired or not judge.reads:
                return
            statements, is_complete = comparison.statements(entry)
            if is_complete:
                list(comparison.links(statements))
                list(comparison.likely_links(statements))
            comparison.forget_neighbours()


def _list_compared_scopes(store: Store) -> list[Scope]:
    return [
        scope
        for scope in store.scopes()
        if not is_brought(scope.path) and not is_served(scope.path)
    ]


def _locate_links(home: Path, scope: Scope) -> Path:
    return Path(replaced_file(str(home), scope.path) + ".links")


def _keep_stamps(
    state: ComparedScope, hashes: Mapping[str, str], judge: PairJudge
) -> dict[str, str]:
    """Return the stamps of documents that are there, '' for those to be compared anew."""
    return {
        key: stamp if _has_been_compared(stamp, hashes[key], judge) else ""
        for key, stamp in state.compared.items()
        if key in hashes
    }


def _list_changed(compared: Mapping[str, str], hashes: Mapping[str, str]) -> list[str]:
    """Return the keys of the documents that are to be compared, the newest first."""
    return sorted((key for key in hashes if not compared.get(key)), reverse=True)


def _stamp_document(content_hash: str, judge: PairJudge) -> str:
    """Return what is kept of a compared document: its hash, and whether rules alone judged it."""
    return content_hash if judge.reads else f"{content_hash}{_BY_RULES}"


def _has_been_compared(stamp: str, content_hash: str, judge: PairJudge) -> bool:
    """Say whether a document was compared; by rules alone only where nothing else can judge now."""
    return stamp == content_hash or (not judge.reads and stamp == f"{content_hash}{_BY_RULES}")


def ended_lines(
    store: Documents, home: Path, scope: Scope, now_s: float
) -> frozenset[tuple[str, int]]:
    """Return the lines of a scope that hold no more as (key, number), from the last comparison.

    A line with other claims still holds.
    """
    try:
        rows = json.loads(Path(replaced_file(str(home), scope.path)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    ended = [row[:5] for row in rows if len(row) == CLAIM_FIELDS and row[-1] <= now_s]
    texts = {d.key: d.text.split("\n") for d in store.get(scope, sorted({row[0] for row in ended}))}
    ended_places = set()
    for key, number, start, length, check in ended:
        line = (texts.get(key, []) + [""] * number)[number - 1]
        words = line[start : start + length]
        if line_check(words) == check and is_whole_claim(words, line):
            ended_places.add((key, number))
    return frozenset(ended_places)


def _list_taken_back(
    store: Documents, journal: Conversations | None, path: str, found: Mapping[str, ComparedScope]
) -> list[tuple[TakenBack, frozenset[str]]]:
    """Return the statements that were taken back in a scope, with the keys of their observations.

    For the user's own scope, these are the promoted copies of statements that were taken back in
    projects.
    """
    if path == USER_SCOPE:
        return [
            (statement._replace(changed_key=statement.changed_key + PROMOTED), frozenset())
            for standing in found.values()
            for statement in standing.taken_back
        ]
    taken = found[path].taken_back
    if journal is None or not taken:
        return [(statement, frozenset()) for statement in taken]
    observed = _observed_by_message(store, Scope(path))
    blocks = {
        d.key: d
        for d in store.get(Scope(path), sorted({statement.changed_key for statement in taken}))
    }
    pairs = []
    for statement in taken:
        block = blocks.get(statement.changed_key)
        message = turns.message_of_line(journal, block, statement.changed_line) if block else None
        pairs.append((statement, frozenset(observed.get(message.id, ()) if message else ())))
    return pairs


def _observed_by_message(store: Documents, scope: Scope) -> dict[str, list[str]]:
    """Return message → keys of the observations that were made of that message alone."""
    by_message: dict[str, list[str]] = {}
    keys = sorted(key for key in store.hashes(scope) if key.startswith(observation.PREFIX))
    for document in store.get(scope, keys):
        ids = [i for origin in document.provenance for i in origin.message_ids]
        if len(ids) == 1:
            by_message.setdefault(ids[0], []).append(document.key)
    return by_message


def _put_back(
    links: Sequence[ClaimLink], taken: Iterable[tuple[TakenBack, frozenset[str]]]
) -> list[ClaimLink]:
    """Return links in which an undone change is reversed: the replaced claim replaces the change.

    A change can be undone only if its line stated one change. Observations of the change, and
    claims with the same words, are reversed together with it.
    """
    current = list(links)
    for statement, observed in sorted(taken, key=lambda row: row[0].at):
        changes = {link.new for link in current if link.new[:2] == statement.change}
        if len(changes) != 1:
            continue
        (change,) = changes
        undone = [
            link for link in current if link.new.check == change.check or link.new.key in observed
        ]
        stands = max(
            (link.old for link in undone), key=lambda claim: (turns.is_turns(claim.key), claim.at)
        )
        back = [
            ClaimLink(new, stands, takes_back=False, at=statement.at)
            for new in {link.new for link in undone}
        ]
        current = [link for link in current if link not in undone] + back
    return current


def _end_where_said(store: Store, ended: dict[str, list[tuple[ClaimEnd, str]]]) -> None:
    """End the ended claims of the user's own scope also in the project where they were said."""
    for row, _ in list(ended.get(USER_SCOPE, ())):
        project = _project_of(store, row.old)
        if project is None:
            continue
        source = row.old._replace(key=row.old.key.removesuffix(PROMOTED))
        known = {end.old[:3] for end, _ in ended.setdefault(project, [])}
        if source[:3] not in known:
            ended[project].append((row._replace(old=source), USER_SCOPE))


def _project_of(store: Store, claim: Claim) -> str | None:
    """Return the project in which a line of the user's own scope was said; None if in none."""
    if not claim.key.endswith(PROMOTED):
        return None
    documents = store.get(Scope(USER_SCOPE), [claim.key])
    return documents[0].metadata.get("scope") if documents else None


def _list_observations(store: Documents, scope: Scope) -> list[Document]:
    keys = sorted(key for key in store.hashes(scope) if key.startswith(observation.PREFIX))
    return store.get(scope, keys)


def _share_with_observed(
    store: Documents,
    journal: Conversations,
    scope: Scope,
    rows: Sequence[ClaimEnd],
    observed: Sequence[Document],
) -> list[ClaimEnd]:
    """Return the rows of turns once more for what was observed of them, of `observed`.

    A turn and the observation made of it are one statement.
    """
    talk = [row for row in rows if turns.is_turns(row.old.key)]
    if not talk:
        return []
    documents = {d.key: d for d in store.get(scope, sorted({row.old.key for row in talk}))}
    by_message: dict[str, ClaimEnd] = {}
    for row in talk:
        document = documents.get(row.old.key)
        message = turns.message_of_line(journal, document, row.old.line) if document else None
        if message is not None:
            by_message[message.id] = row
    known = {row.old.key for row in rows}
    shared = []
    for document in observed:
        ids = [i for origin in document.provenance for i in origin.message_ids]
        ends = [by_message[i] for i in ids if i in by_message]
        if document.key in known or len(ids) != 1 or not ends or document.metadata.get(CORRECTED):
            continue
        turn = documents[ends[0].old.key].text.split("\n")[ends[0].old.line - 1]
        words = turn[ends[0].old.start :][: ends[0].old.length]
        for place, length in _find_claim_in(document.text.split("\n")[0], words, turn):
            part = document.text[place : place + length]
            own = Claim(
                key=document.key,
                line=1,
                start=place,
                length=length,
                check=line_check(part),
                at=_second_of(document),
            )
            shared.append(ends[0]._replace(old=own))
    return shared


def _find_claim_in(observed: str, words: str, turn: str) -> list[tuple[int, int]]:
    """Return the places, and lengths, of what an observation of a turn says of an ended claim.

    That is all of it where it is one sentence, or the turn says little else. Of several sentences,
    those with most of the claim's words end: a rule beside them still holds.
    """
    sentences = [sentence.text for sentence in read_sentences(as_told(observed))]
    whole = [(0, len(observed))]
    if len(words) > 0.66 * len(turn):
        return whole
    if len(sentences) == 1:
        return whole if _has_most_words(observed, words) else []
    places: list[tuple[int, int]] = []
    at = 0
    for sentence in sentences:
        start = observed.find(sentence, at)
        if start >= 0 and _has_most_words(sentence, words):
            places.append((start, len(sentence)))
        at = max(at, start + len(sentence))
    return whole if len(places) == len(sentences) else places


def _has_most_words(text: str, words: str) -> bool:
    """Say whether a text has at least half of the words of a claim."""
    claim_words = {word for word in words.split() if len(word) > 1}
    return sum(word in text for word in claim_words) >= 0.5 * max(1, len(claim_words))


def _write_claim_rows(file: Path, rows: Sequence[tuple[ClaimEnd, str]]) -> None:
    """Write the rows that readers need: the claim, what was said later, and since when.

    The later claim is given as scope, key, line, place in the line and checksum of its words.
    """
    records: list[tuple[object, ...]] = []
    for row, whose in rows:
        by = (
            (whose, row.by.key, row.by.line, row.by.start, row.by.length, row.by.check)
            if row.by
            else ("", "", 0, 0, 0, 0)
        )
        records.append((*row.old[:5], *by, row.at))
    if not records and not file.exists():
        return
    text = json.dumps(records)
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        fs.make_private(file.parent)
        fs.replace_private(file, text)


def list_ended(links: Sequence[ClaimLink]) -> list[ClaimEnd]:
    """Return the claims that hold no more, each with the claim that holds now.

    Chains of replacements are followed to their end.
    """
    after: dict[tuple[str, int], list[ClaimLink]] = {}
    for link in _drop_cancelled_links(links):
        after.setdefault(link.old[:2], []).append(link)
    ends = []
    for replacements in after.values():
        last, seen = _find_newest_claim(replacements), set[tuple[str, int]]()
        while last[:2] in after and last[:2] not in seen:
            seen.add(last[:2])
            last = _find_newest_claim(after[last[:2]])
        ends += [
            ClaimEnd(old, last, min(link.at for link in replacements))
            for old in {link.old for link in replacements}
        ]
    return ends


def list_said_later(likely: Sequence[ClaimLink], ended: Sequence[ClaimEnd]) -> list[ClaimEnd]:
    """Return the claims on whose subject something was said later, each with the newest of it.

    Claims that hold no more are left out. What was said later may be replaced itself, or have
    something later beside it.
    """
    replaced = {end.old[:2]: end.by for end in ended if end.by is not None}
    over = {end.old[:2] for end in ended}
    after: dict[tuple[str, int], list[ClaimLink]] = {}
    for link in likely:
        after.setdefault(link.old[:2], []).append(link)
    found = []
    for place, links in after.items():
        if place in over:
            continue
        last, seen = _find_newest_claim(links), {place}
        while last[:2] not in seen:
            seen.add(last[:2])
            if last[:2] in replaced:
                last = replaced[last[:2]]
            elif last[:2] in after:
                last = _find_newest_claim(after[last[:2]])
        if last[:2] != place:
            found.append(ClaimEnd(links[0].old, last, last.at))
    return found


def _find_newest_claim(links: Sequence[ClaimLink]) -> Claim:
    return max(links, key=lambda link: (link.at, link.new.key, link.new.line)).new


def _drop_cancelled_links(links: Sequence[ClaimLink]) -> list[ClaimLink]:
    """Return links without those to cancelled claims; the claims before them hold again."""
    back = {(link.old[:2], link.new[:2]) for link in links if link.takes_back}
    ended = {old for old, _ in back}
    again = {
        (link.old[:2], by)
        for link in links
        if link.new[:2] in ended
        for old, by in back
        if old == link.new[:2]
    }
    stands = {old for old, _ in again}
    return [
        link
        for link in links
        if not (
            link.old[:2] in stands
            and (link.new[:2] in ended or (link.old[:2], link.new[:2]) in again)
        )
    ]


def compare_scope(
    store: Store, scope: Scope, home: Path, zone: tzinfo = UTC, judge: PairJudge | None = None
) -> tuple[ComparedScope, bool]:
    """Compare the new documents of a scope; return its state, and whether more documents wait.

    The state is kept by the documents' hashes. What was found of a document holds until it is
    compared again, also where a newer release compares all anew.
    """
    file = _locate_links(home, scope)
    judge = judge or PairJudge(None)
    before = _read_compared_scope(file)
    hashes = store.hashes(scope)
    compared = _keep_stamps(before, hashes, judge)
    links = _keep_links_of(hashes, before.links)
    ends = [end for end in before.ends if end.old.key in hashes]
    taken = [statement for statement in before.taken_back if statement.key in hashes]
    likely = _keep_links_of(hashes, before.likely)
    changed = _list_changed(compared, hashes)
    waits = len(changed) > _MOST_DOCUMENTS
    comparison = _Comparison(store, scope, judge)
    found: list[ClaimLink] = []
    found_likely: list[ClaimLink] = []
    for entry in store.entries(scope, changed[:_MOST_DOCUMENTS]):
        key = entry.document.key
        missed_before = judge.missed
        statements, is_complete = comparison.statements(entry)
        own = list(comparison.links(statements)) if is_complete else []
        own_likely = list(comparison.likely_links(statements)) if is_complete else []
        comparison.forget_neighbours()
        if judge.missed > missed_before:
            waits = True  # what comes behind was not read either: the next step goes on here
            break
        if key in compared or not is_complete:
            links = _drop_links_of(key, links)
            likely = _drop_links_of(key, likely)
            ends = [end for end in ends if end.old.key != key]
            taken = [statement for statement in taken if statement.key != key]
        if not is_complete:  # what still waits for vectors is compared again
            found = _drop_links_of(key, found)
            found_likely = _drop_links_of(key, found_likely)
            continue
        found += own
        found_likely += own_likely
        ends += _list_stated_ends(statements, zone)
        taken += cancelled_changes.list_taken_back(
            store, scope, entry.document, _second_of(entry.document)
        )
        compared[key] = _stamp_document(hashes[key], judge)
    links += found
    likely += found_likely
    state = ComparedScope(
        compared,
        _drop_repeated_links(links),
        list({end.old[:3]: end for end in ends}.values()),
        sorted(set(taken)),
        _drop_repeated_links(likely),
    )
    if state != before:
        fs.make_private(file.parent)
        stated = [(*end.old, end.at) for end in state.ends]
        content = (
            _VERSION,
            state.compared,
            _build_link_rows(state.links),
            stated,
            state.taken_back,
            _build_link_rows(state.likely),
        )
        fs.replace_private(file, json.dumps(content))
    return state, waits


def _keep_links_of(keys: Container[str], links: Iterable[ClaimLink]) -> list[ClaimLink]:
    """Return the links between documents that are there."""
    return [link for link in links if link.old.key in keys and link.new.key in keys]


def _drop_repeated_links(links: Iterable[ClaimLink]) -> list[ClaimLink]:
    """Return one link from a claim to a line; of several the last."""
    return list({(link.old[:3], link.new[:2]): link for link in links}.values())


def _drop_links_of(key: str, links: Iterable[ClaimLink]) -> list[ClaimLink]:
    """Return links without those from or to a document."""
    return [link for link in links if key not in (link.old.key, link.new.key)]


def _build_link_rows(links: Iterable[ClaimLink]) -> list[tuple[object, ...]]:
    return [(*link.old, *link.new, link.takes_back, link.at) for link in links]


def _read_link_rows(rows: Iterable[Sequence[Any]]) -> list[ClaimLink]:
    return [ClaimLink(Claim(*row[:6]), Claim(*row[6:12]), *row[12:]) for row in rows]


def _read_compared_scope(file: Path) -> ComparedScope:
    try:
        version, *held = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ComparedScope({}, [], [], [], [])
    if version not in _READABLE:
        return ComparedScope({}, [], [], [], [])
    compared, rows, stated, taken, *likely = held
    return ComparedScope(
        compared if version == _VERSION else dict.fromkeys(compared, ""),
        _read_link_rows(rows),
        [ClaimEnd(Claim(*row[:6]), None, row[6]) for row in stated],
        [TakenBack(*row) for row in taken],
        _read_link_rows(likely[0]) if likely else [],
    )


def _list_stated_ends(statements: Iterable[StatedLine], zone: tzinfo) -> Iterator[ClaimEnd]:
    """Yield the claims that say until when they hold, each with the moment after its last day."""
    for statement in statements:
        said_on = datetime.fromtimestamp(statement.at, zone).date()
        for sentence in read_sentences(statement.text):
            end = find_end(sentence.text, said_on)
            if end is not None and end.last is not None:
                yield ClaimEnd(statement.claim(sentence.text), None, _end_of_day(end.last, zone))


def _end_of_day(day: date, zone: tzinfo) -> int:
    # Behind the last days of the calendar no zone has a day.
    day = min(day, date.max - timedelta(days=2))
    return int(datetime.combine(day + timedelta(days=1), time(), zone).timestamp())


class _NearPassage(NamedTuple):
    """Statements of a passage near to a statement, and the score of its nearness."""

    statements: list[StatedLine]
    score: float


class _Comparison:
    """Comparison of the statements of a scope, by vectors if the store has some."""

    def __init__(self, store: Store, scope: Scope, judge: PairJudge) -> None:
        self._store, self._scope, self._judge = store, scope, judge
        self._near: dict[tuple[str, int], list[_NearPassage]] = {}
        active = store.active_model() if isinstance(store, VectorCopy) else None
        self._model = active[0] if active is not None else ""

    def statements(self, entry: Entry) -> tuple[list[StatedLine], bool]:
        """Return the statements of a document, and whether all its passages have vectors."""
        texts = {p.start_line: entry.document.text[p.start : p.end] for p in entry.passages}
        vectors = self._vectors(texts.values())
        statements = [
            statement
            for number, text in texts.items()
            for statement in list_statements(entry.document, number, text, vectors.get(text, b""))
        ]
        return statements, not self._model or all(text in vectors for text in texts.values())

    def _vectors(self, texts: Iterable[str]) -> Mapping[str, bytes]:
        if not self._model or not isinstance(self._store, VectorCopy):
            return {}
        forms = {text: text_to_embed(text) for text in texts}
        held = self._store.vectors_of(self._model, list(forms.values()))
        return {text: held[form] for text, form in forms.items() if form in held}

    def links(self, statements: Sequence[StatedLine]) -> Iterator[ClaimLink]:
        """Yield the sure links between statements of a document and the nearest other statements.

        The nearest statements may be earlier or later ones.
        """
        for stated in statements:
            if not stated.vector or CORRECTED_MARK in stated.text:
                continue
            others = [other for passage in self._neighbours(stated) for other in passage.statements]
            rivals = [other for other in others if not is_same_claim(other.text, stated.text)]
            first_earlier = next((o for o in rivals if o.order < stated.order), None)
            first_later = next((o for o in rivals if o.order > stated.order), None)
            for other in others:
                old, new = sorted((stated, other), key=lambda statement: statement.order)
                link = self._link(old, new, may_read=other in (first_earlier, first_later))
                if link is not None:
                    yield link

    def _link(self, old: StatedLine, new: StatedLine, *, may_read: bool) -> ClaimLink | None:
        """Return the link of a pair; only the nearest neighbours are worth the reader's time."""
        if not is_dated(new.document):
            return None
        judgement, is_sure = self.judge(old, new, may_read=may_read)
        if not is_sure:
            return None
        return ClaimLink(
            old.claim(judgement.claim), new.claim(judgement.by), judgement.takes_back, new.at
        )

    def judge(self, old: StatedLine, new: StatedLine, *, may_read: bool) -> tuple[Relation, bool]:
        """Judge two statements; say whether the later one surely replaced the other.

        `may_read`: the reader may be asked where no rule is sure, which takes some 20 ms a pair.
        """
        judgement = relation(old.text, new.text)
        if not (judgement.is_sure or may_read) or is_protected(old) or is_retold(old, new):
            return judgement, False
        if not (is_dated(new.document) and new.vector and self.is_nearest(old, new)):
            return judgement, False
        judgement = self._judge.review(judgement, old.text, new.text)
        return judgement, judgement.is_sure

    def likely_links(self, statements: Sequence[StatedLine]) -> Iterator[ClaimLink]:
        """Yield the likely links between turns of a document and the nearest turns.

        Each turn has its session; what one session says twice is no change of it.
        """
        for stated in statements:
            if not (stated.vector and self._judge.reads and _may_be_changed(stated)):
                continue
            earlier = self._list_earlier_rivals(stated)
            later = [other for other, _ in self._list_rivals(stated) if other.order > stated.order]
            pairs = [(other, stated) for other in earlier]
            pairs += [
                (stated, other) for other in later[:_LATER_READ] if self._is_rival(stated, other)
            ]
            for old, new in pairs:
                if is_protected(old):
                    continue
                change = self._judge.find_likely_change(
                    old.text, new.text, is_ahead=self._is_ahead(old, new)
                )
                if change is not None:
                    claims = old.claim(change.claim), new.claim(change.by)
                    yield ClaimLink(*claims, takes_back=False, at=new.at)

    def _is_rival(self, old: StatedLine, new: StatedLine) -> bool:
        """Say whether a turn is among the nearest earlier ones of another."""
        return bool(new.vector) and old.place in [
            other.place for other in self._list_earlier_rivals(new)
        ]

    def _is_ahead(self, old: StatedLine, new: StatedLine) -> bool:
        """Say whether a turn is nearer to a later one than all others are, by far."""
        earlier = [one for one in self._list_rivals(new) if one[0].order < new.order]
        is_nearest = bool(earlier) and earlier[0][0].place == old.place
        return is_nearest and find_lead([score for _, score in earlier])

    def _list_earlier_rivals(self, one: StatedLine) -> list[StatedLine]:
        """Return the earlier turns that are read beside a turn."""
        earlier = [other for other, _ in self._list_rivals(one) if other.order < one.order]
        return earlier[:EARLIER_READ]

    def _list_rivals(self, one: StatedLine) -> list[tuple[StatedLine, float]]:
        """Return the nearest turns of other sessions that may change a turn, or be changed by it.

        Each has the score of its nearness. What repeats a nearer one is left out.
        """
        rivals: list[tuple[StatedLine, float]] = []
        for passage in self._neighbours(one):
            for other in passage.statements:
                if _session_of(other) == _session_of(one) or not _may_be_changed(other):
                    continue
                nearer = [one, *(rival for rival, _ in rivals)]
                if not any(is_same_claim(other.text, rival.text) for rival in nearer):
                    rivals.append((other, passage.score))
        return rivals

    def _neighbours(self, one: StatedLine) -> list[_NearPassage]:
        """Return the passages nearest to a statement, best first, without the statement itself."""
        if one.place not in self._near:
            self._near[one.place] = self._find_neighbours(one)
        return self._near[one.place]

    def forget_neighbours(self) -> None:
        """Forget the neighbours that were found: each holds its document."""
        self._near.clear()

    def _find_neighbours(self, one: StatedLine) -> list[_NearPassage]:
        if not isinstance(self._store, VectorSearch):
            return []
        near = rank_near_passages(
            self._store,
            self._scope,
            one.text,
            VectorQuery(one.vector, model=self._model),
            Filter(),
            _NEIGHBOURS,
        )
        ids = sorted(id_ for id_, _ in near)
        passages = {p.id: p for p in self._store.passages(ids, self._scope)}
        documents = {
            document.key: document
            for document in self._store.get(self._scope, sorted({p.key for p in passages.values()}))
        }
        vectors = self._vectors({p.text for p in passages.values()})
        neighbours = []
        for id_, score in near:
            p = passages.get(id_)
            if p is None or p.key not in documents:
                continue
            of = list_statements(documents[p.key], p.start_line, p.text, vectors.get(p.text, b""))
            others = [other for other in of if other.place != one.place]
            neighbours.append(_NearPassage(others, score))
        return neighbours

    def is_nearest(self, old: StatedLine, new: StatedLine) -> bool:
        """Say whether the passage of `old` is the nearest one to `new` with earlier statements.

        Passages that repeat one of the two statements do not count, nor do those that `new`
        replaces too.
        """
        rank = 0
        for passage in self._neighbours(new):
            if any(other.place == old.place for other in passage.statements):
                return rank <= _FARTHEST
            earlier = [other for other in passage.statements if other.order < new.order]
            if any(
                is_same_claim(other.text, statement.text)
                for other in earlier
                for statement in (old, new)
            ):
                continue
            if any(relation(other.text, new.text).is_sure for other in earlier):
                continue
            rank += bool(earlier)
            if rank > _FARTHEST:
                return False
        return False


def find_lead(scores: Sequence[float]) -> bool:
    """Say whether the first of the scores, best first, is far ahead of those that are not read."""
    return len(scores) > EARLIER_READ and scores[0] - scores[EARLIER_READ] >= _LEAD


def _may_be_changed(statement: StatedLine) -> bool:
    """Say whether a statement is a turn that says something, and asks not only."""
    return statement.document.kind == turns.KIND and not all(
        sentence.has_mood("question") for sentence in read_sentences(statement.text)
    )


def _session_of(statement: StatedLine) -> str:
    return statement.document.key.partition("#")[0]


def is_same_claim(one: str, other: str) -> bool:
    """Say whether two texts are one statement: a turn, and the observation made of it."""
    return one in other or other in one


def is_retold(old: StatedLine, new: StatedLine) -> bool:
    """Say whether a statement says again what an earlier one says, and nothing more.

    An observation adds the day to the words of its turn, and the question before them.
    """
    answer = as_told(new.text).rpartition(" – ")[2]
    return answer.rstrip(".!…") in old.text


def list_statements(document: Document, number: int, text: str, vector: bytes) -> list[StatedLine]:
    """Return the lines of a passage (from line `number`) that may be claims.

    Of a conversation, only the users' lines may be claims.
    """
    if document.kind == turns.KIND:
        if not text.startswith(_LABEL) or "[redacted:" in text:
            return []
        return [
            StatedLine(
                document=document,
                line=number,
                offset=len(_LABEL),
                text=text[len(_LABEL) :],
                vector=vector,
                at=_second_of(document),
            )
        ]
    if document.kind in (observation.TASK_KIND, observation.PATTERN_KIND):
        return []
    return [
        StatedLine(
            document=document,
            line=number + n,
            offset=len(line) - len(line.lstrip()),
            text=line.strip(),
            vector=vector,
            at=_second_of(document),
        )
        for n, line in enumerate(text.split("\n"))
        if line.strip() and not line.lstrip().startswith(("#", "```", "---"))
    ]


def is_dated(document: Document) -> bool:
    """Say whether it is known when a document was said; an undated note replaces nothing.

    The day on which a program made the note counts only while the file is as it was made, as a
    record of `gieok remember` is: else its text may have been written since.
    """
    if document.kind == turns.KIND:
        return True
    if document.valid_from is None:
        return False
    is_as_made = document.updated_at - document.valid_from <= _MAKING
    return MADE_THEN not in document.metadata or is_as_made


def is_protected(statement: StatedLine) -> bool:
    """Say whether a person corrected a statement, which then holds whatever was said later."""
    return CORRECTED_MARK in statement.text or CORRECTED in statement.document.metadata


def _second_of(document: Document) -> int:
    """Return when a document was said, in Unix seconds.

    For a document that a person corrected, that is the time of the correction.
    """
    corrected = document.metadata.get(CORRECTED)
    day = None if MADE_THEN in document.metadata else document.valid_from
    moment = datetime.fromisoformat(corrected) if corrected else day or document.updated_at
    return int(moment.timestamp())


class FoundJudge:
    """Judge of the statements that a search found, against each other."""

    def __init__(self, store: Store, judge: PairJudge) -> None:
        self._store, self._judge = store, judge
        self._comparisons: dict[Scope, _Comparison] = {}

    def judge(self, old: StatedLine, new: StatedLine, *, may_read: bool) -> tuple[Relation, bool]:
        """Judge two statements as a comparison does; a change taken back since is none."""
        scope = old.document.scope
        if scope not in self._comparisons:
            self._comparisons[scope] = _Comparison(self._store, scope, self._judge)
        judgement, is_sure = self._comparisons[scope].judge(old, new, may_read=may_read)
        return judgement, is_sure and not cancelled_changes.is_taken_back(
            self._store, scope, new.document, new.line, new.at
        )
