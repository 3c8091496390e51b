"""What git ignores is not indexed: compared with git itself, with and without git's help."""

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gieok.code.index import ignore_rules
from gieok.code.index.ignore_rules import IgnoreRules
from gieok.machine.git import Git

_PARTS = (
    ":a",
    "a",
    "b",
    "tmp",
    "foo",
    "foo bar",
    "#x",
    "!x",
    "foo.py",
    "b.py",
    "fooxbar.py",
    "[z].py",
    "x",
    "한글.py",
)
_PIECES = (
    "a",
    "b",
    "tmp",
    "foo",
    "*",
    "**",
    "?",
    "f*",
    "*.py",
    "foo?bar",
    "foo?bar.py",
    "[a-f]*",
    "[!a]*",
    "\\#x",
    "\\!x",
    "한글.py",
    "foo bar",
    "x\\ ",
    "[[]z].py",
)
_Path = st.lists(st.sampled_from(_PARTS), min_size=1, max_size=4).map("/".join)
_Pattern = st.tuples(
    st.sampled_from(("", "", "", "!")),
    st.sampled_from(("", "", "/", "**/")),
    st.lists(st.sampled_from(_PIECES), min_size=1, max_size=3).map("/".join),
    st.sampled_from(("", "", "/", "/**", "/**/", "  ")),
).map("".join)
_Patterns = st.lists(st.one_of(_Pattern, st.sampled_from(("", "# no", "!", "/", "#x"))), max_size=6)


def _git(root: Path, *arguments: str) -> bytes:
    command = [
        "git",
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.c",
        "-c",
        "core.excludesFile=",
        *arguments,
    ]
    return subprocess.run(command, cwd=root, check=True, capture_output=True).stdout


def _write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _tree(root: Path, paths: list[str], patterns: Mapping[str, list[str]]) -> None:
    _git(root, "init", "-q")
    for path in paths:
        file = root / path
        if any(parent.is_file() for parent in file.parents) or file.is_dir():
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n", encoding="utf-8")
    for folder, lines in patterns.items():
        if (root / folder).is_dir():
            (root / folder / ".gitignore").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _files(root: Path) -> set[str]:
    """Return every file but those of git."""
    return {
        file.relative_to(root).as_posix()
        for file in root.rglob("*")
        if file.is_file() and ".git" not in file.parts
    }


def _kept(root: Path) -> set[str]:
    """Return what git says is not ignored."""
    listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return {os.fsdecode(name) for name in listed.split(b"\0") if name}


def _both_ways(root: Path, rules: IgnoreRules) -> set[str]:
    """Return what the scan finds, which must be what looking at each path says."""
    found = {path for path, _ in ignore_rules.iter_unignored_files(root, rules)}
    every = sorted(_files(root))
    assert found == set(every) - ignore_rules.left_out(root, every, rules)
    return found


_SETTINGS = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@_SETTINGS
@given(paths=st.lists(_Path, min_size=1, max_size=12), top=_Patterns, below=_Patterns)
def test_what_git_says_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, paths: list[str], top: list[str], below: list[str]
) -> None:
    root = tmp_path_factory.mktemp("tree")
    _tree(root, paths, {"": top, "a": below})
    assert _both_ways(root, IgnoreRules((), Git(root))) == _kept(root)


@_SETTINGS
@given(paths=st.lists(_Path, min_size=1, max_size=12), top=_Patterns, below=_Patterns)
def test_without_git_nothing_is_read_that_git_ignores(
    tmp_path_factory: pytest.TempPathFactory, paths: list[str], top: list[str], below: list[str]
) -> None:
    root = tmp_path_factory.mktemp("tree")
    _tree(root, paths, {"": top, "a": below})
    found = _both_ways(root, IgnoreRules())
    assert found <= _kept(root)
    if not any(line.startswith("!") or line.endswith("/**/") for line in (*top, *below)):
        assert found == _kept(root)


_PRIVATE = {
    "private/**": ["private/salary.py", "private/deep/salary.py"],
    "foo/**/": ["foo/bar/a.py"],
    "**/tmp/**": ["x/tmp/a.py", "tmp/b/c.py"],
    "\\#x": ["#x/a.py"],
    "\\!x": ["!x/a.py"],
    "secret.py   ": ["secret.py"],
}


@pytest.mark.parametrize("has_git", [True, False])
@pytest.mark.parametrize("pattern", _PRIVATE)
def test_private_files_are_left_out(tmp_path: Path, pattern: str, has_git: bool) -> None:
    _write(tmp_path, dict.fromkeys([*_PRIVATE[pattern], "kept.py", "foo/bar.py"], "x = 1\n"))
    (tmp_path / ".gitignore").write_text(f"{pattern}\n", encoding="utf-8")
    _git(tmp_path, "init", "-q")
    found = _both_ways(tmp_path, IgnoreRules((), Git(tmp_path) if has_git else None))
    assert not found & {*_PRIVATE[pattern]}
    assert found >= {".gitignore", "kept.py"}
    assert not has_git or "foo/bar.py" in found


