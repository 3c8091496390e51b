"""Gaps of an answer: scopes, files, transcripts and messages that were not searched.

Such a place may have held the answer. Counting each gap costs a look, so gaps are counted only
where nothing was found: whoever finds something needs no list of the rest.
"""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from gieok.agents.sources import iter_unread_transcripts
from gieok.agents.transcripts.place import TranscriptPlace
from gieok.commands.command import TRUST_HINT, waiting_words
from gieok.commands.memory.behind import untrusted_records
from gieok.commands.scope_names import name_scope_by_path
from gieok.flow.durable import forgotten
from gieok.flow.ingest import Failed
from gieok.home.call import Call
from gieok.memory.files import read, roots
from gieok.memory.sidecar import UNREAD
from gieok.memory.talk import turns
from gieok.model.conversation import Incident
from gieok.model.memory import Scope
from gieok.places.scope import is_served
from gieok.ports.store import Store
from gieok.text.dates import DateSpan
from gieok.text.messages import WordList, Words

#: Gap of a filter that the request names.
ONLY_FILTERED = "only {value} was looked at (`--{name}`)"
#: Number of scopes, files and unreadable transcripts that are named.
_MOST_NAMED = 3


def gaps_of_memory(call: Call, store: Store, scopes: Sequence[Scope]) -> Iterator[Words]:
    """Yield the gaps of a search in some scopes of a store."""
    yield from gaps_of_scopes(store, scopes)
    yield from gaps_of_files(call, store, scopes)
    yield from gaps_of_talk(call, store)


def gaps_of_scopes(store: Store, scopes: Sequence[Scope]) -> Iterator[Words]:
    """Yield how many other scopes of the owner hold memory."""
    others = [
        scope for scope in store.scopes() if scope not in scopes and not is_served(scope.path)
    ]
    if others:
        names = [*map(name_scope_by_path, others[:_MOST_NAMED])]
        names += [Words("…")] if len(others) > _MOST_NAMED else []
        yield Words.of(
            "{count} other scope holds memory (`--everywhere`, `--scope`): {names}",
            plural="{count} other scopes hold memory (`--everywhere`, `--scope`): {names}",
            count=len(others),
            names=WordList(tuple(names)),
        )


def gaps_of_files(call: Call, store: Store, scopes: Sequence[Scope]) -> Iterator[Words]:
    """Yield folders that are missing, and how many existing files the store does not hold."""
    for scope in scopes:
        known = {*store.hashes(scope), *forgotten(store, scope)}
        for root in roots.load_roots(store, scope):
            if roots.is_away(root, known):
                yield Words.of(
                    "{path} is not there now; what it held when it was indexed was looked at",
                    path=root.path,
                )
            elif missing := [
                _name_candidate(root, candidate)
                for candidate in read.list_note_candidates(root)
                if _is_unindexed_file(root, candidate, known)
            ]:
                yield Words.of(
                    "{count} file of {path} that the index does not hold ({names}): `gieok index` "
                    "says why",
                    plural=(
                        "{count:,} files of {path} that the index does not hold ({names}): "
                        "`gieok index` says why"
                    ),
                    path=root.path,
                    names=_format_some_names(missing),
                    count=len(missing),
                )
    if waiting := untrusted_records(call, store):
        yield Words.of("{files}: {hint}", files=waiting_words(waiting), hint=TRUST_HINT)


