"""Overview of a project for the code page, and of one of its parts."""

from pathlib import Path
from typing import NamedTuple

from gieok.code.ask.statistics import sort_by_count
from gieok.code.index import ownership, watch_list
from gieok.code.model import layout
from gieok.code.report import overview as report
from gieok.code.report.overview import Overview
from gieok.commands.code.project import open_current_project
from gieok.home.call import Call


class PartOfProject(NamedTuple):
    """Part of a project.

    Its files with their lines, the parts that it imports and those that import it, with the number
    of imports, and who changed it.
    """

    name: str
    files: tuple[tuple[str, int], ...]
    imports: tuple[tuple[str, int], ...]
    imported_by: tuple[tuple[str, int], ...]
    owners: tuple[tuple[str, float], ...]


def list_indexed_projects(call: Call) -> list[Path]:
    """Return this user's indexed projects, the project of the current folder first."""
    here = layout.find_root(call.caller.folder)
    known = [
        *([here] if here else []),
        *ownership.list_indexed_roots(call.home.folder),
        *watch_list.list_watched_roots(call.home.folder),
    ]
    return [root for root in dict.fromkeys(known) if layout.index_file(root).exists()]


def build_project_overview(call: Call) -> Overview:
    """Return the overview of the project in the caller's folder. Raises NotIndexed."""
    return report.build_overview(open_current_project(call))


def find_project_part(call: Call, name: str) -> PartOfProject | None:
    """Return a part of the project in the caller's folder; None for an unknown name.

    Raises NotIndexed.
    """
    overview = build_project_overview(call)
    structure = overview.found
    if name not in {part.name for part in structure.parts}:
        return None
    lines = {path: size for path, size in structure.files if structure.part_of[path] == name}
    into = [(a, row[name]) for a, row in structure.imports.items() if name in row]
    return PartOfProject(
        name=name,
        files=tuple(sort_by_count(lines.items())),
        imports=tuple(structure.imports.get(name, {}).items()),
        imported_by=tuple(sort_by_count(into)),
        owners=overview.history.owners.get(name, ()),
    )
