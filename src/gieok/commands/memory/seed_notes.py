"""Indexes what existed before Gieok, for every folder in which a session was seen.

The sources are those of `memory.files.seeds`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from gieok.agents.agent import load_agent
from gieok.flow.durable import forgotten
from gieok.flow.ingest import Failed, Report, SourceItem, ingest
from gieok.home.call import Call
from gieok.home.commits import read_commit_log
from gieok.memory.files import seeds
from gieok.memory.files.seeds import SeedFile
from gieok.model.memory import Scope
from gieok.places.project import project_scope
from gieok.places.scope import SEEDS, USER_SCOPE, repository_scope
from gieok.places.workplace import find_workplace

NOTE = "seeds"


def index_seeds(call: Call, is_stopped: Callable[[], bool] = lambda: False) -> Report:
    """Bring the index in line with agents' own notes, instructions and the logs of repositories.

    Raises StoreError.
    """
    report = Report()
    if call.privacy.pause(call.clock.now().timestamp()):
        return report
    for scope, items in _iter_seed_sources(call):
        if is_stopped():
            break
        store = call.home.store
        known = forgotten(store, scope)
        report.merge(ingest(store, scope, items, owns=_is_seed, forgotten=known))
        if items and not store.notes(scope):
            store.write_note(scope, NOTE, "1")  # by which search sees that there is something
    return report


def _is_seed(key: str) -> bool:
    return key.startswith(f"{SEEDS}/")


def _iter_seed_sources(call: Call) -> Iterator[tuple[Scope, list[SourceItem | Failed]]]:
    """Yield each scope with all its source items.

    The items are empty where the user wants no seeds, so that the scope's seeds are forgotten.
    """
    settings, user = call.home.settings, call.caller.user
    has_files = settings.flag("seed.files")
    yield (
        Scope(USER_SCOPE),
        list(
            seeds.file_items(
                Scope(USER_SCOPE),
                seeds.users_files(user) if has_files else (),
                call.home.cut,
            )
        ),
    )
    place = load_agent("claude-code").find_place(user, call.caller.environment)
    own = place.folder if place else user
    folders = sorted(call.home.journal.kept(seeds.SESSION_FOLDERS))
    noted: dict[str, list[SeedFile]] = defaultdict(list)
    for folder in folders:
        if not call.privacy.excludes_folder(folder) and (root := find_workplace(folder)):
            noted[root] += seeds.agents_notes(own, folder) if has_files else ()
    for root, files in noted.items():
        scope = Scope(project_scope(root))
        yield scope, list(seeds.file_items(scope, dict.fromkeys(files), call.home.cut))
        yield _list_repository_items(call, scope, Path(root))


def _list_repository_items(
    call: Call, project: Scope, root: Path
) -> tuple[Scope, list[SourceItem | Failed]]:
    """Return the scope of a repository's own content, and its items."""
    settings, cut = call.home.settings, call.home.cut
    scope = Scope(repository_scope(str(project)))
    items = list(
        seeds.file_items(
            scope, seeds.projects_files(root) if settings.flag("seed.files") else (), cut
        )
    )
    if most_commits := settings.integer("seed.commits"):
        items += seeds.commit_items(
            scope, root, read_commit_log(call.home, root, most_commits), cut
        )
    return scope, items
