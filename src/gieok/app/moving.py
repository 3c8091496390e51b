"""Opens what moves memory in."""

from collections.abc import Mapping
from pathlib import Path

from gieok import registry
from gieok.app.wiring import Wiring
from gieok.ops.context import MovingContext
from gieok.ports.imports import ImportFiles, ImportReader


def opened(wiring: Wiring) -> MovingContext:
    """Put the context together; nothing is loaded before it is asked for."""
    del wiring
    return MovingContext(_files, _readers)


def _files(path: Path) -> ImportFiles:
    from gieok.machine.imports.opened import opened as open_files

    return open_files(path)


def _readers() -> Mapping[str, ImportReader]:
    return {name: registry.load(registry.IMPORTS, name)() for name in registry.IMPORTS}
