"""Dialogue that asks a person several questions in order, with a way back and a way out."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol


class WentBack(Exception):
    """The person wants to return to the previous question."""


class Cancelled(Exception):
    """The person ends the dialogue."""


class Pick(NamedTuple):
    """Possible answer, with its label; `note` says more, where there is room."""

    value: str
    label: str
    note: str = ""


class Dialogue(Protocol):
    """Dialogue with a person, in the person's language.

    Every question may raise WentBack and Cancelled.
    """

    def begin(self, title: str, keys: str, back: str, ticks: str) -> None:
        """Show a title and a line on keys.

        `back` is the label of the way back; `ticks` says how several picks are chosen.
        """

    def say(self, line: str = "", *, is_title: bool = False, is_passing: bool = False) -> None:
        """Show a line; a passing line stays until the next line."""

    def one(self, question: str, picks: Sequence[Pick], default: str) -> str:
        """Return the value of the pick that was chosen."""

    def many(self, question: str, picks: Sequence[Pick], default: Sequence[str]) -> list[str]:
        """Return the values of the picks that are ticked, in their order."""

    def text(
        self, question: str, default: str, wrong: Callable[[str], str], *, is_secret: bool = False
    ) -> str:
        """Return a line that the person types.

        While the line is typed, `wrong` returns what is wrong with it, '' for nothing.
        """
