"""Answers calls in the daemon: in the caller's folder and environment, with what this process keeps open."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from gieok import paths
from gieok.app import open_context
from gieok.app.resident import Resident
from gieok.daemon.call import HOOK, WAKING, Call
from gieok.daemon.client import Daemon
from gieok.daemon.server import Answering
from gieok.errors import unexpected
from gieok.ops.operation import Surface
from gieok.ops.run import Answer, failed, run


def answering(resident: Resident) -> Answering:
    """Return what answers calls with the stores and models of `resident`."""
    return partial(answered, resident)


def answered(
    resident: Resident, call: Call, say: Callable[[str], None], tell: Callable[[str], None]
) -> Mapping[str, Any]:
    """Return the answer to a call (`ops.run.Answer` by name), also where something unexpected happens."""
    try:
        answer = _answer(resident, call, say, tell)
    except Exception as error:  # noqa: BLE001 - the caller is told, as at a terminal
        answer = failed(unexpected(error))
    return answer._asdict() | {"failure": answer.failure and answer.failure._asdict()}


def warm(resident: Resident, home: Path) -> None:
    """Open what the first prompt needs: the model takes half a second, and a hook waits for a tenth."""
    answered(
        resident, Call("recall", {"prompt": [WAKING]}, HOOK, str(home), os.environ), lambda _: None, lambda _: None
    )


def _answer(resident: Resident, call: Call, say: Callable[[str], None], tell: Callable[[str], None]) -> Answer:
    return run(
        call.operation,
        call.values,
        lambda found: open_context(
            call.flags,
            environment=call.environment,
            folder=Path(call.folder),
            lang=call.lang,
            resident=resident,
            say=say,
            tell=tell,
            daemon=lambda: Daemon(paths.home()),
            forgiving=found.runs_without_settings,
        ),
        Surface(call.surface),
        lang=call.text_lang,
        colour=call.colour,
        verbatim=call.verbatim,
    )
