"""Opens the import of memory from other programs."""

from collections.abc import Mapping
from pathlib import Path

from gieok import registry
from gieok.app.wiring import Wiring
from gieok.ops.context import MovingContext
from gieok.ports.imports import ImportFiles, ImportReader


def open_moving_context(wiring: Wiring) -> MovingContext:
    """Build the context; nothing is loaded before it is asked for."""
    del wiring
    return MovingContext(_open_import_files, _load_import_readers)


def _open_import_files(path: Path) -> ImportFiles:
    from gieok.machine.imports.opened import open_import_files as open_files

    return open_files(path)


def _load_import_readers() -> Mapping[str, ImportReader]:
    return {name: registry.load_backend(registry.IMPORTS, name)() for name in registry.IMPORTS}
