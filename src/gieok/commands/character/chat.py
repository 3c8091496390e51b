"""`gieok character chat`: a conversation in the terminal, with the memory beside it.

Without a terminal, each line of stdin is a message.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from gieok.character.cards.card import card_of
from gieok.character.house import House
from gieok.character.memory.service import Bond
from gieok.character.turn.reply_prompt import SpeakerNames, fill_card_macros, read_card_name
from gieok.character.turn.turn import PreparedPrompt, UserTurn
from gieok.commands.character.arguments import (
    CHARACTER,
    USER,
    check_character_owner,
    require_single_word,
)
from gieok.commands.character.memory_rows import (
    build_memory_handle,
    find_memory_key,
    list_character_memories,
    render_memory_rows,
)
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.errors import BadRequest, GieokError
from gieok.home.call import Call
from gieok.places.scope import ME
from gieok.text.messages import Words

_HELP = Words(
    "/memory  what it remembers   /why  what it was told for the last reply   /forget HANDLE  "
    " /undo   /points   /quit"
)
_LONGEST_LINE = 1 << 20


class CharacterChatLine(NamedTuple):
    """Line of input, a message or a command, with its answer."""

    said: str
    reply: str


@dataclass(frozen=True, slots=True)
class CharacterChatResult:
    """Conversation of a run; `is_shown`: a person has read it already."""

    character: str
    name: str
    greeting: str
    lines: tuple[CharacterChatLine, ...]
    is_shown: bool
    found: bool = True


class _CharacterTalk:
    """Running conversation with a character."""

    def __init__(self, call: Call, house: House, bond: Bond) -> None:
        self._call, self._house, self._bond = call, house, bond
        self._style = Style(call.lang, colour=False)
        self._last: PreparedPrompt | None = None
        self._undo = ""

    def answer(self, line: str) -> str:
        """Return the answer to a line: a reply, or the output of a command."""
        command, _, rest = line.partition(" ")
        ways = {
            "/memory": self._memory,
            "/why": self._why,
            "/forget": self._forget,
            "/undo": self._back,
            "/points": self._points,
        }
        if command in ways:
            return ways[command](rest.strip())
        if line.startswith("/"):
            return _HELP.say(self._call.lang)
        return self._reply(line)

    def _reply(self, line: str) -> str:
        reply = self._house.turns.begin(UserTurn(self._bond.user, self._bond.character, line))
        text = "".join(part.text for part in reply)
        self._last = reply.prepared
        return printable(text)

    def _memory(self, words: str) -> str:
        result = list_character_memories(
            self._call, what=[self._bond.character, *words.split()], user=self._bond.user
        )
        nothing = self._style.say("nothing yet")
        return "\n".join(render_memory_rows(result.memories, self._style)) or nothing

    def _why(self, rest: str) -> str:
        del rest
        if self._last is None:
            return self._style.say("nothing was said yet")
        parts = [part for part in (self._last.canon, self._last.context.narrative.text) if part]
        lines = [
            f"  {build_memory_handle(hit.document.key)}  {hit.score:.2f}  "
            + " ".join(f"{name} {value:.2f}" for name, value in hit.signals.items())
            + f"  {printable(hit.document.text)}"
            for hit in self._last.context.recalled
        ]
        return "\n".join([*map(printable, parts), *lines]) or self._style.say("nothing")

    def _forget(self, handle: str) -> str:
        deletion = self._house.control.delete(
            self._bond, find_memory_key(self._house, self._bond, handle)
        )
        self._undo = deletion.undo
        return self._style.say("forgotten; /undo takes it back")

    def _back(self, rest: str) -> str:
        self._house.control.undo(self._bond, rest or self._undo)
        return self._style.say("it is remembered again")

    def _points(self, rest: str) -> str:
        del rest
        return str(self._house.points.standing(self._bond.user).balance)


def render_character_chat(result: CharacterChatResult, style: Style) -> str:
    """Show the conversation, unless it was shown already."""
    if result.is_shown:
        count = sum(not exchange.said.startswith("/") for exchange in result.lines)
        return style.say("{count} messages", count=count)
    talk_lines = [f"{result.name}: {printable(result.greeting)}"] if result.greeting else []
    talk_lines += [
        f"> {printable(exchange.said)}\n{_name_speaker(result.name, exchange)}{exchange.reply}"
        for exchange in result.lines
    ]
    return "\n".join(talk_lines)


def _name_speaker(name: str, exchange: CharacterChatLine) -> str:
    """Return who answers: nobody where a command was typed."""
    return "" if exchange.said.startswith("/") else f"{name}: "


@command(
    "character chat",
    Words("Talk with a character in the terminal"),
    present=render_character_chat,
    effect=Effect.WRITE,
    takes_in=True,
    is_endless=True,
    examples=("gieok character chat mina", "gieok character chat mina --user kim < lines.txt"),
)
def chat_with_character(
    call: Call,
    *,
    id: Annotated[
        Sequence[str], Parameter(CHARACTER, positional=True, needed="gieok character chat mina")
    ] = (),
    user: Annotated[str, Parameter(USER)] = ME,
) -> CharacterChatResult:
    """Talk until the end of the input, or /quit."""
    house, identity, checked_name = (
        call.home.house,
        require_single_word(id, "character"),
        check_character_owner(user),
    )
    stored = house.roster.find(checked_name, identity)
    house.welcome(checked_name, call.lang)
    bond = house.bond(checked_name, identity)
    name, talk, lines = (
        printable(read_card_name(stored.card)),
        _CharacterTalk(call, house, bond),
        list[CharacterChatLine](),
    )
    greeting = fill_card_macros(card_of(stored.card).greeting, SpeakerNames(name, checked_name))
    if call.ask:
        call.tell(
            "\n".join(
                [_HELP.say(call.lang), *([f"{name}: {printable(greeting)}"] if greeting else [])]
            )
        )
    for line in _iter_chat_input(call):
        reply = _answer_chat_line(call, talk, line)
        lines.append(CharacterChatLine(line, reply))
        if call.ask:
            call.tell(reply if line.startswith("/") else f"{name}: {reply}")
    house.turns.close()
    return CharacterChatResult(
        identity, name, greeting, tuple(lines), is_shown=call.ask is not None
    )


def _answer_chat_line(call: Call, talk: _CharacterTalk, line: str) -> str:
    """Return the answer to a line; in a terminal, an error is shown and the conversation goes
    on.
    """
    try:
        return talk.answer(line)
    except GieokError as error:
        if call.ask is None:
            raise
        return error.in_full


def _iter_chat_input(call: Call) -> Iterator[str]:
    while True:
        try:
            line = call.ask("> ") if call.ask else sys.stdin.readline(_LONGEST_LINE)
        except (UnicodeDecodeError, KeyboardInterrupt) as error:
            if isinstance(error, KeyboardInterrupt) and call.ask:
                return
            raise BadRequest("the message is no UTF-8", hint="set the terminal to UTF-8") from error
        if not line or line.strip() == "/quit":
            return
        if line.strip():
            yield line.strip()
