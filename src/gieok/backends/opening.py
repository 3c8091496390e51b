"""What a store is opened with: the settings that a backend may see. Standard library only."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Opening(NamedTuple):
    """`setting` returns a setting's text by name; `secret` a variable of the environment or of `.env`, '' for none."""

    home: Path
    #: Of the store that is opened (`StoreBackend.file`); its home where it has none.
    file: Path
    setting: Callable[[str], str]
    secret: Callable[[str], str]
    #: For long-lived processes: scopes that are asked about are kept in memory.
    is_resident: bool = False
    #: Shows a line of progress to a person: an index of an older release may take a while to bring up to date.
    say: Callable[[str], None] = lambda line: None
