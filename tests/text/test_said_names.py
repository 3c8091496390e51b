"""Names in a statement by which it bears on a file or a symbol."""

import pytest

from gieok.text import said_names


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("src/auth/session.py keeps sessions in Redis.", ["src/auth/session.py"]),
        ("config.yaml의 timeout은 30으로", ["config.yaml"]),
        ("src/pages/checkout.tsx에서 반올림", ["src/pages/checkout.tsx"]),
        ("all of src/billing/ is frozen", ["src/billing/"]),
        ("auth/session keeps it", ["auth/session"]),
        ("the billing module stores cents", []),
        ("see https://example.com/a/b.html, v1.2.3", []),
    ],
)
def test_paths(text: str, paths: list[str]) -> None:
    assert said_names.list_paths(text) == paths


@pytest.mark.parametrize(
    ("named", "path", "is_named"),
    [
        ("session.py", "src/auth/session.py", True),
        ("auth/session.py", "src/auth/session.py", True),
        ("auth/session", "src/auth/session.py", True),
        ("src/auth", "src/auth/session.py", True),
        ("ession.py", "src/auth/session.py", False),
        ("other/session.py", "src/auth/session.py", False),
        ("src/", "src/auth/session.py", True),
        ("auth/", "src/auth/session.py", False),
        ("src/auth/", "src/auth/session.py", True),
        ("session.py/", "src/auth/session.py", False),
    ],
)
def test_a_named_path_is_that_of_a_file(named: str, path: str, is_named: bool) -> None:
    assert said_names.names_path(named, path) is is_named


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("ChatComposer는 2000자로", ["ChatComposer"]),
        ("parse_rows and loadCart hold `session`", ["parse_rows", "loadCart", "session"]),
        ("NEVER touch Order or the user table.", []),
        ("config.yaml is read at start; the server needs it", []),
    ],
)
def test_symbols(text: str, symbols: list[str]) -> None:
    assert said_names.list_symbols(text) == symbols


def test_a_file_and_a_class_have_one_stem() -> None:
    assert said_names.fold_stem("chat_room") == said_names.fold_stem("ChatRoom")
