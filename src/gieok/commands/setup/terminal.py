"""Dialogue with a person on the terminal, with arrow keys, by questionary.

Its import takes 150 ms: only a setup that asks a person loads it. Colours are the terminal's own,
which suits light and dark. A question is erased once it is answered: the caller shows the answer.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import questionary
from prompt_toolkit.application import Application
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.output import Output
from prompt_toolkit.output.defaults import create_output
from prompt_toolkit.shortcuts import print_formatted_text
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth
from questionary.prompts.common import Choice, InquirerControl

from gieok.commands.setup.dialogue import Cancelled, Pick, WentBack

_BACK = "\0back"
_STYLE = Style.from_dict(
    {
        "qmark": "",
        "question": "bold",
        "instruction": "dim",
        "answer": "",
        "pointer": "bold",
        "highlighted": "bold",
        "selected": "",
        "note": "dim",
        "text": "",
        "validation-toolbar": "fg:ansired noreverse bg:default",
    }
)
#: Seconds to wait for the rest of an arrow key's code, which begins as the Escape key does.
_ESCAPE_S = 0.1
_GAP = "  "
#: Signs at the beginning of a line whose further parts are indented by two columns more.
_MARKS = ("✓", "✗", "→")


class TerminalDialogue:
    """Dialogue on the terminal of this process; on stderr, because data goes to stdout.

    Every question may raise WentBack and Cancelled.
    """

    def __init__(self, given: Input | None = None, shown: Output | None = None) -> None:
        self._output = shown or create_output(sys.stderr)
        self._options: dict[str, Any] = {
            "input": given,
            "output": self._output,
            "erase_when_done": True,
            "style": _STYLE,
        }
        self._back = self._ticks = ""

    def begin(self, title: str, keys: str, back: str, ticks: str) -> None:
        """Show a title and a line on keys.

        `back` is the label of the way back; `ticks` says how several picks are chosen.
        """
        self._back, self._ticks = back, ticks
        self._print("bold", title)
        self.say(keys)

    def say(self, line: str = "", *, is_title: bool = False, is_passing: bool = False) -> None:
        """Show a line; a passing line is overwritten by the next one."""
        self._output.write_raw("\r")
        self._output.erase_end_of_line()
        if is_passing:
            self._output.write(line)
            self._output.flush()
            return
        if is_title:
            self._print("", "")
        for part in _wrap_terminal_line(line, self._output.get_size().columns - 1):
            self._print("bold" if is_title else "", part)

    def one(self, question: str, picks: Sequence[Pick], default: str) -> str:
        """Return the value of the pick that the person chooses."""
        choices = [*self._choices(picks), Choice(self._back, _BACK)]
        prompt = questionary.select(
            question,
            choices,
            default=default,
            qmark="",
            pointer="❯",
            instruction=" ",
            **self._options,
        )
        return str(self._answer(prompt, is_list=True))

    def many(self, question: str, picks: Sequence[Pick], default: Sequence[str]) -> list[str]:
        """Return the values of the picks that the person ticks, in their order."""
        choices = [*self._choices(picks, default), Choice(self._back, _BACK)]
        prompt = questionary.checkbox(
            question, choices, qmark="", pointer="❯", instruction=f" {self._ticks}", **self._options
        )
        return [str(value) for value in self._answer(prompt, is_list=True)]

    def text(
        self, question: str, default: str, wrong: Callable[[str], str], *, is_secret: bool = False
    ) -> str:
        """Return a line that the person types.

        While the line is typed, what `wrong` returns is shown below it: what is wrong with the
        line, '' for nothing.
        """
        prompt = questionary.text(
            question if question.endswith("?") else f"{question}:",
            default,
            validate=lambda text: wrong(text) or True,
            qmark="",
            is_password=is_secret,
            key_bindings=_build_question_keys(is_list=False),
            **self._options,
        )
        return str(self._answer(prompt, is_list=False))

    def _print(self, style: str, line: str) -> None:
        print_formatted_text(FormattedText([(style, line)]), output=self._output)

    def _choices(self, picks: Sequence[Pick], ticked: Sequence[str] = ()) -> list[Choice]:
        """Return the picks with their notes in a column, each cut to one line of the terminal."""
        wide = max((get_cwidth(pick.label) for pick in picks if pick.note), default=0)
        room = self._output.get_size().columns - len(" ❯ ● ") - 1
        choices = []
        for pick in picks:
            label = _cut_to_columns(pick.label, room)
            gap = " " * max(wide - get_cwidth(label), 0) + _GAP
            note = _cut_to_columns(pick.note, room - get_cwidth(label + gap))
            title = [("class:text", label), ("class:note", gap + note if note else "")]
            choices.append(Choice(title, pick.value, checked=pick.value in ticked))
        return choices

    # Returns `Any`: one value, or several.
    def _answer(self, asked: questionary.Question, *, is_list: bool) -> Any:  # noqa: ANN401
        asked.application.ttimeoutlen = _ESCAPE_S
        if is_list:
            _extend_list_keys(asked.application)
        try:
            answer = asked.unsafe_ask()
        except (KeyboardInterrupt, EOFError) as error:
            raise Cancelled from error
        if answer == _BACK or (isinstance(answer, list) and _BACK in answer):
            raise WentBack
        return answer


def _build_question_keys(*, is_list: bool) -> KeyBindings:
    """Return the keys of every question: Escape cancels, Shift-Tab goes back.

    In lists the left arrow goes back too.
    """
    keys = KeyBindings()
    keys.add("escape", eager=True)(lambda event: event.app.exit(exception=Cancelled))
    for key in ("s-tab", "left") if is_list else ("s-tab",):
        keys.add(key, eager=True)(lambda event: event.app.exit(exception=WentBack))
    return keys


def _extend_list_keys(application: Application[Any]) -> None:
    """Add the keys of `_build_question_keys` to a list.

    Enter on the last line of the list goes back, ticked or not.
    """
    own = application.key_bindings
    windows = application.layout.find_all_windows()
    control = next(
        window.content for window in windows if isinstance(window.content, InquirerControl)
    )
    if not isinstance(own, KeyBindings):
        return
    for binding in _build_question_keys(is_list=True).bindings:
        own.add(*binding.keys, eager=True)(binding.handler)
    is_on_back = Condition(lambda: control.get_pointed_at().value == _BACK)
    own.add("enter", eager=True, filter=is_on_back)(
        lambda event: event.app.exit(exception=WentBack)
    )


def _wrap_terminal_line(line: str, room: int) -> Iterator[str]:
    """Yield a line in parts as wide as the terminal, broken between words.

    The further parts have the same indentation as the first.
    """
    indent = " " * (len(line) - len(line.lstrip()))
    part = indent
    for word in line.split():
        joined = f"{part} {word}" if part.strip() else f"{part}{word}"
        if part.strip() and get_cwidth(joined) > room:
            yield part
            joined = f"{indent}{'  ' if line.lstrip()[:1] in _MARKS else ''}{word}"
        part = joined
    yield part


def _cut_to_columns(text: str, room: int) -> str:
    """Return a text cut to `room` columns of the terminal."""
    if get_cwidth(text) <= room:
        return text
    while text and get_cwidth(text) >= room:
        text = text[:-1]
    return f"{text}…" if text else ""
