"""How a person is asked several questions, one after the other, with a way back and a way out."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol


class WentBack(Exception):
    """The person wants the question before again."""


class Cancelled(Exception):
    """The person wants no more questions."""


class Pick(NamedTuple):
    """One of several answers, and what a person reads; `note` says more, where there is room."""

    value: str
    label: str
    note: str = ""


class Dialogue(Protocol):
    """Asks a person; every question may raise WentBack and Cancelled. Texts are in the person's
    language.
    """

    def begin(self, title: str, keys: str, back: str, ticks: str) -> None:
        """Show a title and a line on keys; `back` is the label of the way back, `ticks` says how
        several are chosen.
        """

    def say(self, line: str = "", *, is_title: bool = False, is_passing: bool = False) -> None:
        """Show a line; what is passing stays until the next."""

    def one(self, question: str, picks: Sequence[Pick], default: str) -> str:
        """Return the value of the pick that was chosen."""

    def many(self, question: str, picks: Sequence[Pick], default: Sequence[str]) -> list[str]:
        """Return the values of the picks that are ticked, in their order."""

    def text(
        self, question: str, default: str, wrong: Callable[[str], str], *, is_secret: bool = False
    ) -> str:
        """Return a line; `wrong` says while it is typed what is wrong with it, '' for nothing."""
