"""Which paths a program changes, deletes, reads or commits, as its words say."""

import posixpath

import pytest

from gieok.text.gates.programs import CommandWords
from gieok.text.gates.shell import read_shell_line
from gieok.text.gates.touched import (
    COMMIT,
    DELETE,
    READ,
    RUN,
    USE,
    WRITE,
    expand_home,
    find_tool_deed,
    is_moving,
    iter_touched_paths,
)


def _list_paths(line: str) -> list[str]:
    """Return the paths of the last program of a line: `deed path`, and `…` for a whole tree."""
    step = read_shell_line(line)[-1]
    parsed = CommandWords(step.program, step.arguments)
    return [
        f"{each.deed} {each.path}{'…' if each.is_tree else ''}"
        for each in iter_touched_paths(step.path, parsed, step.arguments)
    ]


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("mv a b c", [f"{DELETE} a…", f"{DELETE} b…", f"{WRITE} c"]),
        ("cp a b", [f"{READ} a…", f"{WRITE} b"]),
        ("find a b -delete", [f"{DELETE} a…", f"{DELETE} b…"]),
        ("find a -name '*.c' -delete", [f"{DELETE} a/*.c…"]),
        ("find -delete", [f"{DELETE} .…"]),
        ("find a -type f", []),
        ("rm a b", [f"{DELETE} a", f"{DELETE} b"]),
        ("rm -r a", [f"{DELETE} a…"]),
        ("rm -R a", [f"{DELETE} a…"]),
        ("rm --recursive a", [f"{DELETE} a…"]),
        ("chmod -R 700 a", [f"{WRITE} 700…", f"{WRITE} a…"]),
        ("trash a", [f"{DELETE} a…"]),
        ("black a", [f"{WRITE} a…"]),
        ("touch a", [f"{WRITE} a"]),
        ("vim a", [f"{WRITE} a"]),
        ("cat a", [f"{READ} a"]),
        ("grep -r x a", [f"{READ} x", f"{READ} a"]),
        ("sed s/a/b/ f", [f"{READ} f"]),
        ("sed -i s/a/b/ f", [f"{WRITE} f…"]),
        ("sed -i.bak s/a/b/ f", [f"{WRITE} f…"]),
        ("sed f", [f"{READ} f"]),
        ("perl -pi.bak -e 1 f", [f"{WRITE} f…"]),
        ("perl -pe 1 f", [f"{READ} f"]),
        ("prettier --write a", [f"{WRITE} a…"]),
        ("prettier --check a", [f"{READ} a"]),
        ("prettier --invalid a", [f"{READ} a"]),
        ("ruff format a", [f"{WRITE} format…", f"{WRITE} a…"]),
        ("sort -o b a", [f"{WRITE} b…", f"{WRITE} a…"]),
        ("dd if=a of=b", [f"{WRITE} b"]),
        ("curl -o a x", [f"{WRITE} a"]),
        ("curl --output a of=x", [f"{WRITE} a"]),
        ("wget -O a x", [f"{WRITE} a"]),
        ("curl -H a x", []),
        ("git rm a", [f"{DELETE} a"]),
        ("git rm -r a", [f"{DELETE} a…"]),
        ("git mv a b c", [f"{DELETE} a…", f"{DELETE} b…", f"{WRITE} c"]),
        ("git restore a", [f"{WRITE} a…"]),
        ("git checkout a", []),
        ("git checkout -- a b", [f"{WRITE} a…", f"{WRITE} b…"]),
        ("git checkout x -- a", [f"{WRITE} a…"]),
        ("git clean", [f"{DELETE} .…"]),
        ("git clean a", [f"{DELETE} a…"]),
        ("git clean -- a", [f"{DELETE} a…"]),
        ("git add -r a", [f"{COMMIT} a"]),
        ("git commit a", [f"{COMMIT} a"]),
        ("git status a", []),
        ("git", []),
        ("./x a", [f"{RUN} ./x"]),
        ("x.sh", [f"{RUN} x.sh"]),
        ("x a/b c.d e", [f"{USE} a/b", f"{USE} c.d"]),
    ],
)
def test_the_paths_of_a_program_are_what_it_works_on(line: str, paths: list[str]) -> None:
    assert _list_paths(line) == paths


@pytest.mark.parametrize(
    ("tool", "deed"),
    [
        ("delete_file", DELETE),
        ("RemoveEdit", DELETE),
        ("MultiEdit", WRITE),
        ("read_patch", WRITE),
        ("fs_view", READ),
        ("search", USE),
    ],
)
def test_the_name_of_a_tool_says_what_it_does_to_its_paths(tool: str, deed: str) -> None:
    assert find_tool_deed(tool) == deed


def test_a_tool_that_moves_says_so_and_home_is_ones_own_folder() -> None:
    assert is_moving("fs_Rename")
    assert not is_moving("fs_copy")
    home = posixpath.expanduser("~")
    assert [expand_home(path) for path in ("$HOME", "${HOME}/a", "~/b")] == [
        home,
        f"{home}/a",
        f"{home}/b",
    ]
    assert [expand_home(path) for path in ("$HOMES/a", "a/$HOME")] == ["$HOMES/a", "a/$HOME"]
