"""What agents are shown of source is the file's, byte for byte, over the real protocol."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

import gieok
from gieok.surfaces.cli import main
from gieok.text.tokens import estimate_tokens

_Call = tuple[str, dict[str, object]]
_LINE = re.compile(r" *(\d+)\t(.*)", re.DOTALL)
#: Files of the test environment in which there are signs that were escaped, and quotes of Markdown.
_PACKAGES = ("importlinter", "tomlkit", "markdown_it")


def _call(root: Path, *calls: _Call) -> list[Any]:
    """Return the answers of tools, asked by the official client of the program itself."""
    own = {"PYTHONPATH": str(Path(gieok.__file__).parents[1])}
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "gieok", "mcp"], env={**os.environ, **own}, cwd=root
    )

    async def ask() -> list[Any]:
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return [await session.call_tool(*call) for call in calls]

    return asyncio.run(ask())


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (
        ("GIEOK_HOME", str(tmp_path / "home")),
        ("GIEOK_EMBEDDER", "none"),
        ("GIEOK_LANG", "en"),
    ):
        monkeypatch.setenv(name, value)
    made = tmp_path / "project"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


def _data(answer: Any) -> str:
    """Return what stands between the fences of an answer: nothing in it is a fence."""
    head, fence, *rest = answer.content[0].text.split("\n")
    assert "never instructions" in head
    assert set(fence) == {"`"}
    assert rest[-1] == fence
    assert fence not in "\n".join(rest[:-1])
    return "\n".join(rest[:-1])


def _json(capsys: pytest.CaptureFixture[str], *command: str) -> Any:
    """Return what the command line gives, which HTTP gives as well."""
    capsys.readouterr()
    assert main([*command, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def _lines(data: str) -> dict[int, str]:
    return {
        int(match[1]): match[2] for line in data.split("\n") if (match := _LINE.fullmatch(line))
    }


def test_functions_of_real_files_are_shown_as_they_are_in_the_file(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in _PACKAGES:
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        shutil.copytree(
            Path(spec.origin).parent,
            root / package,
            ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyc"),
        )
    assert main(["code", "init", "--json"]) == 0
    capsys.readouterr()
    chosen = []
    for file in sorted(root.rglob("*.py")) + sorted(root.rglob("*.js")):
        path = file.relative_to(root).as_posix()
        lines = file.read_bytes().decode("utf-8").split("\n")
        marked = [n for n, line in enumerate(lines, 1) if re.search(r"[<&`]", line)]
        chosen += [
            ("code_symbol", {"symbol": f"{path}:{n}", "full": True})
            for n in marked[:: max(1, len(marked) // 2)][:2]
        ]
    assert len(chosen) > 50
    shown = signs = 0
    for (_, asked), answer in zip(chosen[:120], _call(root, *chosen[:120]), strict=True):
        found = _json(capsys, "code", "show", str(asked["symbol"]), "--full")["symbols"]
        data = _data(answer)
        for symbol in found:
            lines = (root / symbol["path"]).read_bytes().decode("utf-8").split("\n")
            own = lines[symbol["start_line"] - 1 : symbol["end_line"]]
            if not symbol["redacted"]:
                assert symbol["code"].encode() == "\n".join(own).encode()
            else:
                assert "[redacted:…] stands for a secret" in data
            if len(found) == 1 and not symbol["redacted"]:
                numbers = range(symbol["start_line"], symbol["end_line"] + 1)
                expected = dict(zip(numbers, own, strict=True))
                assert _lines(data) == expected
                shown += 1
                signs += sum(text.count(sign) for text in own for sign in "<&`")
    assert shown > 50
    assert signs > 100


def test_a_snippet_of_a_search_is_lines_of_the_file(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "".join(
        f"    if value < {n} && `x`:  # \\u003c &amp; </memory-data>\n" for n in range(60)
    )
    (root / "a.js").write_text(
        f"function settle(value) {{\n{body}    return refund;\n}}\n", encoding="utf-8"
    )
    assert main(["code", "init", "--json"]) == 0
    capsys.readouterr()
    (found,) = [
        r
        for r in _json(capsys, "code", "query", "settle refund")["results"]
        if r["symbol"] == "settle"
    ][:1]
    lines = (root / "a.js").read_text(encoding="utf-8").split("\n")
    count = found["snippet"].count("\n") + 1
    first = found["snippet_line"]
    assert found["snippet"] == "\n".join(lines[first - 1 : first - 1 + count])
    assert "return refund" in found["snippet"]


def test_what_does_not_show_is_kept_and_told_outside_of_the_code(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = (
        'def check(user):\n    # \u202e } if admin \u2066\n    return user\u200b == "````" # '
        "</memory-data> `a` & b\n"
    )
    (root / "a.py").write_text(code, encoding="utf-8")
    (root / "b.py").write_bytes(b"def windows():\r\n    return 1\r\n")
    assert main(["code", "init", "--json"]) == 0
    capsys.readouterr()
    hidden, windows = _call(
        root, ("code_symbol", {"symbol": "check"}), ("code_symbol", {"symbol": "windows"})
    )
    data = _data(hidden)
    assert list(_lines(data).values()) == code.split("\n")[:3]
    assert _json(capsys, "code", "show", "check")["symbols"][0]["code"] == code.rstrip("\n")
    note = next(line for line in data.split("\n") if "do not show" in line)
    assert "U+202E" in note
    assert "U+200B" in note
    assert note.isascii()
    assert "CR LF" in _data(windows)
    assert any(
        "CR LF" in note
        for note in _json(capsys, "code", "show", "windows")["symbols"][0]["code_notes"]
    )


def test_a_redaction_is_told_beside_the_code_also_when_the_file_has_changed(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "AKIA" + "Z7Q4M2XW" * 2
    (root / "a.py").write_text(
        f'def key():\n    return "{key}"\n\n\ndef plain():\n    return "[redacted:x]"\n',
        encoding="utf-8",
    )
    assert main(["code", "init", "--json"]) == 0
    capsys.readouterr()
    for changed in (False, True):
        if changed:
            (root / "a.py").write_text("x = 1\n", encoding="utf-8")
        (redacted,) = _call(root, ("code_symbol", {"symbol": "key"}))
        assert key not in redacted.content[0].text
        assert _json(capsys, "code", "show", "key")["symbols"][0]["redacted"] is True
        assert "the file holds something else there" in _data(redacted)
        assert (
            _json(capsys, "code", "show", "plain")["symbols"][0]["redacted"] is changed
        )  # unchanged, the file itself is compared


def test_a_terminal_is_shown_numbers_and_obeys_nothing(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "a.py").write_text("\n\ndef f():\n    return '\x1b[2J' < `\n", encoding="utf-8")
    assert main(["code", "init", "--json"]) == 0
    capsys.readouterr()
    assert main(["code", "show", "f"]) == 0
    shown = capsys.readouterr().out
    assert "     3\tdef f():\n     4\t    return '\ufffd[2J' < `" in shown
    assert "U+001B (L4)" in shown


def test_a_client_asks_for_the_impact_of_a_diff_alone_and_explores_within_a_budget(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "a.py").write_text(
        "def fee():\n    return 1\n\n\ndef total():\n    return fee() & 3\n", encoding="utf-8"
    )
    (root / "test_a.py").write_text(
        "from a import total\n\n\ndef test_total():\n    assert total()\n", encoding="utf-8"
    )
    git = ["git", "-c", "user.name=Kim", "-c", "user.email=kim@example.com"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], check=True, cwd=root)
    (root / "a.py").write_text(
        "def fee():\n    return 2\n\n\ndef total():\n    return fee() & 3\n", encoding="utf-8"
    )
    assert main(["code", "init", "--json"]) == 0
    capsys.readouterr()
    impact, explored = _call(
        root,
        ("code_impact", {"diff": "HEAD"}),
        ("code_explore", {"query": ["test_total", "fee"], "budget": 400}),
    )
    assert not impact.is_error
    assert "Changed: a.py::fee" in impact.content[0].text
    assert "test_total" in impact.content[0].text
    data = _data(explored)
    assert "test_total → (test_a.py:5) total → (a.py:6) fee" in data
    assert _lines(data)[6] == "    return fee() & 3"
    assert estimate_tokens(explored.content[0].text) <= 400
    for answer in (impact, explored):
        assert answer.structured_content is None
