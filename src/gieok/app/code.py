"""Opens the code of projects."""

from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from gieok import config, fs, registry, resolved
from gieok.app import models
from gieok.app.wiring import Wiring
from gieok.code.index import ignoring, ownership
from gieok.code.index.project import Project
from gieok.code.model import layout
from gieok.config import Settings
from gieok.errors import BadConfig, NotIndexed
from gieok.flow.durable import JournalRealm
from gieok.flow.generate import Asker
from gieok.ops.code.project import role_of, upkeep_role_of
from gieok.ops.context import CodeContext
from gieok.ports.code import CoverageRun


def opened(wiring: Wiring) -> CodeContext:
    """Put the context together; the index of a folder is opened when it is asked for, and once."""
    return CodeContext(
        project=cache(partial(_project, wiring)),
        coverage=_coverage,
        asker=partial(_asker, wiring),
        upkeep=partial(_upkeep, wiring),
    )


def _project(wiring: Wiring, root: Path) -> Project:
    """Open the index of the code below `root`. Raises NotIndexed where somebody else made it."""
    home = wiring.settings.home
    realm = JournalRealm(wiring.stores.journal, f"code:{root.resolve()}")
    # An index that another process has made and not claimed yet looks like one that came along.
    with fs.lock_resource(home, layout.index_file(root)):
        ownership.check(home, root)
        store = registry.load(registry.PROJECT_STORES, "sqlite")(
            layout.index_file(root), resident=wiring.resident is not None, realm=realm
        )
        try:
            ownership.claim(home, root, store)
        except NotIndexed:
            store.close()
            raise
    return Project(
        root=root,
        store=store,
        parser=registry.load(registry.PARSERS, "tree-sitter")(),
        versions=registry.load(registry.VERSIONS, "git")(root, wiring.caller.environment),
        clock=wiring.clock,
        ignore=_ignored(root / layout.FOLDER / "config.yaml"),
    )


def _coverage(file: Path) -> CoverageRun:
    made: CoverageRun = registry.load(registry.COVERAGE, "coverage.py")(file)
    return made


def _ignored(file: Path) -> tuple[str, ...]:
    """Return the patterns under `ignore` in a project's settings of its code. Raises BadConfig."""
    if not file.is_file():
        return ()
    try:
        found = config.mapping(str(file), file.read_bytes())
    except OSError as error:
        raise resolved.unreadable(str(file), error) from error
    patterns: object = found.pop("ignore", None) or []
    if found:
        raise BadConfig(
            f"unknown setting {min(map(str, found))!r} in {str(file)!r}", hint="known: ignore"
        )
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        raise BadConfig(f"`ignore` in {str(file)!r} must be a list of patterns")
    return tuple(patterns)


def ignored_in(root: Path) -> ignoring.IgnoreRules:
    """Return who says what is not read of a project's code. Its index is not opened. Raises
    BadConfig.
    """
    patterns = _ignored(root / layout.FOLDER / "config.yaml")
    return ignoring.IgnoreRules(patterns, registry.load(registry.VERSIONS, "git")(root))


def _asker(wiring: Wiring, root: Path, model: str) -> Asker | None:
    """Return what asks `model`, or else the configured one, about the code of a folder."""
    settings = wiring.settings
    if not (model := model or settings.text("code.model")):
        return None
    return models.asker(
        wiring, role_of(root), models.generator(settings, _prefix(settings, model), model)
    )


def _prefix(settings: Settings, model: str) -> str:
    """Return where the address and key of a model are set: those that were set for one provider
    never go to another.
    """
    configured = settings.text("code.model")
    is_others = configured and configured.partition(":")[0] != model.partition(":")[0]
    return "" if is_others else "code."


def _upkeep(wiring: Wiring, root: Path) -> Asker | None:
    """Return what asks the cheap model about changes in a folder. It tries once: what fails waits
    for the next sync.
    """
    settings = wiring.settings
    if not (model := settings.text("code.upkeep_model")):
        return None
    made = models.asker(
        wiring, upkeep_role_of(root), models.generator(settings, upkeep_prefix(settings), model)
    )
    return replace(made, delays_s=())


def upkeep_prefix(settings: Settings) -> str:
    """Return where the address and key of the cheap model are set."""
    has_own = any(settings.text(f"code.upkeep_{name}") for name in ("base_url", "key_variable"))
    return "code.upkeep_" if has_own else _prefix(settings, settings.text("code.upkeep_model"))
