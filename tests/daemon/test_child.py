"""Work in a child process ends with the process that asked for it."""

import os
import signal
from pathlib import Path

import pytest

from gieok.processes.child import run_in_child


@pytest.mark.skipif(os.name == "nt", reason="no such call there")
def test_a_child_that_would_never_end_ends_when_its_asker_stops(tmp_path: Path) -> None:
    assert run_in_child(tmp_path, lambda: True, signal.pause) == ""
