"""What a person may answer in a dialogue: one of several picks, a way back, a way out."""

from typing import NamedTuple

#: Value of the pick that asks for a line.
FREE = "\0free"


class WentBack(Exception):
    """The person wants to return to the previous question."""


class Cancelled(Exception):
    """The person ends the dialogue."""


class Pick(NamedTuple):
    """Possible answer, with its label; `note` says more, where there is room."""

    value: str
    label: str
    note: str = ""
