"""`gieok code export`: write the project's page and picture."""

from dataclasses import dataclass
from pathlib import Path

from gieok.code.model import layout
from gieok.code.report import export, picture
from gieok.code.report.overview import overview
from gieok.code.report.structure import structure
from gieok.ops.code.project import opened
from gieok.ops.context import Context
from gieok.ops.encode import Hidden
from gieok.ops.operation import Effect, NoRequest, Operation, Style, Words


@dataclass(frozen=True, slots=True)
class ExportResult:
    """Where it was written."""

    files: tuple[Path, ...]
    found: Hidden[bool] = True


def drawn(context: Context) -> str:
    """Return the picture of the project in the caller's folder. Raises NotIndexed."""
    project = opened(context)
    return picture.svg(structure(project), project.root.name)


def run(context: Context, request: NoRequest) -> ExportResult:
    """Write both."""
    del request
    project = opened(context)
    made = overview(project)
    return ExportResult(
        (
            layout.write(project.root, "exports/intelligence.md", export.page(project, made)),
            layout.write(
                project.root, "exports/graph.svg", picture.svg(made.found, project.root.name)
            ),
        )
    )


def present(result: ExportResult, style: Style) -> str:
    """Name the files."""
    del style
    return "\n".join(map(str, result.files))


OPERATION = Operation(
    name="code export",
    examples=("gieok code export",),
    handler=run,
    present=present,
    effect=Effect.WRITE,
    doc=Words(
        "Write a page and a picture of the project", "프로젝트를 설명하는 문서와 그림을 씁니다"
    ),
)
