"""The only wiring: settings → backends → the context that operations work in. Everything is opened when first used."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import gieok
from gieok import config, paths, places
from gieok.backends import registry
from gieok.backends.opening import Opening
from gieok.capabilities.files.cut import Cut
from gieok.capabilities.files.profile import PROFILES
from gieok.engine.recall import Profile
from gieok.errors import BadConfig, EmbedderFailed, NotIndexed, ShapeMismatch
from gieok.model import Scope
from gieok.ops.context import Context, SettingRow
from gieok.ports import Clock, Embedder, SelfCheck, Store, Watcher

if TYPE_CHECKING:
    from gieok.capabilities.code.project import Project
    from gieok.capabilities.prompt.recollect import Reader

#: The store that is kept beside a remote one where the user wants both.
_LOCAL = "sqlite"


class SystemClock:
    """`Clock` by the operating system."""

    def now(self) -> datetime:
        """Return the time."""
        return datetime.now(UTC)


def open_context(
    flags: Mapping[str, str],
    *,
    resident: bool = False,
    say: Callable[[str], None] = lambda line: None,
    tell: Callable[[str], None] = lambda line: None,
    ask: Callable[[str], str] | None = None,
    lang: str = "en",
    clock: Clock | None = None,
    zone: tzinfo | None = None,
) -> Context:
    """Put everything together. `flags` is setting name → text; `resident` is for processes that live long.

    `lang` is the language to use where the settings leave it open; `say`, `tell` and `ask` as in `Context`.
    """
    settings = config.load(flags)
    clock = clock or SystemClock()
    scopes = _scopes(settings.text("scope"), settings.text("hook.scopes"))
    opening = Opening(settings.home, settings.text, settings.secret, is_resident=resident)

    @cache
    def open_store(name: str) -> Store:
        opened: Store = registry.load(registry.STORES, name)(opening)
        return opened

    def stores() -> list[Store]:
        name = settings.text("store")
        beside = registry.STORES[name].is_remote and settings.flag("hybrid")
        return [open_store(name), *([open_store(_LOCAL)] if beside else [])]

    @cache
    def embedder() -> Embedder | None:
        name = settings.text("embedder")
        if name == "none":
            return None
        made: Embedder = registry.load(registry.EMBEDDERS, name)(
            paths.models(settings.home), threads=settings.integer("threads"), say=say
        )
        return made

    return Context(
        home=settings.home,
        store_name=settings.text("store"),
        store_names=tuple(registry.STORES),
        hybrid=settings.flag("hybrid"),
        embedder_name=settings.text("embedder"),
        store=lambda: open_store(settings.text("store")),
        stores=stores,
        open_store=open_store,
        choose_store=partial(config.choose, settings, "store"),
        embedder=embedder,
        try_embedder=_try_embedder,
        watcher=_open_watcher,
        clock=clock,
        zone=zone or clock.now().astimezone().tzinfo or UTC,
        scope=scopes[0],
        also=scopes[1:],
        is_scope_named=settings.text("scope") != "auto",
        profile=partial(_profile, settings),
        cut=Cut(settings.integer("index.passage_tokens"), settings.integer("index.overlap_tokens")),
        debounce_ms=settings.integer("watch.debounce_ms"),
        rescan_s=settings.integer("watch.rescan_s"),
        settings=tuple(_row(settings, option) for option in config.OPTIONS),
        say=say,
        tell=tell,
        ask=ask,
        glance=partial(
            _glance, places.local_index(str(settings.home), settings.text("store"), hybrid=settings.flag("hybrid"))
        ),
        lang=lang if settings.text("lang") == "auto" else settings.text("lang"),
        version=gieok.__version__,
        folder=Path.cwd(),
        project=cache(partial(_open_project, resident=resident, clock=clock)),
        writer=lambda: None,
    )


def scopes_here(context: Context) -> tuple[Scope, ...]:
    """Return the scopes that a context made in this folder now would have."""
    values = {row.name: row.value for row in context.settings}
    return _scopes(values["scope"], values["hook.scopes"])


def _scopes(named: str, beside: str) -> tuple[Scope, ...]:
    """Return the scope to read and write, then those that are read beside it: in a project, the user's own."""
    if named != "auto":
        return (Scope(named),)
    project = places.project_root(str(Path.cwd()))
    return tuple(map(Scope, places.scopes(project, beside if project else places.USER_SCOPE)))


def _row(settings: config.Settings, option: config.Option) -> SettingRow:
    setting = settings.values[option.name]
    shown = config.without_password(str(setting.value)) if option.is_address else str(setting.value)
    return SettingRow(option.name, shown, setting.origin, option.doc)


def _glance(location: str) -> "tuple[Reader, type[Exception]]":
    from gieok.backends.stores.sqlite.glance import Glance, Late, Mismatch, Missing

    try:
        return Glance(location), Late
    except Missing as error:
        raise NotIndexed(f"there is no index at {location!r}") from error
    except Mismatch as error:
        raise ShapeMismatch(str(error)) from error


def _open_project(root: Path, *, resident: bool, clock: Clock) -> "Project":
    """Open the index of the code below `root`."""
    from gieok.capabilities.code import layout  # a cold search has no time for it
    from gieok.capabilities.code.project import Project

    return Project(
        root,
        registry.load(registry.PROJECT_STORES, "sqlite")(layout.index_file(root), resident=resident),
        registry.load(registry.PARSERS, "tree-sitter")(),
        registry.load(registry.VERSIONS, "git")(root),
        clock,
        config.ignored(root / layout.FOLDER / "config.yaml"),
    )


def _open_watcher() -> Watcher:
    watcher: Watcher = registry.load(registry.WATCHERS, "watchfiles")()
    return watcher


def _try_embedder(embedder: Embedder) -> str:
    """Use the embedder, and let it check itself if it can. Raises EmbedderFailed."""
    embedder.embed_query("기억")
    wrong = embedder.check() if isinstance(embedder, SelfCheck) else []
    if wrong:
        raise EmbedderFailed("; ".join(wrong))
    return "it embeds"


def _profile(settings: config.Settings, name: str) -> Profile:
    name = name or settings.text("search.profile")
    if name not in PROFILES:
        raise BadConfig(f"unknown profile {name!r}", hint=f"profiles: {', '.join(PROFILES)}")
    profile = PROFILES[name]
    if limit := settings.integer("search.limit"):
        profile = profile.with_limit(limit)
    if (score := settings.number("search.min_score")) >= 0:
        profile = replace(profile, min_score=score)
    if (days := settings.number("search.half_life_days")) >= 0:
        profile = replace(profile, half_life_days=days)
    return profile
