"""The Python API: `memory = gieok.open()`, then the commands as methods with typed results.

Every method is a command; `run` calls those that have no method of their own.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from gieok.commands import NAMES, load_command
from gieok.commands.command import Command, ResultT, Surface
from gieok.commands.request import build_missing_error, check_request, run_checked_command
from gieok.errors import BadRequest, GieokError, NotIndexed, Phrase
from gieok.home.calls import open_call, rescope_call
from gieok.settings.table import find_option
from gieok.zone import find_zone

if TYPE_CHECKING:
    from datetime import datetime

    from gieok.character.memory.memory_state import Memories
    from gieok.character.memory.recollection import RecalledDocument
    from gieok.character.memory.service import Bond, CharacterService, TurnContext
    from gieok.commands.code.query import QueryResult
    from gieok.commands.memory.edit import EditResult
    from gieok.commands.memory.forget import ForgetResult
    from gieok.commands.memory.get import GetResult
    from gieok.commands.memory.hits import SearchHit
    from gieok.commands.memory.index import IndexResult
    from gieok.commands.memory.listing import ListResult
    from gieok.commands.memory.remember import RememberResult
    from gieok.commands.prompt.recall import RecallResult
    from gieok.home.resident import Resident

#: Where an error says that a wrong scope or setting stands.
_ORIGIN = "gieok.open()"

P = ParamSpec("P")
R = TypeVar("R")


class Memory:
    """The memory of one home, seen from one folder. Several threads may use it."""

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        scope: str = "auto",
        settings: Mapping[str, object] | None = None,
        zone: str = "",
        resident: "Resident | None" = None,
        has_daemon: bool = False,
    ) -> None:
        """Open a memory: see `gieok.open`.

        `resident` holds the objects that several memories share; with `has_daemon` the process may
        ask, start and stop the home's daemon. Raises BadConfig for a wrong scope or setting.
        """
        flags = {name: _format_setting_text(value) for name, value in (settings or {}).items()} | {
            "scope": scope
        }
        flags |= {"zone": zone} if zone else {}
        for name, text in flags.items():
            find_option(name, _ORIGIN).parse(text, _ORIGIN)
        self._keeps_for_user = folder is None and scope == "auto"
        self.call = open_call(
            flags,
            folder=Path(folder) if folder else None,
            resident=resident,
            has_daemon=has_daemon,
        )

    @overload
    def run(
        self, command: Command[P, ResultT], /, *args: P.args, **values: P.kwargs
    ) -> ResultT: ...
    @overload
    # `Any`, because a name does not say which type of result its command has.
    def run(self, command: str, /, **values: object) -> Any: ...  # noqa: ANN401
    def run(self, command: Command[..., Any] | str, /, *args: object, **values: object) -> Any:
        """Run a command, by its function or its name (`"archive status"`); return its typed result.

        Raises GieokError, which says what happened and the next step.
        """
        # The scopes are found anew for each call: the first record makes a folder a project.
        with _errors_in_python():
            if not isinstance(command, str):
                return run_checked_command(command, rescope_call(self.call), *args, **values)
            if command not in NAMES:
                raise _build_unknown_error(command)
            chosen = load_command(command)
            parameters = check_request(chosen, values, Surface.PYTHON)
            return chosen(rescope_call(self.call), **parameters)

    def add(
        self,
        text: str,
        *,
        category: str = "decision",
        title: str = "",
        tags: str | Sequence[str] = (),
        until: str | date = "",
    ) -> "RememberResult":
        """Keep a text, which can be found at once.

        It is kept for the project of the folder that was opened, or in the scope that was opened;
        for the user where neither was named.

        Args:
            text: what is kept; secrets in it are replaced.
            category: decision, preference, constraint, runbook, tech-debt or session-summary.
            title: the record's title; by default its first line.
            tags: words by which `search` and `list` can filter; one text may hold several, with
                commas between.
            until: the last day on which the text holds: a date, or words ("friday", "다음 주까지").

        Returns:
            RememberResult: with `handle`, `scope`, `path`, and `created`: False where it was known.

        Raises:
            BadRequest: where the text is empty, a tag is no text, or `until` is no day.

        """
        from gieok.commands.memory.remember import remember_record

        return self.run(
            remember_record,
            text=[text],
            category=category,
            title=title,
            tags=tags if isinstance(tags, str) else _join_tags(tags),
            until=_format_day(until),
            user=self._keeps_for_user,
        )

    def update(self, handle: str, text: str) -> "EditResult":
        """Correct a memory: `text` outranks what was observed or said.

        What it said before stays in its history: `memory.run("history", handle=…)`.

        Args:
            handle: the memory, by the handle of a hit or of `list`.
            text: the whole new text.

        Returns:
            EditResult: with `handle`, which is a new one for a record, `before` and `changed`.

        Raises:
            BadRequest: where the handle names no memory, or a file of the user's own, and where the
                text is empty.

        """
        from gieok.commands.memory.edit import edit_memory

        if isinstance(text, str) and not text.strip():  # a person is given an editor then
            with _errors_in_python():
                raise build_missing_error(
                    next(one for one in edit_memory.parameters if one.name == "text"),
                    Surface.PYTHON,
                )
        return self.run(edit_memory, handle=handle, text=[text])

    def search(
        self,
        query: str = "",
        *,
        limit: int = 0,
        since: str | date = "",
        until: str | date = "",
        source: str = "all",
        tag: str = "",
        agent: str = "",
        status: str = "all",
    ) -> "list[SearchHit]":
        """Return what answers a question, best first; an empty list where nothing does.

        Args:
            query: a question or words, in Korean or English; may be empty with a filter.
            limit: how many hits; 0: as many as the settings say.
            since: the first day: a date, or words ("last week", "지난주").
            until: the last day, likewise.
            source: `all`, or what is searched alone: memory, observed or sessions.
            tag: only memories with this tag.
            agent: only memories of this agent.
            status: `all`, or the memories of one status, such as current or replaced.

        Returns:
            list[SearchHit]: each with `handle`, `snippet`, `citation`, `score` and `level`.

        Raises:
            BadRequest: where a day or a filter is not understood.

        """
        from gieok.commands.memory.search import search_memory

        try:
            result = self.run(
                search_memory,
                query=[query],
                limit=limit,
                since=_format_day(since),
                until=_format_day(until),
                source=source,
                tag=tag,
                agent=agent,
                status=status,
            )
        except NotIndexed:
            return []
        return list(result.results)

    def get(self, path: str) -> "GetResult":
        """Return the text behind a hit's handle or path.

        Args:
            path: a handle, or a path with or without lines: `notes/pay.md#L3-L5`.

        Returns:
            GetResult: with `found`, False where there is no such memory, and `text`.

        """
        from gieok.commands.memory.get import get_memory_text

        return self.run(get_memory_text, path=path)

    def list(
        self,
        *,
        kind: str = "",
        since: str | date = "",
        until: str | date = "",
        limit: int = 20,
        tag: str = "",
        agent: str = "",
        status: str = "all",
    ) -> "ListResult":
        """Return memories, newest first, without a question.

        Args:
            kind: what is listed alone, such as record, observation or turn.
            since: the first day: a date, or words ("last week", "지난주").
            until: the last day, likewise.
            limit: how many.
            tag: only memories with this tag.
            agent: only memories of this agent.
            status: `all`, or the memories of one status, such as current or replaced.

        Returns:
            ListResult: with `memories`, each with `handle`, `day` and `text`.

        Raises:
            BadRequest: where a day or a filter is not understood.

        """
        from gieok.commands.memory.listing import list_memories

        return self.run(
            list_memories,
            kind=kind or "all",
            since=_format_day(since),
            until=_format_day(until),
            limit=limit,
            tag=tag,
            agent=agent,
            status=status,
        )

    def forget(
        self,
        *handles: str,
        match: str = "",
        source: str = "",
        before: str | date = "",
        dry_run: bool = False,
    ) -> "ForgetResult":
        """Forget memories for good, with their history and the messages that they were made of.

        Nothing is asked: look first with `dry_run`.

        Args:
            handles: the memories, by the handles of hits and of `list`.
            match: all that holds this text, in any case.
            source: all that came from this file, folder or transcript.
            before: all that is dated before this day: a date, or words ("2026-01-01", "yesterday").
            dry_run: forget nothing, and return what would go in `planned`.

        Returns:
            ForgetResult: `found`: whether there was anything; `planned`: a (name, text) for each
            thing that would go, of a dry run alone; `done`: what was removed from where, or None.

        Raises:
            BadRequest: where nothing is named, or a handle names no memory.

        """
        from gieok.commands.memory.forget import forget_memories

        return self.run(
            forget_memories,
            handles=[*handles],
            match=match,
            source=source,
            before=_format_day(before),
            yes=True,
            dry_run=dry_run,
        )

    def index(self, *paths: str | Path) -> "IndexResult":
        """Index folders or files of notes.

        Without paths, index the known folders again, and the transcripts that agents wrote since.
        """
        from gieok.commands.memory.index import index_memory

        return self.run(index_memory, paths=[str(path) for path in paths])

    def recall(self, prompt: str) -> "RecallResult":
        """Return the injection for an agent's prompt: `text`, and the memories in it."""
        from gieok.commands.prompt.recall import recall_memories

        return self.run(recall_memories, prompt=[prompt])

    def code(self, question: str, *, limit: int = 8) -> "QueryResult":
        """Search the code of the project in the folder (`gieok code init` first)."""
        from gieok.commands.code.query import query_code

        return self.run(query_code, query=[question], limit=limit)

    def character(
        self, user: str, character: str, *, persona: str = "", zone: str = ""
    ) -> "CharacterMemory":
        """Return the memory that a character has of a user.

        `zone` is the user's time zone, by default that of their account, else that of this memory.
        Raises BadRequest for a name that cannot be in a scope.
        """
        house = self.call.home.house
        with _errors_in_python():
            bond = house.bond(user, character)._replace(persona=persona)
            if zone:
                bond = bond._replace(zone=find_zone(zone))
            return CharacterMemory(house.memory, bond)

    def close(self) -> None:
        """Release open files and connections."""
        home = self.call.home
        home.store.close()
        home.journal.close()

    def __enter__(self) -> "Memory":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class CharacterMemory:
    """Memory that a character has of one user."""

    def __init__(self, characters: "CharacterService", bond: "Bond") -> None:
        bond.scope  # noqa: B018 - a bad name is said here, not at the first message
        self._characters = characters
        self._bond = bond

    def hear(self, text: str, *, is_user: bool = True, at: "datetime | None" = None) -> str:
        """Keep a message, learn from it, and return its id."""
        return self._characters.hear(self._bond, text, is_user=is_user, at=at)

    def context(self, text: str) -> "TurnContext":
        """Return the context of a model's reply: `text`, or persona, narrative and window apart."""
        return self._characters.context(self._bond, text)

    def search(self, text: str, limit: int = 5) -> "list[RecalledDocument]":
        """Return memories for a question, best first."""
        return self._characters.search(self._bond, text, limit)

    def memories(self) -> "Memories":
        """Return all facts, moments and episodes."""
        return self._characters.memories(self._bond)


