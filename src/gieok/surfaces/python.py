"""The Python API: `memory = gieok.open()`, then the commands as methods with typed results.

Every method is an operation; `run` calls those that have no method of their own.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from gieok.commands import load_command
from gieok.commands.command import Surface
from gieok.commands.request import check_request
from gieok.errors import NotIndexed
from gieok.home.calls import open_call, rescope_call
from gieok.zone import find_zone

if TYPE_CHECKING:
    from datetime import date, datetime

    from gieok.character.memory.memory_state import Memories
    from gieok.character.memory.recollection import RecalledDocument
    from gieok.character.memory.service import Bond, CharacterService, TurnContext
    from gieok.commands.code.query import QueryResult
    from gieok.commands.memory.forget import ForgetResult
    from gieok.commands.memory.get import GetResult
    from gieok.commands.memory.hits import SearchHit
    from gieok.commands.memory.index import IndexResult
    from gieok.commands.memory.listing import ListResult
    from gieok.commands.memory.remember import RememberResult
    from gieok.commands.prompt.recall import RecallResult
    from gieok.home.resident import Resident

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
    ) -> None:
        """Open a memory: see `gieok.open`.

        `resident` holds the objects that several memories share.
        """
        flags = {name: _format_setting_text(value) for name, value in (settings or {}).items()} | {
            "scope": scope
        }
        flags |= {"zone": zone} if zone else {}
        self.context = open_call(flags, folder=Path(folder) if folder else None, resident=resident)

    # `Any`, because each operation has its own type of result.
    def run(self, name: str, **values: object) -> Any:  # noqa: ANN401
        """Run an operation by its command's name (`"archive status"`); return its typed result.

        Raises GieokError, which says what happened and the next step.
        """
        command = load_command(name)
        # The scopes are found anew for each call: the first record makes a folder a project.
        parameters = check_request(command, values, Surface.CLI)
        return command(rescope_call(self.context), **parameters)

    def add(
        self,
        text: str,
        *,
        category: str = "decision",
        title: str = "",
        tags: Sequence[str] = (),
        until: "str | date" = "",
    ) -> "RememberResult":
        """Keep a text, which can be found at once; `category` as of `gieok remember`.

        `until`: the last day on which the text holds, as a date or in words ("friday", "다음 주까지").
        Raises BadRequest where `until` is no day.
        """
        result: RememberResult = self.run(
            "remember",
            text=text,
            category=category,
            title=title,
            tags=",".join(tags),
            until=str(until),
        )
        return result

    def search(
        self,
        query: str = "",
        *,
        limit: int = 0,
        since: str = "",
        until: str = "",
        source: str = "all",
        tag: str = "",
        agent: str = "",
        status: str = "all",
    ) -> "list[SearchHit]":
        """Return the lines that answer `query`, best first; none where nothing was kept yet.

        Days and filters as of `gieok search`.
        """
        filters = {"tag": tag, "agent": agent, "status": status}
        try:
            result = self.run(
                "search",
                query=query,
                limit=limit,
                since=since,
                until=until,
                source=source,
                **filters,
            )
        except NotIndexed:
            return []
        return list(result.results)

    def get(self, path: str) -> "GetResult":
        """Return the text behind a hit's handle or path."""
        result: GetResult = self.run("get", path=path)
        return result

    def list(
        self,
        *,
        kind: str = "",
        since: str = "",
        until: str = "",
        limit: int = 20,
        tag: str = "",
        agent: str = "",
        status: str = "all",
    ) -> "ListResult":
        """Return documents, newest first; filters as of `gieok list`."""
        filters = {"tag": tag, "agent": agent, "status": status} | ({"kind": kind} if kind else {})
        result: ListResult = self.run("list", since=since, until=until, limit=limit, **filters)
        return result

    def forget(self, *handles: str, match: str = "") -> "ForgetResult":
        """Forget the documents with these handles, or those that contain `match`.

        This is final, and nothing is asked.
        """
        result: ForgetResult = self.run("forget", handles=[*handles], match=match, yes=True)
        return result

    def index(self, *paths: str | Path) -> "IndexResult":
        """Index folders or files of notes.

        Without paths, index the known folders again, and the transcripts that agents wrote since.
        """
        result: IndexResult = self.run("index", paths=[str(path) for path in paths])
        return result

    def recall(self, prompt: str) -> "RecallResult":
        """Return the injection for an agent's prompt: `text`, and the memories in it."""
        result: RecallResult = self.run("recall", prompt=prompt)
        return result

    def code(self, question: str, *, limit: int = 8) -> "QueryResult":
        """Search the code of the project in the folder (`gieok code init` first)."""
        result: QueryResult = self.run("code query", query=question, limit=limit)
        return result

    def character(
        self, user: str, character: str, *, persona: str = "", zone: str = ""
    ) -> "CharacterMemory":
        """Return the memory that a character has of a user.

        `zone` is the user's time zone, by default that of this memory. Raises BadRequest for a name
        that cannot be in a scope.
        """
        from gieok.character.memory.service import Bond

        where = find_zone(zone) if zone else self.context.zone
        return CharacterMemory(
            self.context.home.house.memory, Bond(user, character, persona, where)
        )

    def close(self) -> None:
        """Release open files and connections."""
        home = self.context.home
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
        tags: Sequence[str] = (),
        until: "str | date" = "",
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

    async def forget(self, *handles: str) -> "ForgetResult":
        """Call `Memory.forget` in a thread."""
        return await self.call(self.memory.forget, *handles)

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

    `folder` defaults to the working folder of the program. In a project, the memory is the
    project's with the user's own beside it; `scope` names another, such as `agent:main`. `settings`
    are as in config.yaml, such as `{"search.limit": 3}`. `zone` is the person's time zone, such as
    `Asia/Seoul`; by default that of the settings, else of the machine. Raises BadConfig.
    """
    return Memory(folder, scope=scope, settings=settings, zone=zone)


def open_async(
    folder: str | Path | None = None, *, scope: str = "auto", zone: str = ""
) -> AsyncMemory:
    """Open a memory as `open` does, for `async with gieok.open_async() as memory`."""
    return AsyncMemory(Memory(folder, scope=scope, zone=zone))


def _format_setting_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
