"""Settings file of a project's code, `.gieok/code/config.yaml`, and which of it is used.

The file may come with a repository. What costs more than the default does is used only where a
person trusts exactly this content (`gieok trust`): other passages, which a paid embedder makes
anew, tighter thresholds, at which a strong model is asked, and more symbols, which it summarises.
"""

import os
from pathlib import Path

from gieok import fs, private
from gieok.code.model.layout import FOLDER
from gieok.code.model.tuning import Tuning, parse_tuning
from gieok.errors import BadConfig
from gieok.places.home import PROJECT_FOLDER
from gieok.places.workplace import project_root
from gieok.settings import grants
from gieok.settings.file import parse_yaml_mapping
from gieok.settings.resolved import unreadable
from gieok.settings.trust import LARGEST_SETTINGS_BYTES
from gieok.text.messages import Words

_FILE = FOLDER / "config.yaml"
_WITHHELD = (
    "what costs more in .gieok/code/config.yaml (`chunking`, tighter `escalation`, more "
    "`summaries`) is not used until `gieok trust` says so"
)
_UNUSED = "not used of .gieok/code/config.yaml (docs/code.md says what there is instead): {names}"
_LEADS_OUT = (
    ".gieok/code/config.yaml is a link to no file of the project: the default settings are used"
)
#: Name of the file among the contents that a person trusts, which is its path in `.gieok`.
NAME = _FILE.relative_to(PROJECT_FOLDER).as_posix()


def locate_code_config(root: Path) -> Path:
    """Return the settings file of a project's code; it need not exist."""
    return root / _FILE


def load_tuning(home: Path, root: Path) -> Tuning:
    """Return the settings of a project's code that are used. Raises BadConfig."""
    file = _follow_link(root)
    if file is None:
        return Tuning(note=_LEADS_OUT)
    content = _read_config(file)
    tuning = _parse_config(root, content)
    cheap = tuning.without_costs()
    names = ", ".join(tuning.unused)
    unused = Words.fill_english(_UNUSED, names=names) if names else ""
    if tuning == cheap or _is_trusted(home, root, content):
        return tuning._replace(note=unused)
    return cheap._replace(note="; ".join(filter(None, (_WITHHELD, unused))))


def find_costly_config(root: Path) -> bytes | None:
    """Return the content of a file that costs more than no file does; None for no such file.

    A file with an error is none: its settings are not used.
    """
    file = _follow_link(root)
    try:
        content = b"" if file is None else _read_config(file)
        tuning = _parse_config(root, content)
    except BadConfig:
        return None
    return None if tuning == tuning.without_costs() else content


def _follow_link(root: Path) -> Path | None:
    """Return the file to read; None for a link to no regular file inside of the project."""
    file = locate_code_config(root)
    if not file.is_symlink():
        return file
    try:
        target = file.resolve(strict=True)
    except (OSError, RuntimeError):  # it leads nowhere, or to itself
        return None
    is_usable = target.is_relative_to(root.resolve()) and target.is_file()
    return target if is_usable and not private.is_excluded(str(target)) else None


def _read_config(file: Path) -> bytes:
    """Return the content of the file; empty where there is none. Raises BadConfig."""
    try:
        return fs.read_regular_file(file, LARGEST_SETTINGS_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise unreadable(os.fspath(file), error) from error


def _parse_config(root: Path, content: bytes) -> Tuning:
    file = locate_code_config(root)
    return parse_tuning(parse_yaml_mapping(str(file), content), file) if content else Tuning()


def _is_trusted(home: Path, root: Path, content: bytes) -> bool:
    """Say whether a person trusts this content here, or in the main checkout of a worktree."""
    entry = grants.digest_trusted_content(NAME, content)
    places = dict.fromkeys((str(root), project_root(str(root))))
    return any(entry in grants.load_grant(home, place).entries for place in places if place)
