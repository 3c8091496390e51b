"""Work in a child process, whose memory returns to the system at its end."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gieok.places.home import HOME_VARIABLE

_TICK_S = 1


def run_in_child(
    home: Path, is_stopped: Callable[[], bool], function: Callable[[], None], *arguments: str
) -> str:
    """Run a function of a module in a child process, and return its output.

    The child is ended when `is_stopped` says so. It starts in the home folder and without
    `sys.path[0]`, so that a project's own files are never imported.
    """
    name = function.__name__
    code = f"from {function.__module__} import {name}; {name}()"
    with subprocess.Popen(  # noqa: S603 - fixed program, no shell, functions of this package
        [sys.executable, "-P", "-c", code, *arguments],
        env=os.environ | {HOME_VARIABLE: str(home)},
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    ) as child:
        while True:
            try:
                return child.communicate(timeout=_TICK_S)[0].strip()
            except subprocess.TimeoutExpired:
                if is_stopped():
                    child.terminate()


def ask_child(
    home: Path,
    is_stopped: Callable[[], bool],
    function: Callable[[], None],
    *arguments: str,
) -> dict[str, Any] | None:
    """Run a function in a child process, and return the JSON object that it prints.

    Without one, None where the asker has stopped; else an empty object: it ended without an answer.
    """
    output = run_in_child(home, is_stopped, function, *arguments)
    try:
        answer = json.loads(output)
    except ValueError:
        answer = None
    if isinstance(answer, dict):
        return answer
    return None if is_stopped() else {}
