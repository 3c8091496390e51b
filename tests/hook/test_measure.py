"""Figures of recall on labelled prompts, and how labels are kept."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from contexts import using

import gieok
from gieok.commands import load_command
from gieok.commands.encode import encode
from gieok.commands.prompt.measure import MeasureResult
from gieok.errors import BadRequest
from gieok.home.calls import open_call
from gieok.hook import measure
from gieok.hook.inject import InjectedMemory
from gieok.hook.matches import Match
from gieok.hook.measure import Label, Level
from gieok.processes.client import RecalledPrompt

_LINTER, _BREAD = "어떤 린터를 쓰기로 했지?", "How do I bake sourdough bread at home?"
#: prompt → what it recalls and what it should.
_SET: Mapping[str, tuple[Sequence[tuple[str, str]], Sequence[str]]] = {
    "both": (
        [("high", "memory/decision/a.md"), ("medium", "memory/decision/b.md")],
        ["decision/a.md", "decision/b.md"],
    ),
    "wrong": (
        [("high", "memory/decision/aa.md"), ("medium", "memory/decision/a.md")],
        [".gieok/memory/decision/a.md"],
    ),
    "low": ([("low", "memory/decision/a.md")], ["a.md"]),
    "none": ([], ["a.md"]),
    "silent": ([("low", "memory/decision/a.md")], []),
    "noisy": ([("medium", "memory/decision/a.md")], []),
}


def _recalled(prompt: str) -> list[Match]:
    rows = _SET[prompt][0]
    return [
        Match(level=level, probability=1, key=key, entry=InjectedMemory(title="", citation=""))
        for level, key in rows
    ]


def test_precision_recall_and_silence_of_a_set_made_by_hand() -> None:
    labels = [Label(prompt, tuple(expected)) for prompt, (_, expected) in _SET.items()]
    measured = measure.measured(measure.outcomes(labels, _recalled))
    assert (measured.answerable, measured.unanswerable, measured.silence) == (4, 2, 0.5)
    assert measured.levels == (
        Level("high", 2, precision=1 / 2, recall=1 / 4),
        Level("medium", 3, precision=2 / 3, recall=2 / 4),
        Level("either", 5, precision=3 / 5, recall=2 / 4),
    )
    assert {level[1:] for level in measure.measured([]).levels} == {(0, None, None)}


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        '"text"',
        "{}",
        '{"expect": []}',
        '{"prompt": "x", "expect": 3}',
        '{"prompt": "x", "expect": null}',
        '{"prompt": "x", "expect": "decision/a.md"}',
        '{"prompt": null}',
        '{"prompt": "x", "expect": [{"a": 1}]}',
    ],
)
def test_a_line_that_is_no_label_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(f'{{"prompt": "x"}}\n\n{line}\n', encoding="utf-8")
    with pytest.raises(
        BadRequest, match=rf"{re.escape(str(file))}.* line 3 is not a label"
    ) as caught:
        measure.load_prompt_labels(file)
    assert '"expect"' in caught.value.hint


def test_a_label_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b'{"prompt": "caf\xe9"}\n')
    for file in (tmp_path, tmp_path / "latin.jsonl"):
        with pytest.raises(BadRequest, match=re.escape(str(file))):
            measure.load_prompt_labels(file)


@pytest.mark.parametrize("prompt", ["기억 🧠", 'a "b" \\ \t\n\r\0', "a\u0085b", "a\u2028b"])
def test_labels_that_were_added_are_read_back(tmp_path: Path, prompt: str) -> None:
    file, labels = (
        tmp_path / "new" / "labels.jsonl",
        [Label(prompt, (prompt, "a.md")), Label("x", ())],
    )
    for label in labels:
        measure.append_prompt_label(file, label)
    assert measure.load_prompt_labels(file) == labels


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "shop")
    for name, value in {
        "HOME": str(tmp_path),
        "GIEOK_HOME": str(tmp_path / "home"),
        "GIEOK_EMBEDDER": "none",
    }.items():
        monkeypatch.setenv(name, value)
    call = open_call({})
    for text in (
        "린터는 ruff를 쓰기로 했다. flake8은 느려서 버렸다.",
        "Deploys go out on Tuesday mornings.",
    ):
        load_command("remember")(call, text=[text])
    call.home.store.close()
    return tmp_path / "shop"


def _measure(**values: object) -> MeasureResult:
    return load_command("hook measure")(open_call({}), **values)


def test_labels_are_added_to_the_project_and_measured(project: Path) -> None:
    assert not _measure().found
    name = next(
        file.name
        for file in (project / ".gieok" / "memory" / "decision").iterdir()
        if "ruff" in file.name
    )
    _measure(add=_LINTER, expect=f"decision/{name}, ")
    shown = encode(_measure(add=_BREAD))
    assert shown["file"] == str(project / ".gieok" / "labels.jsonl")
    assert (shown["answerable"], shown["unanswerable"], shown["silence"]) == (1, 1, 1.0)
    assert shown["levels"]["either"] == {
        "name": "either",
        "shown": 1,
        "precision": 1.0,
        "recall": 1.0,
    }
    with pytest.raises(BadRequest, match="terminal") as caught:
        _measure(label=True)
    assert "--add" in caught.value.hint


def test_prompts_that_failed_are_named_with_what_was_shown_and_who_answered(project: Path) -> None:
    _measure(add=_LINTER, expect="decision/another.md")
    result = _measure(add=_BREAD)
    assert result.by == {"daemon": 0, "words": 2}
    (failed,) = result.failed
    assert (failed.prompt, failed.expected) == (_LINTER, ("decision/another.md",))
    assert "ruff" in failed.shown[0]


class _Daemon:
    """Answers prompts as a daemon of this home would; nothing else is asked of it."""

    def recalled(self, prompt: str, *_: object) -> list[RecalledPrompt] | None:
        if prompt == _BREAD:
            return None  # too late
        return [RecalledPrompt("1a2b", ".gieok/memory/decision/x.md#L6", 0.7, is_sure=True)]


def test_where_a_daemon_runs_it_is_asked_and_words_where_it_is_late(project: Path) -> None:
    call = using(open_call({}), daemon=_Daemon())
    for prompt, expect in ((_LINTER, "decision/x.md"), (_BREAD, "")):
        result = load_command("hook measure")(call, add=prompt, expect=expect)
    assert result.by == {"daemon": 1, "words": 1}
    assert result.failed == ()
    assert result.levels["high"].recall == 1.0


def test_prompts_are_labelled_in_a_terminal(project: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "gieok", "hook", "measure", "--label", "--json", "--lang", "ko"],
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(gieok.__file__).parents[1])},
    ) as running:
        os.close(theirs)
        os.write(ours, f"{_LINTER}\n1, 9 x\n{_BREAD}\n\n\n".encode())
        said = _everything(ours)
        out = json.loads(running.communicate()[0])
    assert running.returncode == 0, said
    assert (out["answerable"], out["unanswerable"]) == (1, 1)
    assert "  1  high" in said
    assert "프롬프트 (비우면 끝)> " in said
    labels = measure.load_prompt_labels(project / ".gieok" / "labels.jsonl")
    assert [(label.prompt, len(label.expect)) for label in labels] == [(_LINTER, 1), (_BREAD, 0)]


def _everything(terminal: int) -> str:
    """Return what was shown on a terminal until its other end is closed."""
    shown = b""
    with os.fdopen(terminal, "rb", buffering=0) as opened:
        try:
            while data := opened.read(65536):
                shown += data
        except OSError:  # Linux says so where the other end is gone
            return shown.decode("utf-8", "replace")
    return shown.decode("utf-8", "replace")
