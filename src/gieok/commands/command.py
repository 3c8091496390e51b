"""Declaration of commands; every surface is generated from the declaration."""

import re
from collections.abc import Callable, Sequence
from datetime import date
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, Protocol, TypeVar

from gieok import fs
from gieok.home.call import Call
from gieok.text.messages import Words, in_language, translate

#: What a person can do about content that waits for trust.
TRUST_HINT = "`gieok trust --show`, `gieok trust`"
#: Control characters, all but tab and newline.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


#: Statuses of a memory (`model.memory.find_document_status`), for people.
STATUSES = {
    "stands": Words("stands"),
    "current": Words("current"),
    "replaced": Words("replaced"),
    "ended": Words("ended"),
    "done": Words("done"),
    "corrected": Words("corrected"),
    "retired": Words("put away"),
}

#: Each tier, as a person reads it.
TIER_NAMES = {
    "hot": Words("hot", about="a tier"),
    "warm": Words("warm", about="a tier"),
    "cold": Words("cold", about="a tier"),
}

#: Tiers of archived memories.
TIERS = {
    "warm": Words("archived: warm"),
    "cold": Words("archived: cold"),
}


def full_disk_words(home: Path) -> Words:
    """Return the message for a person whose disk is full."""
    room = Words("; `gieok forget` has room put aside")
    return Words.of(
        "no space left on the disk of {home}: what is there is found, nothing new is kept; free "
        "some{room}",
        home=home,
        room=room if (home / fs.RESERVE).exists() else "",
    )


def waiting_words(records: int, *, has_settings: bool = False) -> Words:
    """Return the message on how many records (and settings) wait for trust."""
    files = Words.of("{count} memory file", plural="{count} memory files", count=records)
    what = Words("settings")
    if records:
        what = Words.of("{files} and settings", files=files) if has_settings else files
    if records == 1 and not has_settings:
        return Words.of("{what} of this project waits for you to trust", what=what)
    return Words.of("{what} of this project wait for you to trust", what=what)


def said_on(days: Sequence[date]) -> Words:
    """Return the message on how many days something was said, and on which day last."""
    count, last = len(set(days)), max(days)
    return Words.of("said on {count} days, last {last}", count=count, last=last)


def printable(text: str) -> str:
    """Return `text` without control characters that a terminal obeys.

    A memory is data, also where a person reads the memory.
    """
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


class Surface(Enum):
    """Where a command can be called."""

    CLI = "cli"
    MCP = "mcp"
    #: The Python API, which reaches every command.
    PYTHON = "python"
    #: Every command is reachable over HTTP but those of `surfaces.http.operations.ELSEWHERE`.
    HTTP = "http"
    #: The prompt hook, which calls `recall` and answers by itself where no daemon runs.
    HOOK = "hook"


class Effect(StrEnum):
    """Effect of a command on stored data."""

    READ = "read"
    WRITE = "write"
    #: Removes data that the caller cannot bring back by another call.
    DESTROY = "destroy"


class Result(Protocol):
    """Result of a command: a record for `commands.encode` that says whether it has content."""

    @property
    def found(self) -> bool:
        """False where the command found nothing: exit status 1."""


class Style(NamedTuple):
    """Text style of the place where an output is shown."""

    lang: str
    colour: bool
    #: Source is shown byte for byte: a machine reads it, and no terminal obeys it.
    verbatim: bool = False
    #: The reader's current folder, and their home folder.
    folder: str = ""
    user: str = ""

    def say(self, template: str, about: str = "", plural: str = "", **values: object) -> str:
        """Return a message in the reader's language; see `gieok.text.messages`."""
        return translate(template, self.lang, values, about=about, plural=plural)

    def told(self, text: str) -> str:
        """Return a text that arose in English, such as an error, in the reader's language."""
        return in_language(text, self.lang)

    def memory(self, text: str, *, is_spoken: bool = False) -> str:
        """Return a text of memory with Gieok's own marks in the reader's language.

        `is_spoken`: its lines are turns, each with the label of its speaker.
        """
        from gieok.text.own_marks import translate_own_marks  # commands that show no memory

        return printable(translate_own_marks(text, self.lang, is_spoken=is_spoken))

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
        """Return an absolute path as the reader would write it.

        The path is relative to the reader's folder, else to the home folder.
        """
        for folder, start in ((self.folder, ""), (self.user, "~/")):
            if folder and path.startswith(f"{folder.rstrip('/')}/"):
                return start + path[len(folder.rstrip("/")) + 1 :]
        return path


