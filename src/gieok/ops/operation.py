"""What an operation is: declared once, and every surface is made from the declaration."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from gieok import fs
from gieok.ops.context import Context
from gieok.text.messages import Words, translate

#: What a person does about what waits for their trust.
TRUST_HINT = "`gieok trust --show`, `gieok trust`"
#: All but tab and newline.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


#: What holds of a memory (`model.memory.status_of`), for people.
STATUSES = {
    "stands": Words("stands"),
    "current": Words("current"),
    "replaced": Words("replaced"),
    "ended": Words("ended"),
    "done": Words("done"),
    "corrected": Words("corrected"),
    "retired": Words("put away"),
}

#: Tiers that memories are archived in.
TIERS = {
    "warm": Words("archived: warm"),
    "cold": Words("archived: cold"),
}


def full_disk_words(home: Path) -> Words:
    """Return what a person is told whose disk is full."""
    room = Words("; `gieok forget` has room put aside")
    return Words.of(
        "no space left on the disk of {home}: what is there is found, nothing new is kept; free "
        "some{room}",
        home=home,
        room=room if (home / fs.RESERVE).exists() else "",
    )


def waiting_words(records: int, *, has_settings: bool = False) -> Words:
    """Return how much waits."""
    files = Words.of("{count} memory file", plural="{count} memory files", count=records)
    what = Words("settings")
    if records:
        what = Words.of("{files} and settings", files=files) if has_settings else files
    if records == 1 and not has_settings:
        return Words.of("{what} of this project waits for you to trust", what=what)
    return Words.of("{what} of this project wait for you to trust", what=what)


def said_on(days: Sequence[date]) -> Words:
    """Return on how many days something was said, and the last of them."""
    count, last = len(set(days)), max(days)
    return Words.of("said on {count} days, last {last}", count=count, last=last)


def printable(text: str) -> str:
    """Return `text` without what a terminal obeys: memory is data, also where a person reads it."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


class Surface(Enum):
    """Where an operation can be called."""

    CLI = "cli"
    MCP = "mcp"
    #: Every operation is called there but those of `surfaces.http.operations.ELSEWHERE`.
    HTTP = "http"
    #: The prompt hook, which calls `recall` and answers by itself where no daemon does.
    HOOK = "hook"


class Effect(StrEnum):
    """What calling it does to stored data."""

    READ = "read"
    WRITE = "write"
    #: Takes something away that the caller cannot bring back by another call.
    DESTROY = "destroy"


class Result(Protocol):
    """What a handler returns: a record that `gieok.ops.encode` reads, and that says whether there
    is anything in it.
    """

    @property
    def found(self) -> bool:
        """False where the command found nothing: exit status 1."""


class Style(NamedTuple):
    """How text may look where it is shown."""

    lang: str
    colour: bool
    #: Source is shown byte for byte: a machine reads it, and no terminal obeys it.
    verbatim: bool = False
    #: Where the reader stands, and their home folder.
    folder: str = ""
    user: str = ""

    def say(self, template: str, about: str = "", plural: str = "", **values: object) -> str:
        """Return a message in the reader's language; see `gieok.text.messages`."""
        return translate(template, self.lang, values, about=about, plural=plural)

    def told(self, text: str) -> str:
        """Return a text that was said in English, such as an error's, in the reader's language."""
        if self.lang != "ko":
            return text
        from gieok.text.korean import in_language

        return in_language(text, self.lang)

    def bold(self, text: str) -> str:
        """Return `text` in bold where the place can show it."""
        return f"\033[1m{text}\033[0m" if self.colour else text

    def dim(self, text: str) -> str:
        """Return `text` dimmed where the place can show it."""
        return f"\033[2m{text}\033[0m" if self.colour else text

    def marked(self, text: str, question: str) -> str:
        """Return `text` with the words of a question marked where the place can show it."""
        if not self.colour or not question:
            return text
        from gieok.text.marks import split_at_question_words  # only where there is a terminal

        return "".join(
            f"\033[1;31m{p}\033[0m" if i % 2 else p
            for i, p in enumerate(split_at_question_words(text, question))
        )

    def path(self, path: str) -> str:
        """Return an absolute path as the reader would write it: from where they stand, else from
        their home folder.
        """
        for folder, start in ((self.folder, ""), (self.user, "~/")):
            if folder and path.startswith(f"{folder.rstrip('/')}/"):
                return start + path[len(folder.rstrip("/")) + 1 :]
        return path


