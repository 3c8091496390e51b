"""Calls are opened here: settings are read, the scope is found, the home is put together."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from gieok import private
from gieok.errors import BadConfig
from gieok.home.call import Call
from gieok.home.caller import Caller
from gieok.home.home import Home
from gieok.model.memory import Scope
from gieok.places.project import list_project_scopes
from gieok.places.scope import USER_SCOPE
from gieok.places.workplace import find_workplace, project_root
from gieok.ports.system import Clock
from gieok.settings.values import Settings, load_effective_settings
from gieok.text.secrets.finder import use_secret_finder
from gieok.zone import find_zone

if TYPE_CHECKING:
    from gieok.home.resident import Resident


class SystemClock:
    """`Clock` by the operating system."""

    def now(self) -> datetime:
        """Return the time."""
        return datetime.fromtimestamp(time.time(), UTC)


def open_call(
    flags: Mapping[str, str],
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    lang: str = "en",
    resident: "Resident | None" = None,
    say: Callable[[str], None] = lambda line: None,
    tell: Callable[[str], None] = lambda line: None,
    ask: Callable[[str], str] | None = None,
    clock: Clock | None = None,
    zone: tzinfo | None = None,
    has_daemon: bool = False,
    wait: Callable[[float], object] = time.sleep,
    forgiving: bool = False,
    is_placed: bool = True,
) -> Call:
    """Build the call of a caller.

    `environment` and `folder` default to those of this process. `flags`, `lang` and `is_placed` as
    in `Caller`; `say`, `tell`, `ask` as in `Call`; `wait`, `resident`, `has_daemon` as in `Home`.
    `forgiving` ignores a wrong setting, which otherwise raises BadConfig.
    """
    caller = Caller(
        folder=folder or Path.cwd(),
        environment=os.environ if environment is None else environment,
        flags=flags,
        lang=lang,
        is_placed=is_placed,
    )
    troubles: list[BadConfig] = []
    settings = load_effective_settings(
        flags, caller.environment, caller.folder, troubles if forgiving else None
    )
    _use_rules(settings, in_call=resident is not None, is_sound=not troubles)
    clock = clock or SystemClock()
    zone = zone or find_zone(settings.text("zone"))
    lang = lang if settings.text("lang") == "auto" else settings.text("lang")
    home = Home(
        settings=settings,
        caller=caller,
        clock=clock,
        zone=zone,
        lang=lang,
        say=say,
        wait=wait,
        resident=resident,
        has_daemon=has_daemon,
    )
    private.use_privacy(home.privacy)
    use_secret_finder(home.build_secret_finder(), in_call=resident is not None)
    scope, *also = _resolve_scopes(
        caller.folder, settings.text("scope"), settings.text("hook.scopes")
    )
    return Call(
        home=home,
        caller=caller,
        scope=scope,
        also=tuple(also),
        is_scope_named=settings.text("scope") != "auto",
        troubles=troubles,
        lang=lang,
        zone=zone,
        clock=clock,
        say=say,
        tell=tell,
        ask=ask,
        privacy=home.privacy,
    )


def rescope_call(call: Call) -> Call:
    """Return the call with the current scopes of its folder.

    The first record turns a folder into a project, which changes its scopes.
    """
    settings = call.home.settings
    scope, *also = _resolve_scopes(
        call.caller.folder, settings.text("scope"), settings.text("hook.scopes")
    )
    return replace(call, scope=scope, also=tuple(also))


def _resolve_scopes(folder: Path, named: str, beside: str) -> tuple[Scope, ...]:
    """Return the scope to read and write, then the scopes that are only read beside it.

    In a project, the second scope is the user's own. Records written in a repository that is no
    project go to the user's scope; conversations in that repository are read beside it.
    """
    if named != "auto":
        return (Scope(named),)
    project = project_root(str(folder))
    if project:
        return tuple(map(Scope, list_project_scopes(project, beside)))
    return tuple(
        map(
            Scope,
            dict.fromkeys(
                (
                    USER_SCOPE,
                    *list_project_scopes(find_workplace(str(folder)), beside),
                )
            ),
        )
    )


def _use_rules(settings: Settings, *, in_call: bool, is_sound: bool) -> None:
    """Apply the user's own redaction rules too.

    Where the settings cannot be read, the last rules stay in force.
    """
    text = settings.text("redact.rules")
    # Without rules nothing needs to be done until some code has looked for a secret.
    if text or (is_sound and (in_call or "gieok.text.redact.user_rules" in sys.modules)):
        from gieok.text.redact import user_rules

        user_rules.use_own_rules(user_rules.parse_own_rules(text), in_call=in_call)
