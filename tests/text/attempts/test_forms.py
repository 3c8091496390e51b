"""Two calls of a program are one thing done in two ways, or two things."""

import pytest

from gieok.text.attempts.forms import FormChange, compare_forms, read_command_forms


def _change(failed: str, worked: str) -> FormChange | None:
    return compare_forms(
        read_command_forms(failed, "shop")[-1], read_command_forms(worked, "shop")[-1]
    )


@pytest.mark.parametrize(
    ("failed", "worked", "removed", "added"),
    [
        ("pytest -q tests/a.py", "uv run pytest -q tests/a.py", (), ("uv", "run")),
        ("pytest", "uv run pytest -q", (), ("uv", "run")),
        ("npm test", "pnpm test", ("npm",), ("pnpm",)),
        ("pytest", "cd backend && pytest", (), ("cd backend",)),
        ("make", "cd /home/kim/shop/api && make", (), ("cd api",)),
        ("alembic upgrade head", "DB=x alembic upgrade head", (), ("DB=",)),
        ("git push", "git push -u origin main", (), ("-u", "origin", "main")),
        ("psql -h db", "psql -h 127.0.0.1 -p 5433", ("db",), ("127.0.0.1", "-p", "5433")),
        ("alembic upgrade", "alembic -c a.ini upgrade", (), ("-c", "a.ini")),
        ("git checkout main", "git checkout master", ("main",), ("master",)),
        ("python script/run.py", "python scripts/run.py", ("script/run.py",), ("scripts/run.py",)),
    ],
)
def test_another_form_of_the_same_call(
    failed: str, worked: str, removed: tuple[str, ...], added: tuple[str, ...]
) -> None:
    change = _change(failed, worked)
    assert change is not None
    assert (change.removed, change.added) == (removed, added)


@pytest.mark.parametrize(
    ("failed", "worked"),
    [
        ("pytest tests/a.py", "pytest tests/b.py"),
        ("pytest", "pytest tests/b.py"),
        ("pytest tests/a.py", "uv run pytest tests/b.py"),
        ("pytest", "pytest -x tests/b.py"),
        ("pytest tests/a.py", "pytest -x tests/b.py"),
        ("cargo test", "cargo build"),
        ("npm install", "npm ci"),
        ("pytest -q", "pytest -q"),
        ("make", "cd /home/kim/shop && make"),
    ],
)
def test_another_call_is_no_form(failed: str, worked: str) -> None:
    assert _change(failed, worked) is None


def test_a_change_is_lacking_where_what_came_is_not_there() -> None:
    change = _change("pytest -q", "uv run pytest -q")
    assert change is not None
    assert change.lacks(read_command_forms("pytest tests/b.py")[0])
    assert not change.lacks(read_command_forms("uv run pytest tests/b.py")[0])


def test_of_options_and_their_values_the_options_tell() -> None:
    change = _change("cmake -B build -DTYPE=Debug", "cmake --preset debug")
    assert change is not None
    assert change.lacks(read_command_forms("cmake -B other -DTYPE=Release")[0])
    assert not change.lacks(read_command_forms("cmake --build build")[0])
    assert not change.lacks(read_command_forms("cmake --preset release -B b -DTYPE=Debug")[0])


def test_a_script_is_what_its_interpreter_is_given() -> None:
    (form,) = read_command_forms("uv run python manage.py migrate | tail -5")
    assert form.program == "python"
    assert form.words == ("uv", "run", "python", "manage.py", "migrate")


def test_what_only_shows_is_no_call() -> None:
    assert read_command_forms("cd api && ls -la | head") == []
    assert read_command_forms("") == []