def _format_some_names(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (" …" if len(names) > _MOST_NAMED else "")


def _name_candidate(root: roots.Root, found: Path | Failed) -> str:
    """Return the name of a file below its root, without what looks like a secret."""
    key = root.key_of(found) if isinstance(found, Path) else found.key
    return key.removeprefix(f"{root.name}/")


def _is_unindexed_file(root: roots.Root, found: Path | Failed, known: Collection[str]) -> bool:
    """Return whether the index lacks a file, or a folder that cannot be read.

    Copies do not count: the index leaves copies out on purpose.
    """
    if not isinstance(found, Path):
        return not found.is_left_out
    # the name as it is first: few names have a secret in them, and to look for one takes time
    plain = f"{root.name}/{found.relative_to(root.watched).as_posix()}"
    return plain not in known and root.key_of(found) not in known


def gaps_of_talk(call: Call, store: Store) -> Iterator[Words]:
    """Yield unreadable transcripts, and how many journalled messages are not searchable yet."""
    yield from gaps_of_transcripts(call)
    journal = (
        call.home.journal
        if call.home.stores.has_journal() and call.home.settings.flag("index.sessions")
        else None
    )
    if waiting := turns.unheard(journal, store) if journal else 0:
        yield Words.of(
            "{waiting:,} messages that are read and not searchable yet: `gieok index`",
            waiting=waiting,
        )


def gaps_of_transcripts(call: Call) -> Iterator[Words]:
    """Yield transcripts that cannot be read."""
    unread = [incident for incident in _list_incidents(call) if incident.name.startswith(UNREAD)]
    yield from map(_of_incident, unread[:_MOST_NAMED])
    if len(unread) > _MOST_NAMED:
        more = len(unread) - _MOST_NAMED
        yield Words.of("{more:,} more transcripts that cannot be read", more=more)


def list_unread_talk(call: Call, found: Sequence[TranscriptPlace]) -> dict[str, str]:
    """Return place → reason of transcripts that are not read.

    The reasons are errors that capture met, and formats that no release reads.
    """
    met = (incident for incident in _list_incidents(call) if incident.name.startswith(UNREAD))
    known = {incident.name.removeprefix(UNREAD): incident.detail for incident in met}
    reasons = {path: detail.removeprefix(f"{path}: ") for path, detail in known.items()}
    return reasons | {str(path): why for path, why in iter_unread_transcripts(found)}


def gaps_of_observing(call: Call, scopes: Sequence[Scope]) -> Iterator[Words]:
    """Yield the gaps of observing in some scopes.

    These are messages that are not observed yet, what stands in the way, and which other scopes
    have observations.
    """
    if not call.home.stores.has_journal():
        return
    journal = call.home.journal
    sidecar = call.home.sidecar
    if waiting := sum(map(sidecar.backlog_tokens, scopes)):
        yield Words.of(
            "{waiting:,} tokens of talk wait to be observed: `gieok observe run --once`",
            waiting=waiting,
        )
    yield from map(_of_incident, _list_incidents(call))
    others = [
        scope
        for scope in journal.made_scopes()
        if scope not in scopes and not is_served(scope.path)
    ]
    if others:
        count = len(others)
        yield Words.of(
            "{count} other scope has observations (`--scope`)",
            plural="{count} other scopes have observations (`--scope`)",
            count=count,
        )


def gaps_of_archive(call: Call) -> Iterator[Words]:
    """Yield the obstacles to comparing the archive with people's edits there."""
    for incident in _list_incidents(call):
        if incident.name.startswith(("archive", "job archive")):
            yield _of_incident(incident)


def gaps_of_backups(call: Call) -> Iterator[Words]:
    """Yield how many backups there are: no search looks into backups."""
    if count := len(call.home.backups.listed()):
        yield Words.of(
            "{count} backup holds what was there when made: `gieok backup list`",
            plural="{count} backups hold what was there when made: `gieok backup list`",
            count=count,
        )


def gap_of_days(first: object, last: object, words: str = "") -> Words:
    """Return that only some days were searched, and which words of a question named these days."""
    suffix = f" (“{words}”)" if words else ""
    return Words.of(
        "only {first} – {last} was looked at{asked}", first=first, last=last, asked=suffix
    )


def gaps_of_filter(
    since: DateSpan | None, until: DateSpan | None, **chosen: str
) -> Iterator[Words]:
    """Yield what the caller's own filters left out.

    The filters are the days, and options by name that are not `all`.
    """
    if since or until:
        yield gap_of_days(since.first if since else "…", until.last if until else "…")
    for name, value in chosen.items():
        if value != "all":
            yield Words.of(ONLY_FILTERED, value=value, name=name)


def gap_of_error(text: str) -> Words:
    """Return the English error message of a source that could not be asked."""
    return Words.said(text)


def _list_incidents(call: Call) -> list[Incident]:
    return list(call.home.journal.incidents()) if call.home.stores.has_journal() else []


def _of_incident(incident: Incident) -> Words:
    return gap_of_error(incident.detail)