def tier_words(tier: str, style: Style) -> list[str]:
    """Return the tier of an archived memory, for people; nothing for hot."""
    words = TIERS.get(tier)
    return [words.say(style.lang)] if words else []


P = ParamSpec("P")
ResultT = TypeVar("ResultT", bound=Result)


class Parameter:
    """Description of a command's parameter, in the annotation of its function's signature.

    A bool default makes a switch, an empty tuple a parameter that may be given several times.
    `cli_only` keeps the parameter out of tools for models, whose descriptions cost tokens in every
    prompt. `needed` is an example of a command, shown to a caller who leaves the parameter out; ''
    for an optional parameter. `also`: flags that mean the same, not listed; a positional parameter
    may have them too. `takes_stdin`: a command line with `-` alone gives it what is on stdin, so
    that a text stands in no list of processes. `tool_doc`: the description for models, where their
    tools take less than the command does.
    """

    __slots__ = (
        "also",
        "choices",
        "cli_only",
        "doc",
        "needed",
        "positional",
        "takes_stdin",
        "tool_doc",
    )

    def __init__(
        self,
        doc: Words,
        *,
        positional: bool = False,
        choices: tuple[str, ...] = (),
        cli_only: bool = False,
        needed: str = "",
        also: tuple[str, ...] = (),
        takes_stdin: bool = False,
        tool_doc: str = "",
    ) -> None:
        self.doc = doc
        self.tool_doc = tool_doc or doc.en
        self.positional = positional
        self.choices = choices
        self.cli_only = cli_only
        self.needed = needed
        self.also = also
        self.takes_stdin = takes_stdin


class CommandParameter(NamedTuple):
    """Parameter of a command: its name in the signature, its default, and its description."""

    name: str
    default: Any
    about: Parameter


class Command(Generic[P, ResultT]):
    """Command of Gieok: a function of a call, and how each surface shows it.

    `command` declares it, on the function; to call it is to call the function.
    """

    # A plain class, because a dataclass of so many fields costs a cold search .5 ms.
    def __init__(
        self,
        name: str,
        doc: Words,
        function: Callable[Concatenate[Call, P], ResultT],
        present: Callable[[ResultT, Style], str],
        *,
        effect: Effect,
        surfaces: frozenset[Surface],
        forgives_config: bool,
        takes_in: bool,
        shows_source: bool,
        is_verbatim: bool,
        is_endless: bool,
        person_question: Words,
        agreed_parameter: str,
        rehearsal_parameter: str,
        when_stopped: Words,
        examples: tuple[str, ...],
        tool: str,
        tool_hint: str,
    ) -> None:
        self.name = name
        self.doc = doc
        self.function = function
        self.present = present
        self.effect = effect
        self.surfaces = surfaces
        self.forgives_config = forgives_config
        self.takes_in = takes_in
        self.shows_source = shows_source
        self.is_verbatim = is_verbatim
        self.is_endless = is_endless
        self.person_question = person_question
        self.agreed_parameter = agreed_parameter
        self.rehearsal_parameter = rehearsal_parameter
        self.when_stopped = when_stopped
        self.examples = examples
        self.tool = tool
        self.tool_hint = tool_hint

    def __call__(self, call: Call, *args: P.args, **values: P.kwargs) -> ResultT:
        """Return the function's result.

        Raises Withheld where the command stores something and nothing may be stored now.
        """
        if self.takes_in:
            from gieok.home.withholding import (
                check_caller_withheld,
            )  # which only such commands need

            check_caller_withheld(call)
        return self.function(call, *args, **values)

    @property
    def rib(self) -> str:
        """Return the rib that the command belongs to: the folder of its function's module."""
        return self.function.__module__.split(".")[2]

    @property
    def parameters(self) -> tuple[CommandParameter, ...]:
        """Return the parameters of the function's signature, in its order."""
        annotations = self.function.__annotations__
        defaults: dict[str, Any] = getattr(self.function, "__kwdefaults__", None) or {}
        return tuple(
            CommandParameter(name, default, annotations[name].__metadata__[0])
            for name, default in defaults.items()
        )

    @property
    def runs_without_settings(self) -> bool:
        """Return whether the command runs although a setting is wrong.

        A command that writes does not: nothing is written under settings that nobody chose.
        """
        return self.forgives_config or self.effect is Effect.READ

    @property
    def runs_in_daemon(self) -> bool:
        """Return whether the daemon may run the command for a caller.

        The daemon may if the command reads, or if a model may call it: such a command ends soon. A
        command that asks a person runs where the person is.
        """
        is_called_by_models = Surface.MCP in self.surfaces and not self.person_question.en
        return not self.is_endless and (self.effect is Effect.READ or is_called_by_models)


