"""Finds the claims that hold no more in all scopes, and writes them where readers look."""

from collections.abc import Mapping
from datetime import UTC, tzinfo
from pathlib import Path

from gieok.memory.talk import turns
from gieok.memory.talk.claims.chains import list_ended, list_said_later
from gieok.memory.talk.claims.claim import ClaimEnd
from gieok.memory.talk.claims.compare import FoundAhead, compare_scope, read_scope_ahead
from gieok.memory.talk.claims.compared_scope import Findings
from gieok.memory.talk.claims.ended_file import write_claim_rows
from gieok.memory.talk.claims.shared_ends import (
    end_where_promoted,
    end_where_said,
    list_observations,
    list_taken_back,
    put_back,
    share_with_observed,
)
from gieok.memory.talk.pair_judge import PairJudge
from gieok.model.memory import Scope
from gieok.places.home import later_file, replaced_file
from gieok.places.scope import is_brought, is_served
from gieok.ports.journal import Conversations
from gieok.ports.store import Store


def update_claims(
    store: Store,
    home: Path,
    journal: Conversations | None = None,
    zone: tzinfo = UTC,
    judge: PairJudge | None = None,
    ahead: Mapping[Scope, FoundAhead] | None = None,
) -> tuple[dict[Scope, list[ClaimEnd]], bool]:
    """Compare new documents in all scopes; return ended claims, and whether documents wait.

    Raises StoreError. With a journal, an observation of a turn ends together with the turn. `zone`
    is the time zone of the days of stated ends; `judge` judges pairs, by rules alone where there is
    none. `ahead` is what it found ahead (`read_ahead`). Safe to kill and to repeat.
    """
    waits, found_of = False, dict[str, Findings]()
    for scope in _list_compared_scopes(store):
        known = ahead.get(scope) if ahead is not None else None
        state, is_behind = compare_scope(store, scope, home, zone, judge, known)
        found_of[scope.path] = state.found
        waits = waits or is_behind
    ended: dict[str, list[tuple[ClaimEnd, str]]] = {}
    changed: dict[str, list[tuple[ClaimEnd, str]]] = {}
    for path, found in found_of.items():
        taken_back = list_taken_back(store, journal, path, found_of)
        rows = [*list_ended(put_back(found.links, taken_back)), *found.ends]
        changes = {statement.change for statement, _ in taken_back}
        later = list_said_later(
            [link for link in found.likely if link.new[:2] not in changes], rows
        )
        if journal is not None and any(turns.is_turns(row.old.key) for row in (*rows, *later)):
            observed = list_observations(store, Scope(path))
            rows += share_with_observed(store, journal, Scope(path), rows, observed)
            later += share_with_observed(store, journal, Scope(path), later, observed)
        ended[path] = [(row, path) for row in rows]
        changed[path] = [(row, path) for row in later]
    end_where_said(store, ended)
    end_where_promoted(store, ended)
    end_where_promoted(store, changed)
    for path, rows_of_scope in changed.items():
        write_claim_rows(Path(later_file(str(home), path)), rows_of_scope)
    for path, whose in ended.items():
        write_claim_rows(Path(replaced_file(str(home), path)), whose)
    return {Scope(path): [row for row, _ in whose] for path, whose in ended.items()}, waits


def read_ahead(store: Store, home: Path, zone: tzinfo, judge: PairJudge) -> dict[Scope, FoundAhead]:
    """Let the reader judge the pairs that the next comparison asks for; return what is found.

    Nothing is written. A model is asked for seconds, which no lock may be held for. Stops behind
    the document at which the judge has read enough.
    """
    return {
        scope: read_scope_ahead(store, scope, home, zone, judge)
        for scope in _list_compared_scopes(store)
    }


def _list_compared_scopes(store: Store) -> list[Scope]:
    return [
        scope
        for scope in store.scopes()
        if not is_brought(scope.path) and not is_served(scope.path)
    ]
