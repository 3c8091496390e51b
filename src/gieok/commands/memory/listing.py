"""`gieok list`: the memories of a scope: what was learned, then notes, each newest first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, NamedTuple

from gieok.commands.absence import absence, gap_lines
from gieok.commands.command import (
    STATUSES,
    Parameter,
    Style,
    Surface,
    command,
    printable,
    said_on,
    tier_words,
)
from gieok.commands.encode import Hidden, Omitted
from gieok.commands.memory import away, behind, filters, gaps, handles, newest, restatements, search
from gieok.commands.memory.away import Away
from gieok.commands.memory.handles import KINDS, NOTE, OBSERVATION, RECORD, TURN
from gieok.commands.memory.restatements import RowStatement
from gieok.commands.memory.search import file_of, span_of_days
from gieok.commands.scope_names import name_scopes
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.hook.records import own_text
from gieok.hook.validity import SAID_EARLIER, Standing
from gieok.memory.files import read, roots
from gieok.memory.observation import PREFIX
from gieok.model.memory import Document, Scope, Tier
from gieok.model.retrieval import Filter, FoundPassage
from gieok.places.scope import SESSIONS
from gieok.ports.store import Store
from gieok.ranking import timeline
from gieok.ranking.recall import first_answer
from gieok.text.assent import is_small_talk
from gieok.text.handles import build_handle
from gieok.text.keywords import fold_for_search
from gieok.text.markdown import flatten_markdown, front_matter
from gieok.text.messages import Words
from gieok.text.turns import USER

_MOST = 10_000
#: Passages that are looked at first, for each that is to be shown, and how many times more where
#: that was not enough.
_LOOKED_AT, _LOOKED_AT_GROWS = 20, 8
_TALK = frozenset(("turn", "session"))
_EVERYTHING = 1 << 30
_TEXT_CHARS = 160
#: What was learned or kept, apart from notes and from what was merely said.
LEARNED = "learned"
_KINDS_OF = {
    "all": frozenset(KINDS),
    LEARNED: frozenset((OBSERVATION, RECORD)),
    **{kind: frozenset((kind,)) for kind in KINDS},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """Parameters of `gieok list`."""

    words: Sequence[str]
    kind: str
    since: str
    until: str
    limit: int
    narrowing: filters.Narrowing
    tier: str
    everywhere: bool


class ListedMemory(NamedTuple):
    """Memory, or a line of a conversation; `path` is what `gieok get` takes too."""

    handle: str
    day: date
    kind: str
    status: str
    scope: Scope
    text: str
    path: str
    tier: Tier
    #: Absolute path of the file on disk; left out for a memory without a file of its own.
    file: Omitted[str] = None
    #: Days on which the memory was said, in order; left out for a single day.
    said_on: Omitted[tuple[date, ...]] = None
    #: Handles of memories that say the same, and have no row of their own here.
    same_as: Omitted[tuple[str, ...]] = None
    #: Category of an observation or record; '' for others.
    category: Hidden[str] = ""
    #: What became of single sentences of the memory, where the rest stands.
    ended_parts: Omitted[str] = None
    ended_words: Hidden[tuple[Words, ...]] = ()
    #: What was said later on the subject of the memory, and on which day: the memory may hold or
    #: not.
    said_later: Omitted[str] = None
    said_later_on: Omitted[date] = None


class ListResult(NamedTuple):
    """Learned and kept memories, then notes, each newest first.

    `more`: there are more than was asked for.
    """

    memories: tuple[ListedMemory, ...]
    more: bool
    #: Places that were not searched; left out where every place was searched, and, where the list
    #: has rows, limited to gaps that cost no look.
    not_looked_at: Omitted[tuple[Words, ...]] = None

    @property
    def found(self) -> bool:
        """True where there is anything."""
        return bool(self.memories)


class _Item(NamedTuple):
    """Document, or with `line` one of its lines, before rendering.

    With a `title`, `text` is a passage, of which a row shows the headline.
    """

    at: datetime
    scope: Scope
    key: str
    line: int
    text: str
    title: str | None = None


def render_memory_list(result: ListResult, style: Style) -> str:
    """Show a line for each memory, under its day."""
    lines: list[str] = []
    day = None
    names = name_scopes({str(row.scope) for row in result.memories}, style.lang)
    for row in result.memories:
        if row.day != day:
            day = row.day
            lines.append(style.bold(day.isoformat()))
        facts = [_KIND_WORDS[row.kind].say(style.lang), printable(names[str(row.scope)])]
        facts += [STATUSES[row.status].say(style.lang)] if row.status != "stands" else []
        facts += [words.say(style.lang) for words in row.ended_words]
        if row.said_later is not None:
            facts.append(style.say(SAID_EARLIER, day=row.said_later_on, handle=row.said_later))
        facts += tier_words(row.tier, style)
        facts += [said_on(row.said_on).say(style.lang)] if row.said_on else []
        text = style.memory(row.text, is_spoken=row.kind == "turn")
        lines.append(f"  {row.handle:<12} {text}  {style.dim(', '.join(facts))}")
    if not lines:
        nothing = Words("Nothing is remembered here that fits.")
        return absence(nothing, result.not_looked_at, style)
    if result.more:
        lines.append(style.dim(style.say("  … more: --limit, --since, --until")))
    lines += gap_lines(result.not_looked_at, style)
    return "\n".join(lines)


@command(
    "list",
    Words(
        "List memories, the newest first, each with its handle; what was learned comes before notes"
    ),
    present=render_memory_list,
    examples=(
        "gieok list",
        'gieok list --kind observation --since "last week"',
        "gieok list refund",
    ),
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
)
def list_memories(
    call: Call,
    *,
    words: Annotated[
        Sequence[str], Parameter(Words("only what holds this text, in any case"), positional=True)
    ] = (),
    kind: Annotated[
        str,
        Parameter(
            Words(
                "only this kind; turns of conversations by line; learned: observations and records"
            ),
            choices=tuple(_KINDS_OF),
        ),
    ] = "all",
    since: Annotated[str, Parameter(Words("only what is dated on or after this day"))] = "",
    until: Annotated[str, Parameter(Words("only what is dated on or before this day"))] = "",
    limit: Annotated[int, Parameter(Words("how many, the newest (0: all)"))] = 20,
    tag: Annotated[str, Parameter(filters.TAG)] = "",
    agent: Annotated[str, Parameter(filters.AGENT)] = "",
    category: Annotated[str, Parameter(filters.CATEGORY)] = "",
    priority: Annotated[str, Parameter(filters.PRIORITY)] = "",
    status: Annotated[
        str,
        Parameter(
            Words("only what is so now; retired: what is put away"), choices=("all", *STATUSES)
        ),
    ] = "all",
    tier: Annotated[
        str, Parameter(Words("only what is kept there"), choices=("all", *Tier), cli_only=True)
    ] = "all",
    everywhere: Annotated[
        bool, Parameter(Words("of every scope but those of characters"), cli_only=True)
    ] = False,
) -> ListResult:
    """Return the memories in the scopes of the call."""
    request = ListRequest(
        words=words,
        kind=kind,
        since=since,
        until=until,
        limit=limit,
        narrowing=filters.Narrowing(
            tag=tag, agent=agent, status=status, category=category, priority=priority
        ),
        tier=tier,
        everywhere=everywhere,
    )
    if not 0 <= request.limit <= _MOST:
        raise BadRequest(
            "limit is {limit}", limit=request.limit, most=_MOST, hint="0 (all) to {most:,}"
        )
    late = behind.caught_up(call, use_vectors=False)
    listed, silent = first_answer(
        call.home.stores.all(), lambda store: _list_store_memories(call, request, store)
    )
    missed = (gaps.gap_of_error(silent) if silent else None, late.words() if late else None)
    every = (*filter(None, missed), *(listed.not_looked_at or ()))
    return listed._replace(not_looked_at=every or None)


def _list_store_memories(call: Call, request: ListRequest, store: Store) -> ListResult:
    limit = request.limit or _EVERYTHING
    where = _build_list_filter(call, request)
    rows: list[ListedMemory] = []
    scopes = search.list_owned_scopes(store) if request.everywhere else call.scopes
    if request.narrowing.status == "retired":
        return _with_gaps(
            _list_retired_memories(call, request, scopes), call, request, store, scopes
        )
    # A few hundred notes of today would leave no room for what was learned: their files are looked
    # at apart.
    parts = (
        [
            where._replace(without=where.without | {read.KIND}),
            where._replace(kinds=frozenset((read.KIND,))),
        ]
        if request.kind in ("all", LEARNED)
        else [where]
    )
    for scope in scopes:
        for part in parts:
            rows += _of_scope(call, request, store, scope, part, limit + 1)
    rows.sort(key=lambda row: row.day, reverse=True)  # stable: within a day as each scope has them
    rows.sort(key=lambda row: row.kind == NOTE)
    return _with_gaps(
        ListResult(tuple(rows[:limit]), len(rows) > limit), call, request, store, scopes
    )


def _with_gaps(
    found: ListResult,
    call: Call,
    request: ListRequest,
    store: Store,
    scopes: tuple[Scope, ...],
) -> ListResult:
    """Return a list; an empty list gets the places that were not searched."""
    if found.memories:
        return found
    since, until = span_of_days(call, request.since), span_of_days(call, request.until)
    left_out = gaps.gaps_of_filter(
        since,
        until,
        kind=request.kind,
        tier=request.tier,
        **request.narrowing.describe_filters(),
    )
    return found._replace(not_looked_at=(*left_out, *gaps.gaps_of_memory(call, store, scopes)))


def _list_retired_memories(
    call: Call, request: ListRequest, scopes: tuple[Scope, ...]
) -> ListResult:
    """Return the retired memories, last retired first; a day means the day of retirement."""
    search_text, where = (
        fold_for_search(" ".join(request.words).strip()),
        _build_list_filter(call, request),
    )
    rows = [
        ListedMemory(
            handle=memory.handle,
            day=datetime.fromisoformat(memory.at).astimezone(call.zone).date(),
            kind=memory.kind,
            status="retired",
            scope=memory.scope,
            text=_shorten_listed_text(memory.text),
            path=memory.key,
            tier=Tier.HOT,
        )
        for memory in away.list_away_memories(call, scopes)
        if search_text in fold_for_search(memory.text) and _is_of_filter(memory, where)
    ]
    rows = [row for row in rows if _is_row_wanted(call, request, row)]
    limit = request.limit or _EVERYTHING
    return ListResult(tuple(rows[:limit]), len(rows) > limit)


def _is_of_filter(one: Away, where: Filter) -> bool:
    """Return whether a retired memory, which is in no store, has the filter's tags and agents."""
    fields = one.document.metadata if one.document else {}
    if one.file is not None:
        fields = front_matter(one.file.read_text(encoding="utf-8", errors="replace")).fields
    return where.admits_metadata(one.key, fields)


