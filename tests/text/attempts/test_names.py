"""Names in a statement by which it bears on a file, a program or an error."""

import pytest

from gieok.text.attempts import names


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("src/auth/session.py keeps sessions in Redis.", ["src/auth/session.py"]),
        ("config.yaml의 timeout은 30으로", ["config.yaml"]),
        ("src/pages/checkout.tsx에서 반올림", ["src/pages/checkout.tsx"]),
        ("all of src/billing/ is frozen", ["src/billing/"]),
        ("the billing module stores cents", ["*/billing/"]),
        ("결제는 billing 모듈에서", ["*/billing/"]),
        ("see https://example.com/a/b.html, v1.2.3", []),
    ],
)
def test_paths(text: str, paths: list[str]) -> None:
    assert names.list_paths(text) == paths


@pytest.mark.parametrize(
    ("named", "path", "is_named"),
    [
        ("session.py", "src/auth/session.py", True),
        ("auth/session.py", "src/auth/session.py", True),
        ("ession.py", "src/auth/session.py", False),
        ("other/session.py", "src/auth/session.py", False),
        ("src/", "src/auth/session.py", True),
        ("auth/", "src/auth/session.py", False),
        ("src/auth/", "src/auth/session.py", True),
        ("*/auth/", "src/auth/session.py", True),
        ("session.py/", "src/auth/session.py", False),
    ],
)
def test_a_named_path_is_that_of_a_file(named: str, path: str, is_named: bool) -> None:
    assert names.names_path(named, path) is is_named


def test_classes_and_pairs_of_words_are_known_as_files() -> None:
    stem = names.fold_stem("chat_composer")
    assert stem in names.list_stems("ChatComposer는 2000자로")
    assert names.fold_stem("upstreamclient") in names.list_stems(
        "the upstream client must not retry"
    )
    assert "order" in names.list_stems("no callbacks in Order any more")
    assert "order" not in names.list_stems("Order new callbacks")


def test_marks_stand_word_for_word_in_an_error() -> None:
    marks = names.list_marks('EADDRINUSE or "connection refused": run `make db up`, see TS2345')
    assert {"EADDRINUSE", "connection refused", "make db up", "TS2345"} <= {*marks}