_NO_WORDS = Words("")


def command(
    name: str,
    doc: Words,
    *,
    present: Callable[[ResultT, Style], str],
    effect: Effect = Effect.READ,
    surfaces: frozenset[Surface] = frozenset((Surface.CLI,)),
    forgives_config: bool = False,
    takes_in: bool = False,
    shows_source: bool = False,
    is_verbatim: bool = False,
    is_endless: bool = False,
    person_question: Words = _NO_WORDS,
    agreed_parameter: str = "",
    rehearsal_parameter: str = "",
    when_stopped: Words = _NO_WORDS,
    examples: tuple[str, ...] = (),
    tool: str = "",
    tool_hint: str = "",
) -> Callable[[Callable[Concatenate[Call, P], ResultT]], Command[P, ResultT]]:
    """Declare a function of a call as the command called `name`.

    The function takes the call, then the parameters by keyword, each described in its annotation.

    Args:
        name: words of the command line, such as `backup create`.
        doc: what the command does, for people and models.
        present: function that shows the result to people.
        effect: effect on stored data.
        surfaces: where the command is called besides HTTP and Python.
        forgives_config: runs although a setting is wrong, without that setting, and reports it
            itself (`Call.troubles`).
        takes_in: stores something that somebody says or wrote: not while memory is paused, private
            or excluded.
        shows_source: the result's text holds source code, which is shown as it is: fenced, not
            escaped.
        is_verbatim: the result's text is the caller's own: not a byte is added or replaced.
        is_endless: may go on until it is interrupted.
        person_question: question to the person before a model changes or removes what they kept;
            the memory follows it. On the command line such a command asks by itself.
        agreed_parameter: name of the switch that a model's call gets once the person agreed: the
            command does not ask by itself, or marks what the model wrote; '' for none.
        rehearsal_parameter: name of the switch with which the command does nothing and returns what
            it would do (`planned`), for a command that may reach more than the named memory.
        when_stopped: message for a person who interrupts the command: what is kept, and how to go
            on.
        examples: command lines that `--help` shows.
        tool: name of the MCP tool, where it differs from the command's.
        tool_hint: when a model should call this tool rather than another; the text costs tokens in
            every prompt.
    """

    def declare(
        function: Callable[Concatenate[Call, P], ResultT],
    ) -> Command[P, ResultT]:
        return Command(
            name,
            doc,
            function,
            present,
            effect=effect,
            surfaces=surfaces,
            forgives_config=forgives_config,
            takes_in=takes_in,
            shows_source=shows_source,
            is_verbatim=is_verbatim,
            is_endless=is_endless,
            person_question=person_question,
            agreed_parameter=agreed_parameter,
            rehearsal_parameter=rehearsal_parameter,
            when_stopped=when_stopped,
            examples=examples,
            tool=tool,
            tool_hint=tool_hint,
        )

    return declare
