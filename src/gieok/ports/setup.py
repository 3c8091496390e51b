"""Providers of models that `gieok setup` offers."""

from typing import NamedTuple


class Provider(NamedTuple):
    """Provider of models that could observe.

    `variable` is the variable of its key, '' for none, and `place` where the key is set. `program`
    is the command of an installed agent; `needs` how to install what is missing, '' where nothing
    is.
    """

    name: str
    variable: str = ""
    place: str = ""
    address: str = ""
    program: str = ""
    is_program: bool = False
    needs: str = ""
