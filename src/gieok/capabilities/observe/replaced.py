"""Which statements a later one has replaced: the newest is what holds, and nothing is deleted.

Statements are lines of what was said, observations, and short passages of notes and records. Each new one is compared with
those nearest to it by the vectors that search uses, a few dozen; `engine.learned.changes` judges the pairs. The files that this
writes name lines (key, number, sum) and hold no text, as those of `lasting` do: what is forgotten is not in them, and a line
that says something else by now is not marked.

A → B → A: the last A replaces B, and the first stands again (`_taken_back`), as it does where B is cancelled.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from gieok import fs, places
from gieok.capabilities.observe import observation, turns
from gieok.engine.learned import changes
from gieok.engine.learned.changes import Judged
from gieok.engine.learned.heads import worth
from gieok.model.conversation import CORRECTED_MARK
from gieok.model.memory import CORRECTED, Document, Entry, Scope
from gieok.model.retrieval import Filter, FoundPassage, VectorQuery
from gieok.places import is_served
from gieok.ports.store import Store, VectorCopy, VectorSearch
from gieok.text.embedform import text_to_embed
from gieok.text.turns import ASSISTANT, USER

#: To be raised where the same statements would be judged otherwise.
_VERSION = 1
#: Documents that one step compares: a memory that is taken in whole takes several.
_MOST_DOCUMENTS = 400
_NEIGHBOURS = 24
#: A turn that states less surely something than this says nothing of what holds.
_STATES = 0.5
#: A longer passage of a note is about more than one thing.
_LONGEST_PASSAGE = 300
#: What a user's statement needs less than an assistant's to be what holds no more.
_ASSISTANTS_SHARE = 0.9
_ACCEPTS = re.compile(
    r"^(?:ㅇㅇ|ㅇㅋ|응|어|그래|좋아|좋네|오케이|네|넵|그걸로|그렇게|콜|ok(?:ay)?|yes|yep|yeah|sure|sounds good"
    r"|go (?:for|with)|do it|works for me|perfect|let's do|agreed|fine)\b.{0,40}$",
    re.IGNORECASE,
)
_PROPOSES = re.compile(
    r"\b(?:I'd|I would|I suggest|I'd suggest|I recommend|how about|we could|shall we|should I)\b"
    r"|추천|제안|어떨까요|어떠세요|할까요|하는 게|하면 (?:좋|될)",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"^(?:아니 |아 |음 )?(?:그거|그건|아까|방금|저거|이거|scrap|never ?mind|cancel|forget|undo|revert)", re.IGNORECASE
)
_LAST_QUESTION = re.compile(r"[^.!?。]*\?\s*$")
_BACK = 6
_MARGIN = 0.25


class Line(NamedTuple):
    """A statement: its document, line and sum, and when it was said in Unix seconds."""

    key: str
    line: int
    check: int
    at: int


class Link(NamedTuple):
    """What a later statement says of an earlier one, and how likely it replaces it."""

    old: Line
    new: Line
    likely: float
    takes_back: bool


class Ended(NamedTuple):
    """A statement that holds no more: what holds in its place, and since when, in Unix seconds."""

    old: Line
    by: Line
    at: int


class _Said(NamedTuple):
    """A statement that can be judged; `replaces`: it says what holds, so that it may end another."""

    line: Line
    judged: Judged
    vector: bytes
    replaces: bool
    is_assistants: bool
    is_corrected: bool


class Standing(NamedTuple):
    """What is known of a scope: document → hash as it was compared, and the links between its statements."""

    compared: dict[str, str]
    links: list[Link]


def update(store: Store, home: Path) -> tuple[dict[Scope, list[Ended]], bool]:
    """Compare what is new in all scopes; return what holds no more, and whether something still waits. Raises StoreError.

    Safe to kill and to repeat.
    """
    if not isinstance(store, VectorCopy) or not isinstance(store, VectorSearch):
        return {}, False
    active = store.active_model()
    if active is None or active[0] != changes.fitted_on():
        return {}, False
    waits, found = False, dict[str, list[Link]]()
    for scope in store.scopes():
        if not places.is_brought(scope.path) and not is_served(scope.path):
            standing, is_behind = compared(store, scope, home, active[0])
            found[scope.path], waits = standing.links, waits or is_behind
    shown = {of: [(ended, of) for ended in current(links)] for of, links in found.items()}
    after = {of: succeeded(links) for of, links in found.items()}
    for ended, _ in list(shown.get(places.USER_SCOPE, ())):
        if (said_in := _project_of(store, ended.old)) is not None:
            source = ended.old._replace(key=ended.old.key.removesuffix(places.PROMOTED))
            known = {row.old[:2] for row, _ in shown.setdefault(said_in, [])}
            if source[:2] not in known:
                shown[said_in].append((ended._replace(old=source), places.USER_SCOPE))
    for of, rows in shown.items():
        _write(home, of, rows, after.get(of, ()))
    return {Scope(of): [ended for ended, _ in rows] for of, rows in shown.items()}, waits


def ended_lines(home: Path, scope: str) -> frozenset[tuple[str, int, int]]:
    """Return the lines of a scope that hold no more, as they were found last: key, number, sum."""
    try:
        rows = json.loads(Path(places.replaced_file(str(home), scope)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    return frozenset((row[0], row[1], row[2]) for row in rows if len(row) == places.REPLACED_FIELDS)


def _project_of(store: Store, line: Line) -> str | None:
    """Return the scope in which a line of the user's own scope was said; None where that is this one."""
    if not line.key.endswith(places.PROMOTED):
        return None
    found = store.get(Scope(places.USER_SCOPE), [line.key])
    return found[0].metadata.get("scope") if found else None


