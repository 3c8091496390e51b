"""`gieok remember`: keep a record as a file of the project, and make it recallable at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok.commands.command import (
    TRUST_HINT,
    Effect,
    Parameter,
    Style,
    Surface,
    command,
    printable,
    said_on,
    waiting_words,
)
from gieok.commands.encode import Hidden, Omitted, mark_encoded_getter
from gieok.commands.last_day import parse_coming_day
from gieok.commands.memory import untrusted
from gieok.commands.memory.ownership import describe_ownership, describe_way_out
from gieok.commands.memory.records import (
    RecordShelf,
    find_record_key,
    find_record_shelf,
)
from gieok.commands.memory.shelf_changes import ShelfChange
from gieok.errors import BadRequest, StoreError
from gieok.home.call import Call
from gieok.hook import records
from gieok.hook.matches import CATEGORIES
from gieok.model.memory import Scope
from gieok.settings import grants
from gieok.text.ends import find_end
from gieok.text.handles import build_handle
from gieok.text.markdown import front_matter
from gieok.text.messages import Words
from gieok.text.private_tags import is_all_private
from gieok.text.redact.sense import redact_said

#: Most replaced statements that are shown.
_MOST_REPLACED = 3


class ReplacedStatement(NamedTuple):
    """What was kept or said before, and holds no more since the new record."""

    handle: str
    text: str


@dataclass(frozen=True, slots=True)
class RememberResult:
    """Place of the record, and what is known of it."""

    path: str
    category: str
    title: str
    scope: str
    created: Hidden[bool]
    redacted: bool
    #: False: the store did not answer, and the index follows later.
    indexed: bool
    found: Hidden[bool] = True
    #: The last day on which the record holds; left out where no day was given.
    until: Omitted[date] = None
    #: The days on which the statement was told.
    days: tuple[date, ...] = ()
    #: The record's handle; left out where the index follows later.
    handle: Omitted[str] = None
    #: What the record surely replaces, as far as words tell it.
    replaces: tuple[ReplacedStatement, ...] = ()

    @property
    @mark_encoded_getter
    def status(self) -> str:
        """Return `created`, or `known` if the record existed before."""
        return "created" if self.created else "known"


def render_remembered(result: RememberResult, style: Style) -> str:
    """Show where the record is kept."""
    headline = Words("remembered") if result.created else Words("known already")
    line = f"{headline.say(style.lang)}: {style.bold(printable(result.title))}  {result.path}"
    if len(result.days) > 1:
        line += "  " + said_on(result.days).say(style.lang)
    if result.until:
        line += "  " + style.say("until {until}", until=result.until)
    for old in result.replaces:
        replaced = style.say('replaces "{text}" ({handle})', text=old.text, handle=old.handle)
        line += "\n  " + printable(replaced)
    line += "\n  " + style.dim(printable(describe_ownership(result.scope).say(style.lang)))
    if result.handle and (way := describe_way_out(result.scope, result.handle)):
        line += "\n  " + style.dim(way.say(style.lang))
    if result.redacted:
        line += "\n  " + style.say("a secret in it was replaced")
    return line


@command(
    "remember",
    Words("Keep something: a decision, a preference, a constraint"),
    present=render_remembered,
    examples=(
        'gieok remember "We lint with ruff."',
        'gieok remember "배포는 화요일에 한다." --title "배포일" --tags 배포,ops',
        'gieok remember "Staging is read-only." --until friday',
        'gieok remember "I prefer short answers." --user --category preference',
        "gieok remember - < decision.md",
    ),
    effect=Effect.WRITE,
    takes_in=True,
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
)
def remember_record(
    call: Call,
    *,
    text: Annotated[
        Sequence[str],
        Parameter(
            Words("what to keep"),
            positional=True,
            needed='gieok remember "…"',
            takes_stdin=True,
        ),
    ] = (),
    category: Annotated[
        str, Parameter(Words("what kind of memory it is"), choices=CATEGORIES)
    ] = "decision",
    title: Annotated[str, Parameter(Words("a title (default: the first line)"))] = "",
    tags: Annotated[str, Parameter(Words("words to find it by, joined by commas"))] = "",
    until: Annotated[
        str,
        Parameter(
            Words("the last day on which it holds, such as `friday` (default: what the text says)")
        ),
    ] = "",
    user: Annotated[bool, Parameter(Words("for you, not for the project you are in"))] = False,
) -> RememberResult:
    """Write the file, index it, and read it back."""
    raw_texts = (" ".join(text), title, tags)
    redacted_text, redacted_title, redacted_tags = map(redact_said, raw_texts)
    if is_all_private(redacted_text):
        raise BadRequest(
            "all of it is marked as private",
            hint="what is to be remembered stands outside of the mark",
        )
    record_shelf = find_record_shelf(call, user=user)
    if record_shelf.is_project:
        grants.check_home_outside_project(call.home.folder, str(record_shelf.base.parent))
    last_day = _last_day(call, until, redacted_text)
    now = call.clock.now()
    today = now.astimezone(call.zone).date()
    record = records.make(
        category,
        redacted_title,
        redacted_text,
        redacted_tags.replace("\n", ",").split(","),
        now,
        last_day,
        today,
    )
    with ShelfChange(call, record_shelf) as change:
        with record_shelf.lock(call.home.folder):
            saved = records.save_record(
                record_shelf.base,
                record,
                is_known=lambda known: grants.TrustJudge(call.home.folder).admits(
                    known.read_bytes(), known
                ),
            )
            file = saved.file
            if record_shelf.is_project:
                _trust_new_record(call, record_shelf, file)
        indexed = change.follow()
    key = find_record_key(call, record_shelf, file) if indexed else None
    if indexed and not key:
        raise StoreError(
            "{file!r} was written, but is not in the index",
            file=record_shelf.shown(file),
            hint="run `gieok doctor`",
        )
    return RememberResult(
        path=record_shelf.shown(file),
        category=file.parent.name,
        title=record.title if saved.is_new else _title_of(file, record.title),
        scope=str(record_shelf.scope),
        created=saved.is_new,
        redacted=(redacted_text, redacted_title, redacted_tags) != raw_texts,
        indexed=indexed,
        until=_read_last_day(file),
        days=saved.days,
        handle=build_handle(record_shelf.scope.path, key) if key else None,
        replaces=_list_replaced(call, record_shelf.scope, key) if key and saved.is_new else (),
    )


def _list_replaced(call: Call, scope: Scope, key: str) -> tuple[ReplacedStatement, ...]:
    """Return what a new record surely replaces in its scope."""
    # A text that was known already needs none of this.
    from gieok.memory.talk.claims.comparison import list_replaced
    from gieok.memory.talk.pair_judge import PairJudge

    store = call.home.store
    found = list_replaced(store, scope, key, PairJudge(None))
    texts = {old.key: old.text for old in store.get(scope, sorted({one.key for one in found}))}
    statements = {}
    for old in found[:_MOST_REPLACED]:
        line = texts[old.key].split("\n")[old.line - 1]
        handle = build_handle(scope.path, old.key, old.line)
        statements[handle] = ReplacedStatement(handle, line[old.start : old.start + old.length])
    return tuple(statements.values())


def _read_last_day(file: Path) -> date | None:
    """Return the last day that a record has; a rule that was told again keeps its own."""
    text = file.read_text(encoding="utf-8", errors="replace")
    try:
        return date.fromisoformat(front_matter(text).fields.get("until", ""))
    except ValueError:
        return None


def _title_of(file: Path, title: str) -> str:
    """Return the title of an existing record."""
    return (
        front_matter(file.read_text(encoding="utf-8", errors="replace")).fields.get("title")
        or title
    )


def _last_day(call: Call, words: str, text: str) -> date | None:
    """Return the last day that `words` name; without words, the last day that the text states.

    Raises BadRequest where the day is past, or is no day.
    """
    today = call.clock.now().astimezone(call.zone).date()
    if not words.strip():
        stated = find_end(text, today)
        return stated.last if stated else None
    return parse_coming_day(words, today)


def _trust_new_record(call: Call, kept: RecordShelf, file: Path) -> None:
    """Trust a record that the user wrote.

    Where the home is read-only, the record waits for trust like a record that came with the
    project.
    """
    try:
        untrusted.grant_record_trust(call.home.folder, kept.base, file)
    except OSError as error:
        call.tell(f"{error}: {waiting_words(1).say(call.lang)} ({TRUST_HINT})")
