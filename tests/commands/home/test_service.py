import plistlib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from gieok.commands import load_command
from gieok.commands.encode import encode
from gieok.home.calls import open_call


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "a & b"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


def _install(system: str, *, dry_run: bool = False) -> tuple[Path, str]:
    row = encode(load_command("service install")(open_call({}), system=system, dry_run=dry_run))
    return Path(row["file"]), row["text"]


def test_each_system_gets_a_file_that_it_reads(tmp_path: Path) -> None:
    unit, text = _install("systemd")
    assert unit == tmp_path / ".config/systemd/user/gieok.service"
    assert unit.read_text() == text
    assert "-m" in text
    assert f'Environment="GIEOK_HOME={tmp_path}/a & b"' in text
    agent, _ = _install("launchd")
    plist = plistlib.loads(agent.read_bytes())
    assert plist["ProgramArguments"][1:] == ["-m", "gieok.daemon"]
    assert plist["EnvironmentVariables"] == {"GIEOK_HOME": f"{tmp_path}/a & b"}
    task, _ = _install("windows")
    assert ET.fromstring(task.read_text(encoding="utf-16").partition("?>")[2]) is not None


def test_a_dry_run_writes_nothing() -> None:
    file, text = _install("systemd", dry_run=True)
    assert "ExecStart" in text
    assert not file.exists()