class AsyncMemory:
    """`Memory` for a program with an event loop: each call runs in a thread."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    async def call(self, method: Callable[P, R], *values: P.args, **named: P.kwargs) -> R:
        """Call any method, such as `await memory.call(memory.memory.index, "notes")`."""
        return await asyncio.to_thread(method, *values, **named)

    async def add(
        self,
        text: str,
        *,
        category: str = "decision",
        title: str = "",
        tags: str | Sequence[str] = (),
        until: str | date = "",
    ) -> "RememberResult":
        """Call `Memory.add` in a thread."""
        return await self.call(
            self.memory.add, text, category=category, title=title, tags=tags, until=until
        )

    async def search(self, query: str, *, limit: int = 0) -> "list[SearchHit]":
        """Call `Memory.search` in a thread."""
        return await self.call(self.memory.search, query, limit=limit)

    async def recall(self, prompt: str) -> "RecallResult":
        """Call `Memory.recall` in a thread."""
        return await self.call(self.memory.recall, prompt)

    async def update(self, handle: str, text: str) -> "EditResult":
        """Call `Memory.update` in a thread."""
        return await self.call(self.memory.update, handle, text)

    async def forget(
        self,
        *handles: str,
        match: str = "",
        source: str = "",
        before: str | date = "",
        dry_run: bool = False,
    ) -> "ForgetResult":
        """Call `Memory.forget` in a thread."""
        return await self.call(
            self.memory.forget,
            *handles,
            match=match,
            source=source,
            before=before,
            dry_run=dry_run,
        )

    async def __aenter__(self) -> "AsyncMemory":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.call(self.memory.close)


def open(  # noqa: A001 - `gieok.open`
    folder: str | Path | None = None,
    *,
    scope: str = "auto",
    settings: Mapping[str, object] | None = None,
    zone: str = "",
) -> Memory:
    """Open the memory of `~/.gieok` (or `GIEOK_HOME`), seen from `folder`.

    `folder` must exist, and defaults to the working folder of the program. In a project, the memory
    is the project's with the user's own beside it; `scope` names another, such as `agent:main`.
    Where neither is named, `Memory.add` keeps for the user. `settings` are as in config.yaml, such
    as `{"search.limit": 3}`. `zone` is the person's time zone, such as `Asia/Seoul`; by default
    that of the settings, else of the machine. Raises BadConfig, and BadRequest where there is no
    such folder.
    """
    return Memory(_find_folder(folder), scope=scope, settings=settings, zone=zone)


def open_async(
    folder: str | Path | None = None,
    *,
    scope: str = "auto",
    settings: Mapping[str, object] | None = None,
    zone: str = "",
) -> AsyncMemory:
    """Open a memory as `open` does, for `async with gieok.open_async() as memory`."""
    return AsyncMemory(Memory(_find_folder(folder), scope=scope, settings=settings, zone=zone))


@contextmanager
def _errors_in_python() -> Iterator[None]:
    """Let errors name what a program calls: methods for commands, parameters for flags."""
    try:
        yield
    except GieokError as error:
        from gieok.surfaces.python_calls import name_calls  # only where something is wrong

        error.args = (name_calls(str(error), _METHODS),)
        error.hint = name_calls(error.hint, _METHODS)
        raise


def _build_unknown_error(name: str) -> BadRequest:
    """Return the error of a command that does not exist, with the name that may be meant."""
    from gieok.surfaces.bare_question import find_one_slip  # only where something is wrong

    near = find_one_slip(name, NAMES)
    hint = "did you mean {near!r}?" if near else "`gieok help` shows all"
    return BadRequest("there is no command {name!r}", name=name, near=near, hint=hint)


#: The method that runs each command that has one.
_METHODS: Mapping[str, Callable[..., Any]] = {
    "remember": Memory.add,
    "edit": Memory.update,
    "search": Memory.search,
    "get": Memory.get,
    "list": Memory.list,
    "forget": Memory.forget,
    "index": Memory.index,
    "recall": Memory.recall,
    "code query": Memory.code,
}


def _format_setting_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _find_folder(named: str | Path | None) -> Path | None:
    """Return the folder that a program named, with `~` read as the user's.

    A record would make a folder that is only misspelt. Raises BadRequest for what is no folder.
    """
    if named is None:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise BadRequest(
            "no such file or folder: {path!r}", path=str(named), hint="name one that is there"
        )
    return folder


def _join_tags(tags: Sequence[str]) -> str:
    """Return tags as the command takes them. Raises BadRequest for one that is no text."""
    for tag in tags:
        if not isinstance(tag, str):
            raise BadRequest(
                "{name} is {value}",
                name=Phrase("tags"),
                value=repr(tag),
                hint="it must be a str",
            )
    return ",".join(tags)


def _format_day(day: str | date) -> str:
    """Return a day as a command takes it: a date or a time by its date, words as they are."""
    return f"{day:%Y-%m-%d}" if isinstance(day, date) else day
