"""Caller of a command: what is known of the calling process."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from gieok.errors import BadRequest

#: Longest name of a file, in bytes.
_LONGEST_NAME = 255


class Caller(NamedTuple):
    """Caller of an operation: all that an operation knows of the calling process.

    `flags` is setting name → text. `lang` is the language to use where the settings leave it open.
    One process answers callers in other folders and with other variables; only the home is the
    process's own. `is_placed` is False where the caller's folder is unknown (over HTTP): then
    a relative path means nothing.
    """

    folder: Path
    environment: Mapping[str, str]
    flags: Mapping[str, str] = {}
    lang: str = "en"
    is_placed: bool = True

    @property
    def user(self) -> Path:
        """Return the home folder of the calling person."""
        return Path(self.environment.get("HOME") or Path.home())

    def path(self, text: str, *, may_be_name: bool = False) -> Path:
        """Return the absolute path of a caller's path text; links and `..` stay.

        Raises BadRequest for a text that no file can be named, and for a relative path of a caller
        without a folder; unless the text `may_be_name`, of an agent or a document.
        """
        is_own = text == "~" or text.startswith("~/")
        path = self.user / text[2:] if is_own else Path(text).expanduser()
        if not may_be_name and (
            "\0" in text or any(len(os.fsencode(part)) > _LONGEST_NAME for part in path.parts)
        ):
            raise BadRequest(
                "no file can have this name",
                hint="a part of a path has at most 255 bytes, and no NUL",
            )
        if not (self.is_placed or may_be_name or path.is_absolute()):
            raise BadRequest(
                "{text!r} is a relative path, and the server is not where you are"
                if text
                else "no folder was named",
                text=text,
                hint="give an absolute path, or say where you are: `?folder=/an/absolute/path`",
            )
        return self.folder / path
