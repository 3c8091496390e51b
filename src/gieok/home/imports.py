"""Import of memory from other programs: their files, and the readers of each program."""

from collections.abc import Mapping

from gieok import registry
from gieok.machine.imports.accounts import find_export_account
from gieok.machine.imports.opened import open_import_files
from gieok.ports.imports import ImportReader

__all__ = ["find_export_account", "load_import_readers", "open_import_files"]


def load_import_readers() -> Mapping[str, ImportReader]:
    """Return the readers of other programs by name, in the order in which they are tried."""
    return {name: registry.load_backend(registry.IMPORTS, name)() for name in registry.IMPORTS}
