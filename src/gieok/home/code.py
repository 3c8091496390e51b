"""Opens the code index of projects."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gieok import extras, fs
from gieok.code.index import ignore_rules, ownership
from gieok.code.index.project import Project
from gieok.code.model import layout
from gieok.errors import NotIndexed
from gieok.flow.generate import Asker
from gieok.home import code_settings, models
from gieok.home.home import Home
from gieok.home.stores import Stores
from gieok.machine.git import Git
from gieok.places.project import project_scope
from gieok.storage.index.sqlite.graph import ProjectStore

if TYPE_CHECKING:
    from gieok.machine.coverage_file import CoverageFile


@dataclass(frozen=True, slots=True)
class ProjectRealm:
    """`Realm` of a project in the journal of a home, which is opened on first use."""

    stores: Stores
    name: str

    def kept(self) -> dict[str, str]:
        """Return the values by name."""
        return self.stores.journal().kept(self.name)

    def keep(self, values: Mapping[str, str], gone: Iterable[str] = ()) -> None:
        """Set values and forget others in one transaction."""
        self.stores.journal().keep(self.name, values, gone)


def open_code_project(home: Home, root: Path) -> Project:
    """Open the index of the code below `root`.

    Raises NotIndexed where somebody else made the index.
    """
    with extras.imports_of("", "tree-sitter"):
        from gieok.machine.parsers.treesitter import TreeSitterParser
    folder = home.settings.home
    realm = ProjectRealm(home.stores, f"code:{root.resolve()}")
    # An index that another process has made and not claimed yet looks like an index that came with
    # the repository.
    with fs.lock_resource(folder, layout.index_file(root)):
        ownership.check_index_owner(folder, root)
        store = ProjectStore(
            layout.index_file(root), resident=home.resident is not None, realm=realm
        )
        try:
            ownership.claim_index(folder, root, store)
        except NotIndexed:
            store.close()
            raise
    return Project(
        root=root,
        store=store,
        parser=TreeSitterParser(),
        versions=Git(root, home.caller.environment),
        clock=home.clock,
        tuning=code_settings.load_tuning(folder, root),
    )


def load_coverage_run(file: Path) -> "CoverageFile":
    """Return the run under coverage whose data a file holds."""
    with extras.imports_of("", "coverage.py"):
        from gieok.machine.coverage_file import CoverageFile
    return CoverageFile(file)


def ignored_in(home: Path, root: Path) -> ignore_rules.IgnoreRules:
    """Return the rules that exclude files of a project's code from reading.

    The index is not opened. Raises BadConfig.
    """
    tuning = code_settings.load_tuning(home, root)
    return ignore_rules.IgnoreRules(tuning.ignore, Git(root))


def format_code_role(root: Path) -> str:
    """Return the role under which the meter counts the models' use for a project."""
    return f"code {project_scope(str(root))}"


def format_upkeep_role(root: Path) -> str:
    """Return the role under which the meter counts the cheap model's summaries of changes."""
    return f"code upkeep {project_scope(str(root))}"


def open_code_asker(home: Home, root: Path, model: str) -> Asker | None:
    """Return an asker of `model`, or else of the configured model, about the code of a folder."""
    settings = home.settings
    if not (model := model or settings.text("code.model")):
        return None
    return models.asker(
        home,
        format_code_role(root),
        models.generator(settings, models.select_code_prefix(settings, model), model),
    )


def open_upkeep_asker(home: Home, root: Path) -> Asker | None:
    """Return an asker of the cheap model about changes in a folder.

    The asker tries once: a change that fails waits for the next sync.
    """
    settings = home.settings
    if not (model := settings.text("code.upkeep_model")):
        return None
    asker = models.asker(
        home,
        format_upkeep_role(root),
        models.generator(settings, models.upkeep_prefix(settings), model),
    )
    return replace(asker, delays_s=())