def _write(home: Path, scope: str, rows: Sequence[tuple[Ended, str]], after: Sequence[tuple[Ended, float]]) -> None:
    """Write what readers need: the line, its sum, what stands in its place (scope, key, line, sum), and since when.

    A row with one more field, how likely that is, says what may stand in its place: both hold as far as is known.
    """
    file = Path(places.replaced_file(str(home), scope))
    made: list[tuple[object, ...]] = [(*ended.old[:3], whose, *ended.by[:3], ended.at) for ended, whose in rows]
    made += [(*ended.old[:3], scope, *ended.by[:3], ended.at, round(likely, 3)) for ended, likely in after]
    if made or file.exists():
        text = json.dumps(made)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            fs.make_private(file.parent)
            fs.replace_private(file, text)


def current(links: Sequence[Link]) -> list[Ended]:
    """Return the statements that hold no more, each with what holds now: chains are followed to their end."""
    best: dict[tuple[str, int], float] = {}
    for link in links:
        best[link.new[:2]] = max(link.likely, best.get(link.new[:2], changes.REPLACES))
    after: dict[tuple[str, int], list[Link]] = {}
    # A statement changes one thing: beside what it surely replaces, what it may replace too stands.
    for link in _taken_back(
        [link for link in links if link.likely >= max(changes.REPLACES, best[link.new[:2]] - _MARGIN)]
    ):
        after.setdefault(link.old[:2], []).append(link)
    made = []
    for found in after.values():
        last, seen = _newest(found), set[tuple[str, int]]()
        while last[:2] in after and last[:2] not in seen:
            seen.add(last[:2])
            last = _newest(after[last[:2]])
        made.append(Ended(found[0].old, last, min(link.new.at for link in found)))
    return made


def succeeded(links: Sequence[Link]) -> list[tuple[Ended, float]]:
    """Return the statements that a later one may have replaced, and how likely: too unsure to say that they hold no more."""
    ended = {one.old[:2] for one in current(links)}
    best: dict[tuple[str, int], Link] = {}
    for link in links:
        if link.likely >= changes.SUCCEEDS and not ended & {link.old[:2], link.new[:2]} and not link.takes_back:
            other = best.get(link.old[:2])
            best[link.old[:2]] = link if other is None or link.likely > other.likely else other
    return [(Ended(link.old, link.new, link.new.at), link.likely) for link in best.values()]


def _newest(links: Sequence[Link]) -> Line:
    return max((link.new for link in links), key=lambda line: (line.at, line.key, line.line))