def _build_list_filter(call: Call, request: ListRequest) -> Filter:
    since, until = span_of_days(call, request.since), span_of_days(call, request.until)
    where = Filter(
        _TALK if request.kind == TURN else frozenset(),
        without=_TALK if request.kind == LEARNED else frozenset(),
        # Half a day more on each side: days are those of the user's zone, and a note's is that of
        # its name.
        since=datetime.combine(since.first, time(), UTC) - timedelta(hours=14) if since else None,
        until=datetime.combine(until.last, time(), UTC) + timedelta(days=1, hours=14)
        if until
        else None,
    )
    return request.narrowing.narrow_filter(call, where)


def _of_scope(
    call: Call, request: ListRequest, store: Store, scope: Scope, where: Filter, limit: int
) -> list[ListedMemory]:
    """Return at least `limit` rows of a scope, if there are so many, notes behind the rest."""
    known = roots.load_roots(store, scope)
    if where.kinds != {read.KIND}:
        return _list_newest_rows(call, request, store, scope, where, known, limit)
    # Records lie among the notes of a scope, by the day on which they were made: they are read
    # apart, so that only so many notes are looked at as are shown.
    shelves = [root for root in known if handles.is_shelf(root, str(call.home.folder))]
    records_of_scope = _read_shelf_documents(store, scope, shelves, where)
    items = list(_iter_record_items(records_of_scope.values(), request))
    rows = _list_rows(call, request, items, records_of_scope, known)[:limit]
    if request.kind != LEARNED and len(rows) < limit:
        room = limit - len(rows)
        rows += _list_newest_rows(call, request, store, scope, where, known, room, apart=shelves)
    return rows


