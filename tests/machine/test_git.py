"""Version control by git: whose git it is."""

import os
import subprocess
from pathlib import Path

from gieok.machine.git import Git


def test_what_is_of_another_repository_is_left_and_the_configuration_is_the_users(
    tmp_path: Path,
) -> None:
    listed = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"], check=True, capture_output=True, text=True
    )
    names = {name for name in listed.stdout.split() if not name.startswith("GIT_CONFIG")}
    assert names > {"GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"}
    words = ["-c", "user.name=kim", "-c", "user.email=kim@example.org"]
    git = ["git", "-C", str(tmp_path)]
    (tmp_path / "a.py").write_text("")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run([*git, "add", "a.py"], check=True)
    subprocess.run([*git, *words, "commit", "-q", "-m", "first"], check=True)
    plain = Git(tmp_path, dict(os.environ))
    configured = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "lee",
    }
    for name in sorted({*names, "GIT_NAMESPACE"}):
        repository = Git(tmp_path, {**os.environ, **configured, name: str(tmp_path / "other")})
        assert repository.head() == plain.head() != "", name
        assert repository.list_first_commits() == [plain.head()], name
        assert repository.list_tracked() == {"a.py"}, name
        assert repository.author() == "lee", name


def test_git_is_the_callers(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "a.py").write_text("")
    assert Git(tmp_path, dict(os.environ)).files() == frozenset(("a.py",))
    assert Git(tmp_path, {**os.environ, "PATH": str(tmp_path)}).files() is None