def _taken_back(links: Sequence[Link]) -> list[Link]:
    """Return links without those to what was cancelled: what stood before it stands again."""
    back = {(link.old[:2], link.new[:2]) for link in links if link.takes_back}
    ended = {old for old, _ in back}
    again = {(link.old[:2], by) for link in links if link.new[:2] in ended for old, by in back if old == link.new[:2]}
    stands = {old for old, _ in again}
    return [
        link
        for link in links
        if not (link.old[:2] in stands and (link.new[:2] in ended or (link.old[:2], link.new[:2]) in again))
    ]


def compared(store: Store, scope: Scope, home: Path, model: str) -> tuple[Standing, bool]:
    """Return what is known of a scope once what is new is compared, and whether more waits. Kept by the documents' hashes."""
    file = Path(places.replaced_file(str(home), scope.path) + ".links")
    before = _read(file)
    hashes = store.hashes(scope)
    kept = {key: stamp for key, stamp in before.compared.items() if hashes.get(key) == stamp}
    links = [link for link in before.links if link.old.key in kept and link.new.key in kept]
    new = sorted(hashes.keys() - kept.keys(), reverse=True)
    for entry in store.entries(scope, new[:_MOST_DOCUMENTS]):
        said, is_complete = _statements(store, entry, model)
        links += _links(store, scope, said, model)
        links += _pointing_back(said, links)
        if is_complete:
            kept[entry.document.key] = hashes[entry.document.key]
        else:  # what still waits for vectors is compared again
            links = [link for link in links if entry.document.key not in (link.old.key, link.new.key)]
    made = Standing(kept, list({(link.old[:2], link.new[:2]): link for link in links}.values()))
    if made != before:
        fs.make_private(file.parent)
        rows = [(*link.old, *link.new, round(link.likely, 3), link.takes_back) for link in made.links]
        fs.replace_private(file, json.dumps([_VERSION, made.compared, rows]))
    return made, len(new) > _MOST_DOCUMENTS


def _read(file: Path) -> Standing:
    try:
        version, kept, rows = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Standing({}, [])
    if version != _VERSION:
        return Standing({}, [])
    return Standing(kept, [Link(Line(*row[:4]), Line(*row[4:8]), row[8], row[9]) for row in rows])


def _statements(store: Store, entry: Entry, model: str) -> tuple[list[_Said], bool]:
    """Return the statements of a document, and whether all of it has vectors."""
    document = entry.document
    texts = {p.start_line: document.text[p.start : p.end] for p in entry.passages}
    vectors = _vectors(store, texts.values(), model)
    lines = document.text.split("\n")
    found = []
    for number, text in texts.items():
        if text in vectors:
            after = lines[number] if document.kind == turns.KIND and number < len(lines) else ""
            of = Line(document.key, number, places.line_check(text), _at(document))
            one = _said(of, document.kind, text, vectors[text], model, after)
            if one is not None:
                is_dated = document.kind == turns.KIND or document.valid_from is not None
                is_corrected = one.is_corrected or CORRECTED in document.metadata
                found.append(one._replace(replaces=one.replaces and is_dated, is_corrected=is_corrected))
    return found, all(text in vectors for text in texts.values())


def _vectors(store: Store, texts: Iterable[str], model: str) -> Mapping[str, bytes]:
    if not isinstance(store, VectorCopy):
        return {}
    forms = {text: text_to_embed(text) for text in texts}
    held = store.vectors_of(model, list(forms.values()))
    return {text: held[form] for text, form in forms.items() if form in held}


def _said(of: Line, kind: str, text: str, vector: bytes, model: str, after: str) -> _Said | None:
    """Return a passage as a statement; None where it states nothing. `after` is the next line of a conversation."""
    is_assistants, is_accepted = False, True
    if kind == turns.KIND:
        speaker, _, text = text.partition(": ")
        is_assistants = speaker == ASSISTANT
        if speaker not in (USER, ASSISTANT):
            return None
        if is_assistants:
            is_answered = after.startswith(f"{USER}: ") and _ACCEPTS.match(after.partition(": ")[2]) is not None
            is_accepted = is_answered and _PROPOSES.search(text) is not None
            text = _LAST_QUESTION.sub("", text).strip() or text
        likely = worth(text, vector, model)
        if "[redacted:" in text or (likely < _STATES and (is_assistants or not _POINTS_BACK.match(text))):
            return None
    elif len(text) > _LONGEST_PASSAGE or kind in (observation.TASK_KIND, observation.PATTERN_KIND):
        return None
    judged = changes.judged(text, vector, model)
    return _Said(of, judged, vector, is_accepted, is_assistants, CORRECTED_MARK in text) if judged else None


