"""What is trusted: by content and by place, written so that no process and no kill loses any of
it.
"""

import json
import os
import signal
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gieok
from gieok.errors import BadRequest
from gieok.places.home import PROJECT_FOLDER
from gieok.settings import grants, trust
from gieok.settings.grants import Grant

_SOURCE = str(Path(gieok.__file__).parents[1])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def shop(home: Path) -> Path:
    folder = home.parent / "user" / "shop"
    (folder / ".gieok" / "memory" / "decision").mkdir(parents=True)
    return folder


def _file(shop: Path, name: str, text: str) -> Path:
    file = shop / ".gieok" / "memory" / "decision" / name
    file.write_text(text, encoding="utf-8")
    return file


def _keep(home: Path, shop: Path, *contents: tuple[str, str]) -> Grant:
    entries = [
        grants.digest_trusted_content(f"memory/decision/{name}", text.encode())
        for name, text in contents
    ]
    return grants.edit_grant(home, str(shop), lambda grant: grant.with_entries(entries))


def _admits(home: Path, file: Path) -> bool:
    return grants.TrustJudge(home).admits(file.read_bytes(), file)


def test_a_record_is_trusted_under_its_name_and_in_its_content_alone(
    home: Path, shop: Path
) -> None:
    file = _file(shop, "a.md", "ruff")
    assert not _admits(home, file)
    _keep(home, shop, ("a.md", "ruff"))
    assert _admits(home, file)
    assert not _admits(home, _file(shop, "b.md", "ruff"))
    assert not _admits(home, _file(shop, "a.md", "ruff "))
    assert _admits(home, _file(shop, "a.md", "ruff"))


def test_a_name_is_the_same_in_every_unicode_form(home: Path, shop: Path) -> None:
    composed, decomposed = (unicodedata.normalize(form, "결정.md") for form in ("NFC", "NFD"))
    assert composed != decomposed
    _keep(home, shop, (decomposed, "텍스트"))
    assert _admits(home, _file(shop, composed, "텍스트"))
    assert _admits(home, _file(shop, decomposed, "텍스트"))


@pytest.mark.parametrize(
    ("path", "is_record"),
    [
        ("shop/.gieok/memory/decision/a.md", True),
        ("shop/.gieok/memory/a.md", True),
        ("shop/.GIEOK/Memory/a.md", True),
        ("shop/.gieok/archive/decision/a.md", False),
        ("shop/memory/a.md", False),
        ("shop/.gieok/memory", False),
        ("../home/memory/decision/a.md", False),
        ("x.gieok/memory/decision/a.md", False),
    ],
)
def test_a_record_is_what_lies_in_the_memory_of_a_project(
    home: Path, shop: Path, path: str, is_record: bool
) -> None:
    found = grants.record_of(os.path.normpath(shop.parent / path))
    assert (found is not None) is is_record
    if found:
        assert found[0] == str(shop)