def _list_newest_rows(
    call: Call,
    request: ListRequest,
    store: Store,
    scope: Scope,
    where: Filter,
    known: list[roots.Root],
    limit: int,
    *,
    apart: Sequence[roots.Root] = (),
) -> list[ListedMemory]:
    """Return the rows of the newest documents that a filter admits, without those that lie `apart`.

    A word may stand in thousands of notes: passages and documents are read, and their statements
    compared, only as far as the rows go.
    """
    looked_at = limit * _LOOKED_AT if limit <= _MOST else _EVERYTHING
    while True:
        ids = store.within(scope, where, looked_at)
        items = [
            item
            for item in _iter_listed_items(store.passages(ids, scope), request)
            if not any(root.owns(item.key) for root in apart)
        ]
        documents = {d.key: d for d in store.get(scope, list({item.key for item in items}))}
        rows = _list_rows(call, request, items, documents, known)
        if len(rows) >= limit or len(ids) < looked_at:
            return rows[:limit]
        looked_at *= _LOOKED_AT_GROWS


def _list_rows(
    call: Call,
    request: ListRequest,
    items: Iterable[_Item],
    documents: Mapping[str, Document],
    known: list[roots.Root],
) -> list[ListedMemory]:
    """Return the rows of the items that fit, in their order, notes last."""
    standing = newest.open_standing(call)
    shown = [
        (item, _build_listed_row(call, item, documents[item.key], known, standing))
        for item in items
        if item.key in documents
    ]
    shown = [pair for pair in shown if _is_row_wanted(call, request, pair[1])]
    return sorted(_fold_listed_rows(shown, documents), key=lambda row: row.kind == NOTE)


