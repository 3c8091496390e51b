"""Compares the new documents of a scope with what was said before, some at a time."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import NamedTuple

from gieok.memory.talk import cancelled_changes
from gieok.memory.talk.cancelled_changes import TurnLine, read_user_words
from gieok.memory.talk.claims.claim import Claim, ClaimEnd, ClaimLink
from gieok.memory.talk.claims.compared_scope import (
    ComparedScope,
    Findings,
    read_compared_scope,
    write_compared_scope,
)
from gieok.memory.talk.claims.comparison import Comparison
from gieok.memory.talk.claims.stated_line import LABEL, StatedLine, second_of
from gieok.memory.talk.pair_judge import PairJudge
from gieok.memory.talk.slips import list_slips
from gieok.memory.talk.statements.statement import read_sentences
from gieok.model.memory import Document, Entry, Scope
from gieok.ports.store import Documents, Store
from gieok.text.ends import find_end
from gieok.text.handles import line_check

#: Behind the hash of a document that rules alone have judged.
_BY_RULES = " by rules"
#: Documents that one step compares: a memory that is imported whole takes several steps.
_MOST_DOCUMENTS = 400


class FoundAhead(NamedTuple):
    """What a comparison of a scope will find, found before the lock is held.

    `hashes`: the documents that the scope had. `found`: what was found of those that were read.
    """

    hashes: Mapping[str, str]
    found: Mapping[str, Findings]


def compare_scope(
    store: Store,
    scope: Scope,
    home: Path,
    zone: tzinfo = UTC,
    judge: PairJudge | None = None,
    ahead: FoundAhead | None = None,
) -> tuple[ComparedScope, bool]:
    """Compare the new documents of a scope; return its state, and whether more documents wait.

    The state is kept by the documents' hashes. What was found of a document holds until it is
    compared again, also where a newer release compares all anew. `zone` is the time zone of the
    days of stated ends. What was found `ahead` by the same judge is taken where the scope has the
    same documents still.
    """
    judge = judge or PairJudge(None)
    before = read_compared_scope(home, scope)
    hashes = store.hashes(scope)
    compared = _keep_stamps(before, hashes, judge)
    changed = _list_changed(compared, hashes)
    waits = len(changed) > _MOST_DOCUMENTS
    comparison = Comparison(store, scope, judge)
    is_unchanged = ahead is not None and judge.reads and ahead.hashes == hashes
    ready = ahead.found if ahead is not None and is_unchanged else {}
    known, new = before.found.of_documents(hashes), Findings()
    for entry in store.entries(scope, changed[:_MOST_DOCUMENTS]):
        key = entry.document.key
        missed_before = judge.missed
        found = ready.get(key) or _compare_document(store, comparison, entry, zone)
        if judge.missed > missed_before:
            waits = True  # what comes behind was not read either: the next step goes on here
            break
        if key in compared or found is None:
            known = known.without(key)
        if found is None:  # what still waits for vectors is compared again
            new = new.without(key)
            continue
        new = new.and_those(found)
        compared[key] = _stamp_document(hashes[key], judge)
    state = ComparedScope(compared, known.and_those(new).settle())
    if state != before:
        write_compared_scope(home, scope, state)
    return state, waits


def read_scope_ahead(
    store: Store, scope: Scope, home: Path, zone: tzinfo, judge: PairJudge
) -> FoundAhead:
    """Let the reader judge the pairs that the next comparison of a scope asks for; return its
    findings.

    Nothing is written. Stops behind the document at which the judge has read enough.
    """
    hashes = store.hashes(scope)
    compared = _keep_stamps(read_compared_scope(home, scope), hashes, judge)
    comparison = Comparison(store, scope, judge)
    found: dict[str, Findings] = {}
    for entry in store.entries(scope, _list_changed(compared, hashes)[:_MOST_DOCUMENTS]):
        if judge.is_tired or not judge.reads:
            break
        findings = _compare_document(store, comparison, entry, zone)
        if findings is not None:
            found[entry.document.key] = findings
    return FoundAhead(hashes, found)


def _compare_document(
    store: Store, comparison: Comparison, entry: Entry, zone: tzinfo
) -> Findings | None:
    """Return what is found of a document; None where some of its passages have no vectors yet."""
    document = entry.document
    statements, is_complete = comparison.statements(entry)
    if not is_complete:
        return None
    links = [*comparison.links(statements), *_list_slip_links(store, document.scope, document)]
    likely = list(comparison.likely_links(statements))
    comparison.forget_neighbours()
    return Findings(
        links,
        list(_list_stated_ends(statements, zone)),
        list(
            cancelled_changes.list_taken_back(store, document.scope, document, second_of(document))
        ),
        likely,
    )


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


def _list_slip_links(store: Documents, scope: Scope, document: Document) -> list[ClaimLink]:
    """Return the links from wrong values to the lines that put them right at once."""
    at = second_of(document)
    return [
        ClaimLink(
            _build_line_claim(slip.wrong, slip.sentence, at),
            _build_line_claim(slip.right, read_user_words(slip.right.text), at),
            takes_back=False,
            at=at,
        )
        for slip in list_slips(store, scope, document)
    ]


def _build_line_claim(line: TurnLine, words: str, at: int) -> Claim:
    """Return words of a line of turns as a claim; all of the line where they are not found."""
    words = words if words in line.text else line.text.removeprefix(LABEL)
    return Claim(
        key=line.key,
        line=line.number,
        start=line.text.find(words),
        length=len(words),
        check=line_check(words),
        at=at,
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
