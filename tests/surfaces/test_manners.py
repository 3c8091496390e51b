"""What people expect of a command line: places to open, marks, completion, a word when
they stop it.
"""

import os
import signal
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import shtab
from world import GIEOK

from gieok.surfaces import completion

_COMPLETE = """
source "$1"; shift
for line in "$@"; do
    read -ra typed <<< "gieok $line"
    COMP_WORDS=("${typed[@]}") COMP_CWORD=$(( ${#typed[@]} - 1 )) COMPREPLY=()
    _shtab_gieok gieok "${typed[-1]}" ""
    echo "${COMPREPLY[*]}"
done
"""


@pytest.fixture
def gieok(tmp_path: Path) -> Callable[..., str]:
    """Return a function that runs the program in a folder of notes and returns what it printed."""
    notes = tmp_path / "work" / "notes"
    notes.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (notes / "2026-11-20 회의.md").write_text(
        "# Meeting\n\nNothing much.\n\nThe boilers were repaired.\n", encoding="utf-8"
    )

    def run(*arguments: str, folder: str = "work", **environment: str) -> str:
        done = subprocess.run(
            [*GIEOK, *arguments],
            cwd=tmp_path / folder,
            env=_environment(tmp_path) | environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert "Traceback" not in done.stderr
        return done.stdout

    run("index", "notes")
    return run


def _environment(user: Path) -> dict[str, str]:
    return {"HOME": str(user), "PATH": os.environ["PATH"], "GIEOK_EMBEDDER": "none"}


def test_a_hit_says_when_and_where_to_open_it(gieok: Callable[..., str]) -> None:
    first = gieok("search", "boiler repaired").splitlines()[0]
    assert "  notes/2026-11-20 회의.md:5  " in first
    assert "  2026-11-20, " in first
    assert "  ~/work/notes/2026-11-20 회의.md:5  " in gieok("search", "boiler", folder="elsewhere")
    assert gieok("get", "notes/2026-11-20 회의.md:5") == "The boilers were repaired.\n"


def test_a_decomposed_name_is_found_as_people_type_it(
    gieok: Callable[..., str], tmp_path: Path
) -> None:
    name = "회의록 정리.md"
    (tmp_path / "work" / "notes" / unicodedata.normalize("NFD", name)).write_text(
        "예산\n", encoding="utf-8"
    )
    assert gieok("get", name) == gieok("get", f"notes/{name}:1") == "예산\n"
    assert "no such file" in gieok("export", "--to", "/proc/nowhere", "--json").lower()


def test_what_matched_is_marked_where_colours_are_shown(gieok: Callable[..., str]) -> None:
    shown = gieok("search", "boiler", FORCE_COLOR="1")
    assert "\033[1;31mboilers\033[0m" in shown
    assert "\033" not in gieok("search", "boiler") + gieok(
        "search", "boiler", FORCE_COLOR="1", NO_COLOR="1"
    )


def test_bash_completes_commands_options_and_values(tmp_path: Path) -> None:
    script = tmp_path / "gieok.bash"
    script.write_text(
        shtab.complete(completion.build_completion_parser("en"), "bash"), encoding="utf-8"
    )
    wanted = {
        "sea": "search",
        "code i": "init impact install-hook",
        "search --li": "--limit",
        "search words --source me": "memory",
        "completion f": "fish",
        "help conf": "config",
        "install ge": "gemini-cli",
    }
    done = subprocess.run(
        ["bash", "-c", _COMPLETE, "bash", str(script), *wanted],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env=_environment(tmp_path),
    )
    assert dict(zip(wanted, done.stdout.splitlines(), strict=True)) == wanted


def _obey_interrupts() -> None:
    """Undo that whatever is started in the background by a shell ignores the keyboard."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_an_interrupted_command_says_what_is_kept(
    gieok: Callable[..., str], tmp_path: Path
) -> None:
    running = subprocess.Popen(
        [*GIEOK, "index", "notes", "--watch"],
        cwd=tmp_path / "work",
        env=_environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        preexec_fn=_obey_interrupts,  # noqa: PLW1509 - it takes no lock
    )
    assert running.stderr is not None
    while "watching" not in running.stderr.readline():
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said == "gieok: stopped; what was indexed is kept; `gieok index` goes on\n"