def test_a_sign_for_one_letter_does_not_stand_for_a_slash(tmp_path: Path) -> None:
    _write(
        tmp_path, {"foo/bar/a.py": "x = 1\n", "fooxbar/a.py": "x = 1\n", ".gitignore": "foo?bar\n"}
    )
    assert "foo/bar/a.py" in _both_ways(tmp_path, IgnoreRules())
    assert "fooxbar/a.py" not in _both_ways(tmp_path, IgnoreRules())


def test_repositories_inside_speak_for_themselves_and_what_is_tracked_counts(
    tmp_path: Path,
) -> None:
    inner = {
        "inner/.gitignore": "p/\n",
        "inner/p/a.py": "",
        "inner/b.py": "",
        "inner/deep/p/c.py": "",
    }
    _write(
        tmp_path,
        {
            **inner,
            "out/d.py": "",
            "out/kept.py": "",
            "e.py": "",
            "gone.py": "",
            ".gitignore": "out/\n",
        },
    )
    _write(tmp_path, {"out/repository/f.py": ""})
    _git(tmp_path, "init", "-q")
    _git(tmp_path / "inner", "init", "-q")
    _git(tmp_path / "out" / "repository", "init", "-q")
    _git(tmp_path, "add", "-f", "out/kept.py", "gone.py")
    (tmp_path / "gone.py").unlink()
    rules = IgnoreRules((), Git(tmp_path))
    assert {p for p in _both_ways(tmp_path, rules) if p.endswith(".py")} == {
        "inner/b.py",
        "out/kept.py",
        "e.py",
    }
    assert ignore_rules.left_out(tmp_path, ["out/new.py", "inner/p/new.py", "new.py"], rules) == {
        "out/new.py",
        "inner/p/new.py",
    }


def test_a_build_folder_that_a_repository_inside_tracks_is_read(tmp_path: Path) -> None:
    paths = ["inner/build/a.py", "inner/deep/target/b.py", "inner/vendor/new.py", "build/c.py"]
    _write(tmp_path, dict.fromkeys([*paths, "a.py"], ""))
    for folder in (tmp_path, tmp_path / "inner", tmp_path / "inner" / "deep"):
        _git(folder, "init", "-q")
    _git(tmp_path, "add", "a.py")
    _git(tmp_path / "inner", "add", "build")
    _git(tmp_path / "inner" / "deep", "add", "target")
    rules = IgnoreRules((), Git(tmp_path))
    assert _both_ways(tmp_path, rules) == {"a.py", "inner/build/a.py", "inner/deep/target/b.py"}


def test_a_folder_that_the_repository_around_it_ignores_is_read_by_its_own_patterns(
    tmp_path: Path,
) -> None:
    _write(
        tmp_path,
        {".gitignore": "work/\n", "work/a.py": "", "work/b.py": "", "work/.gitignore": "b.py\n"},
    )
    _git(tmp_path, "init", "-q")
    root = tmp_path / "work"
    assert "a.py" in _both_ways(root, IgnoreRules((), Git(root)))
    assert "b.py" not in _both_ways(root, IgnoreRules((), Git(root)))


@pytest.mark.parametrize("broken", ["HEAD", "config"])
def test_a_broken_repository_is_read_by_its_patterns(tmp_path: Path, broken: str) -> None:
    _write(
        tmp_path,
        {
            ".gitignore": "private/**\n",
            "private/a.py": "",
            "b.py": "",
            "sub/c.py": "",
            "sub/d.py": "",
        },
    )
    _git(tmp_path, "init", "-q")
    (tmp_path / ".git" / "info" / "exclude").write_text("d.py\n", encoding="utf-8")
    (tmp_path / ".git" / broken).write_text("[[[\n", encoding="utf-8")
    assert _both_ways(tmp_path, IgnoreRules((), Git(tmp_path))) >= {"b.py", "sub/c.py"}
    assert not _both_ways(tmp_path, IgnoreRules((), Git(tmp_path))) & {"private/a.py", "sub/d.py"}
    below = _both_ways(tmp_path / "sub", IgnoreRules((), Git(tmp_path / "sub")))
    assert below == {"c.py"}


