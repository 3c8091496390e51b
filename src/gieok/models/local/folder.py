"""Folder of a model that is built on this machine: it appears complete and on disk, or not at all.

One process builds at a time; the leftovers of killed processes are removed by the next.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from gieok import fs
from gieok.errors import EmbedderFailed, Phrase


def build_model_folder(
    folder: Path, is_whole: Callable[[], bool], build: Callable[[Path], None]
) -> None:
    """Build a folder beside its place and rename it, unless it `is_whole` by then.

    Raises EmbedderFailed where it cannot be written.
    """
    models, prefix = folder.parent, f".{folder.name}."
    try:
        with fs.exclusive(models / f"{prefix}lock"):
            if not is_whole():
                _remove_leftovers(models, prefix)
                _replace_model_folder(folder, prefix, build)
    except OSError as error:
        hint = Phrase(
            "make {models} writable, with 100 MB to spare, and run the command again", models=models
        )
        raise EmbedderFailed(
            "the embedding model cannot be written: {error}", error=error, hint=hint
        ) from error


def seal_model_folder(folder: Path, files: Iterable[Path]) -> None:
    """Make files and their folder private, and flush them to disk."""
    for file in files:
        file.chmod(0o600)
        _fsync_model_path(file)
    folder.chmod(0o700)
    _fsync_model_path(folder)


def _replace_model_folder(folder: Path, prefix: str, build: Callable[[Path], None]) -> None:
    new_folder = Path(tempfile.mkdtemp(prefix=prefix, suffix=".new", dir=folder.parent))
    try:
        build(new_folder)
        if folder.exists():
            folder.rename(new_folder.with_suffix(".old"))
        new_folder.rename(folder)
        _fsync_model_path(folder.parent)
    finally:
        _remove_leftovers(folder.parent, prefix)


def _remove_leftovers(models: Path, prefix: str) -> None:
    """Remove the leftovers of this process and of killed ones.

    The lock is held, so no other process is building.
    """
    for leftover in [*models.glob(f"{prefix}*.new"), *models.glob(f"{prefix}*.old")]:
        shutil.rmtree(leftover, ignore_errors=True)


def _fsync_model_path(path: Path) -> None:
    """Flush a file or folder to disk; skip a folder that Windows cannot open."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