def _links(store: Store, scope: Scope, said: Sequence[_Said], model: str) -> Iterator[Link]:
    """Yield the links between statements of a document and those nearest to them, earlier and later ones."""
    if not isinstance(store, VectorSearch):
        return
    near = {
        one.line[:2]: [
            id_ for id_, _ in store.nearest(scope, VectorQuery(one.vector, model=model), Filter(), _NEIGHBOURS).ranked
        ]
        for one in said
    }
    passages = {p.id: p for p in store.passages(sorted({id_ for ids in near.values() for id_ in ids}), scope)}
    others = _neighbours(store, passages.values(), model)
    for one in said:
        for id_ in near[one.line[:2]]:
            other = others.get(id_)
            if other is not None and other.line[:2] != one.line[:2]:
                yield from _link(*((other, one) if _is_before(other.line, one.line) else (one, other)))


def _neighbours(store: Store, passages: Iterable[FoundPassage], model: str) -> dict[int, _Said]:
    passages = list(passages)
    vectors = _vectors(store, {p.text for p in passages}, model)
    documents: dict[tuple[Scope, str], Document] = {}
    for scope in {p.scope for p in passages}:
        keys = sorted({p.key for p in passages if p.scope == scope})
        documents |= {(scope, document.key): document for document in store.get(scope, keys)}
    found = {}
    for p in passages:
        document = documents.get((p.scope, p.key))
        if document is None or p.text not in vectors:
            continue
        lines = document.text.split("\n")
        after = lines[p.start_line] if p.kind == turns.KIND and p.start_line < len(lines) else ""
        of = Line(p.key, p.start_line, places.line_check(p.text), _at(document))
        one = _said(of, p.kind, p.text, vectors[p.text], model, after)
        if one is not None:
            is_dated = p.kind == turns.KIND or p.valid_from is not None
            is_corrected = one.is_corrected or CORRECTED in document.metadata
            found[p.id] = one._replace(replaces=one.replaces and is_dated, is_corrected=is_corrected)
    return found


def _at(document: Document) -> int:
    """Return when what a document says was said, in Unix seconds: by a person who corrected it, then."""
    corrected = document.metadata.get(CORRECTED)
    moment = datetime.fromisoformat(corrected) if corrected else document.valid_from or document.updated_at
    return int(moment.timestamp())


def _is_before(one: Line, other: Line) -> bool:
    return (one.at, one.key, one.line) < (other.at, other.key, other.line)


def _link(old: _Said, new: _Said) -> Iterator[Link]:
    """Yield the link between an earlier and a later statement, if there may be one; what a person corrected stands."""
    if not new.replaces or old.is_corrected:
        return
    likely = changes.replaces(old.judged, new.judged) * (_ASSISTANTS_SHARE if old.is_assistants else 1.0)
    if likely >= changes.NEWER:
        yield Link(old.line, new.line, likely, new.judged.said.cues["cancel"])


def _pointing_back(said: Sequence[_Said], links: Sequence[Link]) -> Iterator[Link]:
    """Yield links for what takes back the change before it without naming it: `그거 취소, 원래대로`."""
    by = {link.new[:2] for link in links if link.likely >= changes.NEWER}
    named = {link.new[:2] for link in links if link.likely >= changes.REPLACES}
    users = [one for one in said if not one.is_assistants]
    for place, one in enumerate(users):
        if one.line[:2] in named or not one.judged.said.cues["cancel"] or not _POINTS_BACK.match(one.judged.said.text):
            continue
        for before in reversed(users[max(0, place - _BACK) : place]):
            if before.line[:2] in by or changes.is_changing(before.judged.said.text):
                yield Link(before.line, one.line, 1.0, True)
                break