def test_the_users_own_memory_needs_no_trust(
    home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = shop.parent / ".gieok" / "memory" / "a.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    assert _admits(home, own)
    file = _file(shop, "a.md", "ruff")
    assert not _admits(home, file)
    monkeypatch.setenv("GIEOK_HOME", str(shop / ".gieok"))  # who says so has made it his own
    assert _admits(shop / ".gieok", file)


def test_a_grant_within_the_project_is_neither_made_nor_believed(home: Path, shop: Path) -> None:
    inside = shop / "home"
    with pytest.raises(BadRequest, match="lies in the project"):
        grants.edit_grant(inside, str(shop), lambda grant: grant._replace(at="2026-11-22"))
    _keep(home, shop, ("a.md", "ruff"))
    carried = Path(trust.grant_file(str(inside), str(shop)))
    carried.parent.mkdir(parents=True)
    carried.write_bytes(Path(trust.grant_file(str(home), str(shop))).read_bytes())
    assert grants.load_grant(inside, str(shop)).entries == frozenset()
    assert trust.header(str(inside), str(shop)) == {}


def test_a_grant_speaks_for_the_path_that_stands_in_it(home: Path, shop: Path) -> None:
    """Two paths may have one sum; and a grant that was copied to another's name says nothing."""
    _keep(home, shop, ("a.md", "ruff"))
    other = shop.parent / "other"
    Path(trust.grant_file(str(home), str(other))).write_bytes(
        Path(trust.grant_file(str(home), str(shop))).read_bytes()
    )
    assert grants.load_grant(home, str(other)) == Grant(str(other))
    assert trust.header(str(home), str(other)) == {}
    assert [grant.project for grant in grants.list_grants(home)] == [str(shop)]


@pytest.mark.parametrize(
    "data", [b"", b"\xff", b"[]\n", b"{}\n", b'{"project": 3}\n', b"null\nnull\n", b"{" * 100_000]
)
def test_a_grant_that_is_broken_trusts_nothing_and_is_written_anew(
    home: Path, shop: Path, data: bytes
) -> None:
    file = Path(trust.grant_file(str(home), str(shop)))
    file.parent.mkdir(parents=True)
    file.write_bytes(data)
    assert (grants.load_grant(home, str(shop)).entries, trust.settings(str(home), str(shop))) == (
        frozenset(),
        "",
    )
    _keep(home, shop, ("a.md", "ruff"))
    assert len(grants.load_grant(home, str(shop)).entries) == 1


@given(
    st.frozensets(
        st.tuples(st.text(st.characters(codec=None)), st.text("0123456789abcdef", max_size=64)),
        max_size=5,
    ),
    st.none() | st.text(st.characters(codec=None)),
)
@settings(derandomize=True, deadline=None, max_examples=100)
def test_whatever_is_granted_is_read_back(
    entries: frozenset[tuple[str, str]], text: str | None
) -> None:
    grant = Grant(
        "/shop",
        frozenset(grants.build_trusted_content(*entry) for entry in entries),
        text,
        "2026-11-22",
    )
    lines = grants._format_grant(grant).splitlines()
    head = json.loads(lines[0])
    assert (head["settings"], head["at"]) == (text, "2026-11-22")
    assert (
        frozenset(grants.TrustedContent(*json.loads(line)) for line in lines[1:]) == grant.entries
    )


def test_a_grant_is_private(home: Path, shop: Path) -> None:
    _keep(home, shop, ("a.md", "ruff"))
    grants.claim_trust_notice(home, str(shop), "x")
    grants.mark_adopted(home)
    assert [path.name for path in (home, *home.rglob("*")) if path.stat().st_mode & 0o077] == []


_LOOP = """
import itertools, sys
from pathlib import Path
from gieok.settings import grants
home, shop, who = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
for n in range(int(sys.argv[4])):
    entry = grants.digest_trusted_content(f"memory/{who}/{n}.md", b"x")
    grants.edit_grant(home, shop, lambda grant: grant.with_entries([entry]))
    print(n, flush=True)
"""


def _writer(home: Path, shop: Path, who: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _LOOP, str(home), str(shop), who, str(count)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": _SOURCE},
    )


def test_processes_that_write_at_once_lose_nothing(home: Path, shop: Path) -> None:
    writers = [_writer(home, shop, who, 25) for who in "abc"]
    assert [len(writer.communicate()[0].split()) for writer in writers] == [25, 25, 25]
    assert len(grants.load_grant(home, str(shop)).entries) == 75


def test_a_kill_loses_nothing_that_was_said_to_be_done(home: Path, shop: Path) -> None:
    done = 0
    for steps in range(1, 13):
        writer = _writer(home, shop, str(steps), 1_000)
        assert writer.stdout
        for _ in range(steps):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        done += steps + len(writer.communicate()[0].split())
        assert len(grants.load_grant(home, str(shop)).entries) >= done
    assert (
        len(grants.load_grant(home, str(shop)).entries) <= done + 12
    )  # written, and killed before it was said
    _keep(home, shop, ("a.md", "ruff"))
    assert [file.name for file in (home / "trust").iterdir() if file.name.startswith(".")] == [
        ".lock"
    ]


def test_of_several_sessions_that_start_at_once_one_tells_the_person(
    home: Path, shop: Path
) -> None:
    code = "import sys; from pathlib import Path; from gieok.settings import grants;"
    code += "print(grants.claim_trust_notice(Path(sys.argv[1]), sys.argv[2], 'x'))"
    command = [sys.executable, "-c", code, str(home), str(shop)]
    running = [
        subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": _SOURCE}
        )
        for _ in range(4)
    ]
    assert sorted(process.communicate()[0].strip() for process in running) == [
        "False",
        "False",
        "False",
        "True",
    ]
    assert grants.told_of(home) == [str(shop)]


def test_settings_are_the_very_text_that_was_trusted(home: Path, shop: Path) -> None:
    file = shop / PROJECT_FOLDER / "config.yaml"
    file.write_bytes(b"\xef\xbb\xbfhook.limit: 2\n# caf\xe9\n")
    text = trust.settings_text(str(shop))
    grants.edit_grant(home, str(shop), lambda grant: grant._replace(settings=text))
    assert trust.settings(str(home), str(shop)) == text
    file.write_bytes(b"hook.limit: 2\n# caf\xe9 \n")
    assert trust.settings(str(home), str(shop)) == ""
    file.write_bytes(b"#" * (trust.LARGEST_SETTINGS_BYTES + 1))
    assert trust.settings_text(str(shop)) is None
