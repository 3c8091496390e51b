"""Answers to calls in the daemon, with the stores and models that the process keeps open.

A call is answered for the caller's folder and environment.
"""

import os
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from gieok.commands.command import Surface
from gieok.commands.run import OperationAnswer, build_failed_answer, run_operation
from gieok.daemon.server import Answering
from gieok.errors import GieokError, unexpected
from gieok.flow.gate_rules import DAMAGED, load_gate_rules
from gieok.home.calls import open_call
from gieok.home.resident import Resident
from gieok.ports.store import VectorSearch
from gieok.processes.call import HOOK, WAKING, DaemonCall

#: Command that does something, as far as anybody knows: it is only held against the rules.
_DOING = "gieok-opens-what-a-rule-is-read-with --now"


def answering(resident: Resident) -> Answering:
    """Return the function that answers calls with the stores and models of `resident`."""
    return partial(answer_call, resident)


def answer_call(
    resident: Resident, call: DaemonCall, say: Callable[[str], None], tell: Callable[[str], None]
) -> Mapping[str, Any]:
    """Return the answer to a call, also after an unexpected error.

    The answer is an `commands.run.OperationAnswer`, field by field.
    """
    try:
        answer = _run_called_operation(resident, call, say, tell)
    except Exception as error:  # noqa: BLE001 - the caller is told, as at a terminal
        answer = build_failed_answer(unexpected(error))
    if call.surface == HOOK and call.operation == "recall" and resident.claim_gate_opening():
        # A prompt comes before the tools that the agent then uses.
        threading.Thread(target=warm_gate, args=(resident, call), daemon=True).start()
    return answer._asdict() | {"failure": answer.failure and answer.failure.encode()}


def warm_gate(resident: Resident, call: DaemonCall) -> None:
    """Open what holds a tool's use against the sense of rules, where there are such rules.

    Opening it takes as long as the hook before a tool waits, so that the first use would pass.
    """
    try:
        opened = open_call({}, environment=call.environment, folder=Path(call.folder))
        rules = load_gate_rules(str(opened.home.folder))
    except (GieokError, OSError, *DAMAGED):
        return  # the call that needs it says it
    handles = [rule.handle for rule in rules if rule.sense]
    if handles:
        use = {"tool": "Bash", "command_line": _DOING, "among": ",".join(handles)}
        answer_call(
            resident,
            DaemonCall(
                operation="rules try",
                values=use,
                surface=HOOK,
                folder=call.folder,
                environment=call.environment,
            ),
            lambda _: None,
            lambda _: None,
        )


def warm_resident(resident: Resident, home: Path) -> bool:
    """Open the model and stores that the first prompt needs; return whether a model was loaded.

    Raises EmbedderFailed. A model takes half a second to load, as long as a hook waits, and the
    part of the reader that a recall needs takes seconds to build, once. A recall alone would load
    neither where the home's own scope is empty and all memories are in scopes of projects.
    """
    call = open_call({}, environment=os.environ, folder=home, resident=resident)
    embedder = call.home.open_embedder() if isinstance(call.home.store, VectorSearch) else None
    if embedder is not None:
        embedder.embed_query(WAKING)
        reader = call.home.open_help_reader()
        if reader is not None:
            reader.measure_help(WAKING, [WAKING])
    answer_call(
        resident,
        DaemonCall("recall", {"prompt": [WAKING]}, HOOK, str(home), os.environ),
        lambda _: None,
        lambda _: None,
    )
    return embedder is not None


def _run_called_operation(
    resident: Resident, call: DaemonCall, say: Callable[[str], None], tell: Callable[[str], None]
) -> OperationAnswer:
    return run_operation(
        call.operation,
        call.values,
        lambda found: open_call(
            call.flags,
            environment=call.environment,
            folder=Path(call.folder),
            lang=call.lang,
            resident=resident,
            say=say,
            tell=tell,
            has_daemon=True,
            forgiving=found.runs_without_settings,
        ),
        Surface(call.surface),
        lang=call.text_lang,
        colour=call.colour,
        verbatim=call.verbatim,
    )
