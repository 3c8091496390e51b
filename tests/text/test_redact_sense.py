"""What somebody said is cut by rules and then by sense, where the process has a finder."""

import unicodedata
from collections.abc import Iterator, Sequence
from contextvars import copy_context

import pytest

from gieok.text.redact.sense import redact_document, redact_said, redact_said_counted
from gieok.text.secrets.finder import use_secret_finder


@pytest.fixture(autouse=True)
def _only_the_finder_of_the_test() -> Iterator[None]:
    yield
    use_secret_finder(None)


def _find_moon(text: str, is_said: bool) -> Sequence[tuple[int, int]]:
    """Find the word `moon` in what is said."""
    at = text.find("moon")
    return [(at, at + 4)] if is_said and at >= 0 else []


def test_without_a_finder_rules_alone_hold() -> None:
    use_secret_finder(None)
    assert redact_said("the word is moon") == "the word is moon"


def test_what_the_finder_finds_is_replaced_and_the_rest_stays() -> None:
    use_secret_finder(_find_moon)
    assert redact_said("the word is moon, not sun") == "the word is [redacted:secret], not sun"
    assert redact_document("the word is moon") == "the word is moon"


def test_the_finder_never_sees_what_a_rule_has_cut() -> None:
    seen: list[str] = []

    def find_nothing(text: str, is_said: bool) -> Sequence[tuple[int, int]]:
        seen.append(text)
        return []

    use_secret_finder(find_nothing)
    redact_said("DB_PASSWORD=Lantern-77-otter, the wifi is down")
    assert seen == ["DB_PASSWORD=[redacted:password], the wifi is down"]


def test_a_line_of_decomposed_korean_does_not_hide_the_others() -> None:
    use_secret_finder(_find_moon)
    decomposed = unicodedata.normalize("NFD", "비번은 moon")
    assert redact_said(f"{decomposed}\n비번은 moon") == f"{decomposed}\n비번은 [redacted:secret]"


def test_a_call_without_a_finder_leaves_that_of_the_process() -> None:
    use_secret_finder(_find_moon)
    context = copy_context()
    context.run(use_secret_finder, None, in_call=True)
    assert context.run(redact_said, "the word is moon") == "the word is moon"
    assert redact_said("the word is moon") == "the word is [redacted:secret]"


def test_a_text_that_announces_nothing_is_not_read() -> None:
    seen: list[str] = []

    def find_nothing(text: str, is_said: bool) -> Sequence[tuple[int, int]]:
        seen.append(text)
        return []

    use_secret_finder(find_nothing)
    redact_said("The ferry leaves at nine.")
    assert not seen


def test_what_the_finder_finds_is_counted_beside_what_rules_cut() -> None:
    use_secret_finder(_find_moon)
    said = "the word is moon, mail = kim; DB_PASSWORD=Lantern-77-otter"
    clean = "the word is [redacted:secret], mail = kim; DB_PASSWORD=[redacted:password]"
    assert redact_said_counted(said) == (clean, {"password": 1, "secret": 1})
    assert redact_said_counted("the word is sun") == ("the word is sun", {})


def test_source_code_is_left_to_the_rules() -> None:
    use_secret_finder(_find_moon)
    assert redact_said_counted("the word is moon", source=True) == ("the word is moon", {})
