"""Editing of a text in a person's own editor."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from gieok import fs
from gieok.errors import BadRequest, Phrase
from gieok.home.call import Call


def edit_in_editor(call: Call, before: str, name: str, instead: str) -> str:
    """Return a text as a person leaves it in $VISUAL or $EDITOR.

    `name` is the name of the edited file, whose ending sets the syntax. Raises BadRequest where
    there is no editor or no terminal; the error says what to do `instead`.
    """
    environment = call.caller.environment
    editor = environment.get("VISUAL") or environment.get("EDITOR") or ""
    if not editor and call.ask is None:
        raise BadRequest("no editor can be opened: there is no terminal", hint=instead)
    editor = editor or ("notepad" if os.name == "nt" else "vi")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        fs.replace_private(file, before)
        try:
            # The person's own editor.
            subprocess.run([*shlex.split(editor), str(file)], check=True)  # noqa: S603
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            raise BadRequest(
                "{editor!r} did not end well: {error}",
                editor=editor,
                error=error,
                instead=Phrase(instead),
                hint="set EDITOR, or {instead}",
            ) from error
        return file.read_text(encoding="utf-8", errors="surrogateescape")