def tier_words(tier: str, style: Style) -> list[str]:
    """Return which tier a memory is archived in, for people; nothing for hot."""
    words = TIERS.get(tier)
    return [words.say(style.lang)] if words else []


RequestT = TypeVar("RequestT")
ResultT = TypeVar("ResultT", bound=Result)


@dataclass(frozen=True, slots=True)
class Operation(Generic[RequestT, ResultT]):
    """One thing that Gieok does."""

    name: str
    handler: Callable[[Context, RequestT], ResultT]
    present: Callable[[ResultT, Style], str]
    doc: Words
    effect: Effect = Effect.READ
    surfaces: frozenset[Surface] = frozenset((Surface.CLI,))
    #: Runs although a setting is wrong, without it, and tells of it itself
    #: (`Context.config_troubles`).
    forgives_config: bool = False
    #: It takes something into memory that somebody says or wrote: not while that is paused, private
    #: or excluded.
    takes_in: bool = False
    #: Its text holds source code, which is shown as it is: fenced, not escaped.
    shows_source: bool = False
    #: What it shows is a text of the caller's: not a byte is added or replaced.
    is_verbatim: bool = False
    #: May go on until it is interrupted.
    is_endless: bool = False
    #: What a person is told who interrupts it: what is kept, and how to go on.
    when_stopped: Words = Words("")
    #: Command lines that `--help` shows.
    examples: tuple[str, ...] = ()
    #: The tool's name over MCP, where it is not made from the operation's.
    tool: str = ""
    #: When a model should call it rather than another tool; it costs tokens in every prompt.
    tool_hint: str = ""

    def call(self, context: Context, request: RequestT) -> ResultT:
        """Return what the handler returns. Raises Withheld where it takes something in and nothing
        may be taken in now.
        """
        if self.takes_in:
            from gieok.ops.withholding import (
                check_caller_withheld,
            )  # which only such operations need

            check_caller_withheld(context)
        return self.handler(context, request)

    @property
    def request(self) -> type[RequestT]:
        """Return the type of the handler's request: a dataclass whose fields are made by
        `argument`.
        """
        found: type[RequestT] = self.handler.__annotations__["request"]
        return found

    @property
    def runs_without_settings(self) -> bool:
        """Say whether it runs although a setting is wrong: nothing is written under settings that
        nobody chose.
        """
        return self.forgives_config or self.effect is Effect.READ

    @property
    def runs_in_daemon(self) -> bool:
        """Say whether the daemon may run it for a caller: it reads, or a model may call it, so it
        asks nobody and ends soon.
        """
        return not self.is_endless and (self.effect is Effect.READ or Surface.MCP in self.surfaces)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRequest:
    """The request of an operation without parameters."""


def argument(
    doc: Words,
    default: Any = None,  # noqa: ANN401 - its type is the parameter's
    *,
    positional: bool = False,
    choices: tuple[str, ...] = (),
    cli_only: bool = False,
    needed: str = "",
    also: tuple[str, ...] = (),
) -> Any:  # noqa: ANN401 - a field
    """Declare one parameter of a request. A list default makes it repeatable; a bool default makes
    it a switch.

    `cli_only` keeps it out of tools for models, whose descriptions cost tokens in every prompt.
    `needed` is an example of a command, shown to who leaves the parameter out; '' for what may be
    left out. `also`: flags that mean the same, not listed.
    """
    metadata = {
        "doc": doc,
        "positional": positional,
        "choices": choices,
        "cli_only": cli_only,
        "needed": needed,
        "also": also,
    }
    if isinstance(default, list):
        return field(default_factory=lambda: list(default), metadata=metadata)
    return field(default=default, metadata=metadata)
