"""What else ends where a claim ends, and what holds again where a change is taken back.

A turn, the observation made of it and the copy of it in the user's own scope are one statement.
When a change is taken back at once without being named, what it replaced replaces it (`put_back`).
"""

from collections.abc import Iterable, Mapping, Sequence

from gieok.memory import observation
from gieok.memory.talk import turns
from gieok.memory.talk.cancelled_changes import TakenBack
from gieok.memory.talk.claims.claim import Claim, ClaimEnd, ClaimLink
from gieok.memory.talk.claims.compared_scope import Findings
from gieok.memory.talk.claims.stated_line import second_of
from gieok.memory.talk.statements.statement import read_sentences
from gieok.model.memory import CORRECTED, Document, Scope
from gieok.places.scope import PROMOTED, USER_SCOPE
from gieok.ports.journal import Conversations
from gieok.ports.store import Documents, Store
from gieok.text.gist import as_told
from gieok.text.handles import line_check


def list_taken_back(
    store: Documents, journal: Conversations | None, path: str, found_of: Mapping[str, Findings]
) -> list[tuple[TakenBack, frozenset[str]]]:
    """Return the statements that were taken back in a scope, with the keys of their observations.

    For the user's own scope, these are the promoted copies of statements that were taken back in
    projects.
    """
    if path == USER_SCOPE:
        return [
            (statement._replace(changed_key=statement.changed_key + PROMOTED), frozenset())
            for found in found_of.values()
            for statement in found.taken_back
        ]
    taken = found_of[path].taken_back
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


def put_back(
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


def end_where_said(store: Store, ended: dict[str, list[tuple[ClaimEnd, str]]]) -> None:
    """End the ended claims of the user's own scope also in the project where they were said."""
    for row, _ in list(ended.get(USER_SCOPE, ())):
        project = _project_of(store, row.old)
        if project is None:
            continue
        source = row.old._replace(key=row.old.key.removesuffix(PROMOTED))
        known = {end.old[:3] for end, _ in ended.setdefault(project, [])}
        if source[:3] not in known:
            ended[project].append((row._replace(old=source), USER_SCOPE))


def end_where_promoted(store: Documents, ended: dict[str, list[tuple[ClaimEnd, str]]]) -> None:
    """End the ended claims of projects also in their copies in the user's own scope.

    What replaced a statement about the user need not be promoted itself: without this the copy
    would go on being told in all other projects.
    """
    copies = {key for key in store.hashes(Scope(USER_SCOPE)) if key.endswith(PROMOTED)}
    known = {end.old[:3] for end, _ in ended.get(USER_SCOPE, ())}
    for project in [path for path in ended if path != USER_SCOPE]:
        for row, whose in ended[project]:
            copy = row.old._replace(key=row.old.key + PROMOTED)
            if copy.key in copies and copy[:3] not in known:
                known.add(copy[:3])
                ended.setdefault(USER_SCOPE, []).append((row._replace(old=copy), whose))


def list_observations(store: Documents, scope: Scope) -> list[Document]:
    """Return what was observed in a scope."""
    keys = sorted(key for key in store.hashes(scope) if key.startswith(observation.PREFIX))
    return store.get(scope, keys)


def share_with_observed(
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
        end = by_message.get(_find_only_message(document))
        if end is None or document.key in known or document.metadata.get(CORRECTED):
            continue
        turn = documents[end.old.key].text.split("\n")[end.old.line - 1]
        words = turn[end.old.start :][: end.old.length]
        for place, length in _find_claim_in(document.text.split("\n")[0], words, turn):
            part = document.text[place : place + length]
            own = Claim(
                key=document.key,
                line=1,
                start=place,
                length=length,
                check=line_check(part),
                at=second_of(document),
            )
            shared.append(end._replace(old=own))
    return shared


def _observed_by_message(store: Documents, scope: Scope) -> dict[str, list[str]]:
    """Return message → keys of the observations that were made of that message alone."""
    by_message: dict[str, list[str]] = {}
    for document in list_observations(store, scope):
        by_message.setdefault(_find_only_message(document), []).append(document.key)
    return by_message


def _find_only_message(document: Document) -> str:
    """Return the message that an observation was made of; '' for none, or for several."""
    ids = document.message_ids
    return "".join(ids) if len(ids) == 1 else ""


def _project_of(store: Store, claim: Claim) -> str | None:
    """Return the project in which a line of the user's own scope was said; None if in none."""
    if not claim.key.endswith(PROMOTED):
        return None
    documents = store.get(Scope(USER_SCOPE), [claim.key])
    return documents[0].metadata.get("scope") if documents else None


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
