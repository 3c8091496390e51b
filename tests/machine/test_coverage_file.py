"""Reading coverage.py's own data file: its lines, its branches, and every file that is none."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.errors import BadRequest
from gieok.machine import coverage_file
from gieok.machine.coverage_file import CoverageFile

Write = Callable[..., Path]
_RAN = {
    "pkg/a.py": {"": [1, 8, 9, 64], "test_a.test_one": [2, 3]},
    "tests\\test_a.py": {"test_a.test_one": [7]},
    "e.py": {"": [0]},
}


@pytest.mark.parametrize("branches", [False, True])
def test_lines_are_read_by_file_and_context_however_they_were_measured(
    tmp_path: Path, coverage_data: Write, branches: bool
) -> None:
    run = CoverageFile(coverage_data(tmp_path / ".coverage", _RAN, branches=branches))
    assert run.files() == ["e.py", "pkg/a.py", "tests/test_a.py"]
    assert run.contexts() == ["test_a.test_one"]
    assert list(run.lines("pkg/a.py")) == [("", {1, 8, 9, 64}), ("test_a.test_one", {2, 3})]
    assert list(run.lines("tests/test_a.py")) == [("test_a.test_one", {7})]
    assert list(run.lines("e.py")) == [("", set())]
    assert run.finished_ns == (tmp_path / ".coverage").stat().st_mtime_ns


def test_a_file_that_is_no_data_file_is_named_with_the_next_step(
    tmp_path: Path, coverage_data: Write
) -> None:
    file = tmp_path / ".coverage"
    with pytest.raises(BadRequest, match="No such file") as caught:
        CoverageFile(file)
    assert "--cov-context=test" in caught.value.hint
    with pytest.raises(BadRequest, match="is no file"):
        CoverageFile(tmp_path)
    old = '!coverage.py: This is a private format, don\'t read it directly!{"lines":{}}'
    for data in (
        b"",
        b"not a database at all, but long enough to be looked at as one" * 20,
        old.encode(),
    ):
        file.write_bytes(data)
        with pytest.raises(
            BadRequest, match=r"\.coverage' is no data file of coverage\.py"
        ) as caught:
            CoverageFile(file)
        assert "--cov-context=test" in caught.value.hint
    other = coverage_data(tmp_path / "other", _RAN)
    with sqlite3.connect(other) as db:
        db.execute("UPDATE coverage_schema SET version = 6")
    db.close()
    with pytest.raises(BadRequest, match="schema: 6"):
        CoverageFile(other)


def test_a_damaged_data_file_is_an_error_and_never_half_an_answer(
    tmp_path: Path, coverage_data: Write
) -> None:
    file = coverage_data(
        tmp_path / ".coverage",
        {f"pkg/m{n}.py": {f"t.test_{k}": [1, 900] for k in range(20)} for n in range(20)},
    )
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadRequest, match="damaged"):
        [list(CoverageFile(file).lines(path)) for path in CoverageFile(file).files()]
    file.write_bytes(whole)
    for value in ("'text'", "NULL"):
        with sqlite3.connect(file) as db:
            db.execute(f"UPDATE line_bits SET numbits = {value}")
        db.close()
        with pytest.raises(BadRequest, match="damaged"):
            list(CoverageFile(file).lines("pkg/m0.py"))


def test_a_data_file_is_only_read_and_one_that_is_being_written_is_waited_for(
    tmp_path: Path, coverage_data: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = coverage_data(tmp_path / ".coverage", _RAN)
    before = file.read_bytes()
    file.chmod(0o400)
    assert CoverageFile(file).contexts()
    assert (file.read_bytes(), sorted(p.name for p in tmp_path.iterdir())) == (
        before,
        [".coverage"],
    )
    file.chmod(0o600)
    monkeypatch.setattr(coverage_file, "_BUSY_TIMEOUT_S", 0)
    writer = sqlite3.connect(file, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    with pytest.raises(BadRequest, match="is being written"):
        CoverageFile(file)
    writer.close()