def _read_shelf_documents(
    store: Store, scope: Scope, shelves: Sequence[roots.Root], where: Filter
) -> dict[str, Document]:
    """Return the records of a scope by key, without a look at the notes beside them."""
    if not shelves:
        return {}
    keys = [key for key in store.hashes(scope) if any(root.owns(key) for root in shelves)]
    return {document.key: document for document in store.get(scope, keys) if where.admits(document)}


def _iter_record_items(documents: Iterable[Document], request: ListRequest) -> Iterator[_Item]:
    """Yield an item for each record that holds the wanted text, the newest first."""
    search_text = fold_for_search(" ".join(request.words).strip())
    for document in sorted(documents, key=lambda one: one.said_at, reverse=True):
        text = own_text(document.text)
        if search_text not in fold_for_search(f"{document.title}\n{document.key}\n{text}"):
            continue
        title = document.title.rpartition(" > ")[2]
        has_title = not title or title.removesuffix("…") in text
        yield _Item(
            at=document.said_at,
            scope=document.scope,
            key=document.key,
            line=0,
            text=text if has_title else f"{title}: {text}",
        )


def _fold_listed_rows(
    shown: list[tuple[_Item, ListedMemory]], documents: Mapping[str, Document]
) -> list[ListedMemory]:
    """Return rows with equal statements folded into one row, with all its days."""

    def statement(pair: tuple[_Item, ListedMemory]) -> RowStatement:
        item, row = pair
        document = documents[item.key]
        whole = item.text if item.line else document.text[front_matter(document.text).end :]
        days = restatements.list_told_days(document, row.day)
        return RowStatement(
            restatements.spoken_text(whole), days, row.handle, f"{row.kind} {row.status}"
        )

    return [
        row._replace(
            said_on=folded.days if len(folded.days) > 1 else None, same_as=folded.handles or None
        )
        for (_, row), folded in restatements.fold_restatements(shown, statement)
    ]


def _iter_listed_items(passages: list[FoundPassage], request: ListRequest) -> Iterator[_Item]:
    """Yield each document once, by its first passage that fits.

    Turns are yielded by line, the last first, where lines of turns are asked for.
    """
    search_text = fold_for_search(" ".join(request.words).strip())
    shown = set[str]()
    block: list[_Item] = []
    for p in passages:
        is_talk = p.key.startswith(f"{SESSIONS}/")
        if block and block[0].key != p.key:
            yield from reversed(block)
            block = []
        if search_text not in fold_for_search(
            f"{p.title}\n{p.context}\n{p.key}\n{p.text}" if not is_talk else p.text
        ):
            continue
        by_line = is_talk and (request.kind == TURN or bool(search_text))
        item = _Item(
            at=p.said_at,
            scope=p.scope,
            key=p.key,
            line=p.start_line if by_line else 0,
            text=p.text,
        )
        if by_line:
            block.append(item)
        elif p.key not in shown:
            shown.add(p.key)
            yield item._replace(title=p.title.rpartition(" > ")[2])
    yield from reversed(block)


