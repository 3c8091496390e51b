"""Record of a project: what it is and where it stands, as a model wrote it, or by counts."""

import json

from gieok.code.ask import statistics
from gieok.code.index.project import SCOPE, Project
from gieok.model.code import key_name

#: Name under which the record is stored beside the graph.
RECORD_NOTE = "code.record"
#: Sections of a record, in the order in which they are shown.
SECTIONS = (
    "architecture",
    "philosophy",
    "constraints",
    "limitations",
    "tech debt",
    "roadmap",
    "completion",
)


def read_stored_record(project: Project) -> tuple[str, dict[str, str]]:
    """Return the inputs and the sections of the stored record; empty values where there is none."""
    row = json.loads(project.store.notes(SCOPE).get(RECORD_NOTE, "{}"))
    return str(row.get("of", "")), {
        str(name): str(text) for name, text in row.get("sections", {}).items()
    }


def read_record(project: Project, counted: statistics.Statistics) -> dict[str, str | None]:
    """Return the project's record: the model's, or a plain record made of counts.

    In the plain one, None stands for each section that only a model writes.
    """
    if sections := read_stored_record(project)[1]:
        return dict(sections)
    plain = plain_record(counted)
    return {name: plain.get(name) for name in SECTIONS}


def plain_record(counted: statistics.Statistics) -> dict[str, str]:
    """Return a record made without a model, from counts: architecture, limitations and debt."""
    languages = ", ".join(
        f"{name} {n}" for name, n in statistics.sort_by_count(counted.languages.items())
    )
    central = ", ".join(key_name(key) for key, _ in counted.central[:5])
    markers = ", ".join(f"{name} {n}" for name, n in counted.markers.items()) or "no markers"
    open_share = counted.unresolved_calls / max(
        counted.unresolved_calls + counted.edges.get("calls", 0), 1
    )
    return {
        "architecture": f"{counted.files} files ({languages}), imports {counted.depth} deep. "
        f"Most depended on: {central or 'nothing'}.",
        "limitations": (
            f"{100 * open_share:.0f} % of the calls to known names have no known target."
        ),
        "tech debt": f"{markers}; {counted.deprecated} deprecated symbols.",
    }
