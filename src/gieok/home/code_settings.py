"""Settings file of a project's code, `.gieok/code/config.yaml`, and which of it is used.

The file may come with a repository. What makes every passage anew, which a paid embedder is paid
for, is used only where a person trusts exactly this content (`gieok trust`).
"""

import os
from pathlib import Path

from gieok import fs
from gieok.code.model.layout import FOLDER
from gieok.code.model.tuning import Chunking, Tuning, parse_tuning
from gieok.errors import BadConfig
from gieok.places.home import PROJECT_FOLDER
from gieok.places.workplace import project_root
from gieok.settings import grants
from gieok.settings.file import parse_yaml_mapping
from gieok.settings.resolved import unreadable
from gieok.settings.trust import LARGEST_SETTINGS_BYTES

_FILE = FOLDER / "config.yaml"
#: Name of the file among the contents that a person trusts, which is its path in `.gieok`.
NAME = _FILE.relative_to(PROJECT_FOLDER).as_posix()


def locate_code_config(root: Path) -> Path:
    """Return the settings file of a project's code; it need not exist."""
    return root / _FILE


def load_tuning(home: Path, root: Path) -> Tuning:
    """Return the settings of a project's code that are used. Raises BadConfig.

    Where nobody trusts the file, passages are cut as they are by default.
    """
    content = _read_config(root)
    tuning = _parse_config(root, content)
    if tuning.chunking == Chunking() or _is_trusted(home, root, content):
        return tuning
    return tuning._replace(chunking=Chunking(), is_chunking_withheld=True)


def find_costly_config(root: Path) -> bytes | None:
    """Return the content of a file that cuts passages in another way; None for no such file.

    A file with an error is none: its settings are not used.
    """
    try:
        content = _read_config(root)
        return None if _parse_config(root, content).chunking == Chunking() else content
    except BadConfig:
        return None


def _read_config(root: Path) -> bytes:
    """Return the content of the file; empty where there is none. Raises BadConfig."""
    file = locate_code_config(root)
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
