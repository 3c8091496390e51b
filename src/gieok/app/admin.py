"""Opens settings, other stores and processes, for commands that maintain the home."""

from functools import partial

from gieok import config, registry
from gieok.app import keys, models, notices
from gieok.app.wiring import Wiring
from gieok.config import Settings
from gieok.errors import EmbedderFailed
from gieok.ops.context import AdminContext, ModelTrial, Ribs, SettingRow, Watching
from gieok.option import Option
from gieok.ports.backup import Backups
from gieok.ports.encryption import Encryption
from gieok.ports.models import Embedder, SelfCheck
from gieok.ports.setup import SetupAccess
from gieok.ports.system import Watcher


def open_admin_context(wiring: Wiring) -> AdminContext:
    """Build the context."""
    settings, stores = wiring.settings, wiring.stores
    return AdminContext(
        settings=tuple(_build_setting_row(settings, option) for option in config.OPTIONS),
        store_names={name: row.is_remote for name, row in registry.STORES.items()},
        open_store=stores.open,
        choose=partial(config.choose, settings),
        wrong_settings=partial(config.wrong, settings.home),
        journal_names=tuple(registry.JOURNALS),
        open_journal=stores.open_journal,
        open_accounts=stores.open_accounts,
        has_accounts=stores.has_accounts,
        left_stores=stores.left,
        elsewhere=stores.elsewhere,
        set_aside=stores.set_aside,
        try_embedder=_try_embedder,
        observer=lambda: models.observer(wiring),
        model_trials=lambda: _model_trials(wiring),
        is_paid=partial(models.is_paid, settings),
        watching=Watching(
            _open_file_watcher,
            settings.integer("watch.debounce_ms"),
            settings.integer("watch.rescan_s"),
        ),
        daemon=wiring.daemon,
        keys=lambda: keys.HomeKeys(wiring),
        notices=lambda: notices.open_notices(wiring),
        setup=partial(_open_setup, wiring),
        reopened=partial(_reopen_ribs, wiring),
        backups=lambda: _open_backups(wiring),
        encryption=lambda: _open_encryption(wiring),
        secret=settings.secret,
    )


def _open_setup(wiring: Wiring) -> SetupAccess:
    from gieok.app.setup import HomeSetup  # for one command

    return HomeSetup(wiring)


def _reopen_ribs(wiring: Wiring) -> Ribs:
    from gieok.app.setup import reopened

    return reopened(wiring)


def _model_trials(wiring: Wiring) -> tuple[ModelTrial, ...]:
    from gieok.app.trials import trials  # for one command

    return tuple(trials(wiring))


def _open_backups(wiring: Wiring) -> Backups:
    from gieok.app.backups import HomeBackups  # few commands need it

    return HomeBackups(wiring)


def _open_encryption(wiring: Wiring) -> Encryption:
    from gieok.app.encryption import HomeEncryption  # as above

    return HomeEncryption(wiring)


def _build_setting_row(settings: Settings, option: Option) -> SettingRow:
    setting = settings.values[option.name]
    shown_value = (
        config.without_password(str(setting.value)) if option.is_address else str(setting.value)
    )
    return SettingRow(
        option.name,
        shown_value,
        setting.origin,
        option.doc,
        default=str(option.default).lower()
        if option.default in (True, False)
        else str(option.default),
    )


def _open_file_watcher() -> Watcher:
    watcher: Watcher = registry.load_backend(registry.WATCHERS, "watchfiles")()
    return watcher


def _try_embedder(embedder: Embedder) -> str:
    """Use the embedder once, and let it check itself where it can. Raises EmbedderFailed."""
    embedder.embed_query("기억")
    wrong = embedder.check() if isinstance(embedder, SelfCheck) else []
    if wrong:
        raise EmbedderFailed("; ".join(wrong))
    return "it embeds"
