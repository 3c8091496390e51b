"""`gieok code export`: write the project's page and picture."""

from dataclasses import dataclass
from pathlib import Path

from gieok.code.model import layout
from gieok.code.report import export, picture
from gieok.code.report.overview import build_overview
from gieok.code.report.structure import structure
from gieok.commands.code.project import open_current_project
from gieok.commands.command import Effect, Style, command
from gieok.commands.encode import Hidden
from gieok.home.call import Call
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True)
class CodeExportResult:
    """Paths of the exported files."""

    files: tuple[Path, ...]
    found: Hidden[bool] = True


def draw_project_picture(call: Call) -> str:
    """Return the picture of the project in the caller's folder. Raises NotIndexed."""
    project = open_current_project(call)
    return picture.svg(structure(project), project.root.name, words=call.words)


def render_exported_files(result: CodeExportResult, style: Style) -> str:
    """Name the files."""
    del style
    return "\n".join(map(str, result.files))


@command(
    "code export",
    Words("Write a page and a picture of the project"),
    present=render_exported_files,
    examples=("gieok code export",),
    effect=Effect.WRITE,
)
def export_project(call: Call) -> CodeExportResult:
    """Write the page and the picture, in the language of the caller."""
    project = open_current_project(call)
    project_overview = build_overview(project)
    return CodeExportResult(
        (
            layout.write_code_file(
                project.root,
                "exports/intelligence.md",
                export.render_overview_page(project, project_overview, call.lang),
            ),
            layout.write_code_file(
                project.root,
                "exports/graph.svg",
                picture.svg(project_overview.found, project.root.name, words=call.words),
            ),
        )
    )