def test_without_the_program_the_patterns_of_the_clone_and_of_folders_above_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(
        tmp_path,
        {".gitignore": "/sub/private/**\n", "sub/private/a.py": "", "sub/b.py": "", "sub/c.py": ""},
    )
    _git(tmp_path, "init", "-q")
    (tmp_path / ".git" / "info" / "exclude").write_text("c.py\n", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Git(tmp_path).files() is None
    assert _both_ways(tmp_path / "sub", IgnoreRules((), Git(tmp_path / "sub"))) == {"b.py"}


def test_the_users_patterns_count_beside_those_of_git(tmp_path: Path) -> None:
    _write(tmp_path, {"a/b.py": "", "a/c.py": "", "d.py": "", "a/e/f.py": ""})
    _git(tmp_path, "init", "-q")
    for versions in (Git(tmp_path), None):
        assert _both_ways(tmp_path, IgnoreRules(("/a/c.py", "e/"), versions)) == {"a/b.py", "d.py"}


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_tracked_folder_that_became_a_link_leads_nowhere(tmp_path: Path) -> None:
    root = tmp_path / "project"
    _write(root, {"a/b.py": "", "c.py": ""})
    _write(tmp_path, {"elsewhere/b.py": "password = 1\n"})
    _git(root, "init", "-q")
    _git(root, "add", ".")
    shutil.rmtree(root / "a")
    (root / "a").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert {
        path for path, _ in ignore_rules.iter_unignored_files(root, IgnoreRules((), Git(root)))
    } == {"c.py"} | ({"a"} if (root / "a").is_symlink() else set())


@pytest.mark.skipif(os.name == "nt", reason="a script of the shell")
def test_no_program_of_the_repository_runs(tmp_path: Path) -> None:
    root = tmp_path / "project"
    _write(root, {"a.py": "x = 1\n"})
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'ran'}'\n", encoding="utf-8")
    script.chmod(0o700)
    _git(root, "init", "-q")
    _git(root, "add", ".")
    for name in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "filter.x.clean",
        "filter.x.smudge",
        "diff.external",
    ):
        _git(root, "config", name, str(script))
    _write(root, {".gitattributes": "* filter=x\n", "a.py": "x = 2\n"})
    git = Git(root)
    assert git.files() == {".gitattributes", "a.py"}
    assert git.ignored(["a.py", "b.py"]) == frozenset()
    assert not (tmp_path / "ran").exists()


def test_a_file_of_patterns_is_read_up_to_a_size(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    patterns = tmp_path / ".gitignore"
    for size, found in ((1_000_000, [".gitignore"]), (1_000_001, [".gitignore", "a.py"])):
        patterns.write_text("a.py\n" + "#" * (size - 5))
        assert [p for p, _ in ignore_rules.iter_unignored_files(tmp_path, IgnoreRules())] == found


def test_a_folder_called_like_output_is_told_of_where_its_first_entries_hold_source(
    tmp_path: Path,
) -> None:
    for folder in ("build/deep", "dist", "node_modules", ".venv/lib"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.py").write_text("x = 1\n")
    (tmp_path / "coverage").mkdir()
    (tmp_path / "coverage" / "a.txt").write_text("")
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "__init__.py").write_text("")
    by_name: Counter[str] = Counter()
    found = ignore_rules.iter_unignored_files(
        tmp_path, IgnoreRules(), lambda path: path.endswith(".py"), by_name
    )
    assert [path for path, _ in found] == ["target/__init__.py"]
    assert by_name == {"build": 1, "dist": 1}


@pytest.mark.parametrize(("count", "is_found"), [(1_999, True), (2_000, False)])
def test_a_large_folder_is_looked_at_in_its_first_entries(
    tmp_path: Path, count: int, is_found: bool
) -> None:
    wide = tmp_path / "build"
    (wide / "deep").mkdir(parents=True)
    for number in range(count):
        (wide / str(number)).touch()
    (wide / "deep" / "a.py").touch()
    has = ignore_rules._has_wanted_file(wide, lambda path: path.endswith(".py"))
    assert has is is_found


def test_git_says_what_is_tracked_in_a_folder_called_like_output(tmp_path: Path) -> None:
    _git(tmp_path, "init", "-q")
    for path in ("build/a.py", "dist/b.py", "vendor/node_modules/c.py", "d.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x = 1\n")
    _git(tmp_path, "add", "build/a.py", "vendor/node_modules/c.py")
    by_name: Counter[str] = Counter()
    rules = IgnoreRules((), Git(tmp_path))
    found = [path for path, _ in ignore_rules.iter_unignored_files(tmp_path, rules, str, by_name)]
    assert found == ["build/a.py", "d.py"]
    assert by_name == {"dist": 1, "vendor/node_modules": 1}
    every = [path for path in _files(tmp_path) if not path.startswith(".git")]
    assert set(found) == set(every) - ignore_rules.left_out(tmp_path, every, rules)
    inside = ignore_rules.iter_folder_files(tmp_path, "vendor/", rules)
    assert [path for path, _ in inside] == ["vendor/node_modules/c.py"]
    plain = ignore_rules.iter_folder_files(tmp_path, "vendor", IgnoreRules())
    assert [path for path, _ in plain] == ["vendor/node_modules/c.py"]


def test_patterns_of_a_repository_above_hold_unless_it_ignores_the_project(
    tmp_path: Path,
) -> None:
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("b.py\n")
    root = tmp_path / "in" / "shop"
    root.mkdir(parents=True)
    for name in ("a.py", "b.py", "c.py"):
        (root / name).touch()

    def find() -> list[str]:
        return [path for path, _ in ignore_rules.iter_unignored_files(root, IgnoreRules())]

    (tmp_path / ".gitignore").write_text("in/shop/a.py\n")
    assert find() == ["c.py"]
    (tmp_path / "in" / ".gitignore").write_text("!/shop/a.py\n")
    assert find() == ["a.py", "c.py"]
    (tmp_path / ".gitignore").write_text("in/shop/\n")
    assert find() == ["a.py", "b.py", "c.py"]