def _find_spoken_headline(item: _Item, document: Document) -> str:
    """Return the first words of the user in a block of turns that say something; '' for none."""
    if item.line or not item.key.startswith(f"{SESSIONS}/"):
        return ""
    said = (line for line in document.text.split("\n") if line.startswith(f"{USER}: "))
    return next((line for line in said if not is_small_talk(line.partition(": ")[2])), "")


def _format_headline(item: _Item) -> str:
    """Return the headline of a passage, its title and its first words; another text as it is."""
    if item.title is None:
        return item.text
    if item.key.startswith((PREFIX, f"{SESSIONS}/")):
        return item.text.lstrip("# ")
    text, title = flatten_markdown(item.text), item.title
    return text if not title or title.removesuffix("…") in item.text else f"{title}: {text}"


def _standing_status(call: Call, document: Document, item: _Item, standing: Standing) -> str:
    """Return the status of a memory that nothing ended.

    Only a memory that took the place of another statement is `current`.
    """
    status = handles.find_memory_status(document, call.clock.now(), item.line)
    has_won = status == "stands" and standing.won([], str(item.scope), item.key, item.line or 1)
    return "current" if has_won else status


def _build_listed_row(
    call: Call, item: _Item, document: Document, known: list[roots.Root], standing: Standing
) -> ListedMemory:
    path = roots.display(known, item.key)
    place = _find_claim_place(item, document)
    parts = standing.claims(*place) if place else []
    ended = next((part for part in parts if part.is_whole), None)
    later = standing.find_later_statement(*place) if place and not parts else None
    return ListedMemory(
        handle=build_handle(item.scope.path, item.key, item.line),
        day=timeline.day_of_moment(document.valid_from, document.updated_at, call.zone),
        kind=handles.kind_of(document, known, str(call.home.folder)),
        status=ended.name if ended else _standing_status(call, document, item, standing),
        scope=item.scope,
        text=_shorten_listed_text(_find_spoken_headline(item, document) or _format_headline(item)),
        path=f"{path}#L{item.line}" if item.line else path,
        tier=document.tier,
        file=file_of(document),
        category=document.metadata.get("category", ""),
        ended_parts=newest.spoken_parts(parts) or None if ended is None else None,
        ended_words=newest.describe_parts(parts) if ended is None else (),
        said_later=later.handle if later else None,
        said_later_on=datetime.fromtimestamp(later.at, call.zone).date() if later else None,
    )


def _find_claim_place(item: _Item, document: Document) -> tuple[str, str, int, str] | None:
    """Return the scope, key, line and text by which claims of a row are recorded.

    None for a block of several turns: its claims are those of its lines.
    """
    scope = str(item.scope)
    if item.line:
        return scope, item.key, item.line, item.text
    if not item.key.startswith(f"{SESSIONS}/"):
        return scope, item.key, 1, document.text
    said = [(n, line) for n, line in enumerate(document.text.split("\n"), start=1) if line]
    return (scope, item.key, *said[0]) if len(said) == 1 else None


def _shorten_listed_text(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _TEXT_CHARS else f"{text[: _TEXT_CHARS - 1]}…"


def _is_row_wanted(call: Call, request: ListRequest, row: ListedMemory) -> bool:
    since, until = span_of_days(call, request.since), span_of_days(call, request.until)
    return (
        row.kind in _KINDS_OF[request.kind]
        and request.narrowing.admits_status(row.status)
        and request.tier in ("all", row.tier)
        and (since is None or row.day >= since.first)
        and (until is None or row.day <= until.last)
    )


_KIND_WORDS = {
    "observation": Words("observation"),
    "record": Words("record"),
    "turn": Words("turn"),
    "note": Words("note", about="a kind of memory"),
}
