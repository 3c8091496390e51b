"""`gieok keys`: what a person types is never on the screen, in an argument, in an error or in what
is printed.
"""

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from key_server import GOOD, NEXT, serving

import gieok
from gieok.surfaces.cli import main
from gieok.testing.model_server import ModelServer

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as made:
        yield made


@pytest.fixture
def keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd, server: ModelServer
) -> Callable[..., tuple[int, str]]:
    """Return a function that runs `gieok keys WORDS` with text on stdin; it returns the status and
    all that was printed.
    """
    for name, value in {
        "GIEOK_HOME": tmp_path / "home",
        "GIEOK_RERANKER": "cohere",
        "GIEOK_RERANKER_BASE_URL": server.url,
        "LANG": "C.UTF-8",
    }.items():
        monkeypatch.setenv(name, str(value))
    for name in ("COHERE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str, given: str = "") -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        capfd.readouterr()
        status = main(["keys", *words])
        return status, "".join(capfd.readouterr())

    return run


def _private(tmp_path: Path) -> str:
    return (tmp_path / "home" / ".env").read_text(encoding="utf-8")


def test_a_key_is_read_from_stdin_and_shown_nowhere(keys, tmp_path: Path) -> None:
    status, text = keys("set", "openai", given="  key-of-mine-1234\n")
    assert status == 0
    assert "OPENAI_API_KEY is set in" in text
    assert _private(tmp_path) == "OPENAI_API_KEY=key-of-mine-1234\n"
    for words in (("list",), ("list", "--json"), ("set", "nobody")):
        assert "key-of-mine" not in keys(*words)[1]
    assert main(["config", "show"]) == 0


def test_settings_shown_hold_no_key(keys, capfd) -> None:
    keys("set", "openai", given="key-of-mine-1234")
    capfd.readouterr()
    assert main(["config", "show"]) == 0
    assert "key-of-mine" not in "".join(capfd.readouterr())


def test_a_key_as_an_argument_is_refused_without_a_word_of_it(keys, tmp_path: Path) -> None:
    status, text = keys("set", "openai", "key-of-mine-1234")
    assert status == 2
    assert "shell's history" in text
    assert "key-of-mine" not in text
    assert not (tmp_path / "home" / ".env").exists()


@pytest.mark.parametrize(
    "words", [("set", "openai", "--key", "key-of-mine"), ("list", "key-of-mine"), ("key-of-mine",)]
)
def test_words_that_no_command_takes_are_not_repeated(keys, capfd, words: tuple[str, ...]) -> None:
    try:
        status, said = keys(*words)
    except SystemExit as left:
        status, said = left.code, ""
    assert status == 2
    said += "".join(capfd.readouterr())
    assert "key-of-mine" not in said


@pytest.mark.parametrize("given", ["", "\n", "one\ntwo\n", "a\x1bb"])
def test_what_is_no_key_changes_nothing(keys, tmp_path: Path, given: str) -> None:
    assert keys("set", "openai", given=given)[0] == 2
    assert not (tmp_path / "home" / ".env").exists()


def test_a_key_is_replaced_only_by_one_that_is_valid(
    keys, tmp_path: Path, server: ModelServer
) -> None:
    server.script = [(200, b'{"results": [{"index": 0, "relevance_score": 0.9}]}')]
    assert "nothing to replace" in keys("rotate", "cohere", given=NEXT)[1]
    keys("set", "cohere", given=GOOD)
    status, text = keys("rotate", "cohere", given="key-bad-0000")
    assert status == 2
    assert "the key that was there stays" in text
    assert "key-bad" not in text
    assert _private(tmp_path) == f"COHERE_API_KEY={GOOD}\n"
    status, text = keys("rotate", "cohere", given=NEXT)
    assert status == 0
    assert "✓ cohere (COHERE_API_KEY): valid" in text
    assert _private(tmp_path) == f"COHERE_API_KEY={NEXT}\n"


def test_the_test_says_what_each_service_makes_of_its_key(keys, server: ModelServer) -> None:
    status, text = keys("test")
    assert status == 1
    assert (
        "✗ cohere (COHERE_API_KEY): not set: `reranker` needs it\n    → `gieok keys set cohere`"
        in text
    )
    keys("set", "cohere", given="key-bad-0000")
    status, text = keys("test", "--lang", "ko")
    assert status == 1
    assert "✗ cohere (COHERE_API_KEY): 유효하지 않음: " in text
    assert "key-bad" not in text
    server.script = [(200, b'{"results": [{"index": 0, "relevance_score": 0.9}]}')]
    keys("set", "cohere", given=GOOD)
    assert keys("test")[0] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals of this kind")
def test_what_is_typed_at_a_terminal_is_not_on_the_screen(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIEOK_HOME": str(tmp_path / "home"),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(Path(gieok.__file__).parents[1]),
    }
    command = [sys.executable, "-m", "gieok", "keys", "set", "openai"]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    ) as process:
        os.close(theirs)
        screen = _until(ours, b"(not shown): ")  # from here on nothing is echoed
        os.write(ours, b"key-of-mine-1234\n")
        screen += _until(ours, b"")
        assert process.wait(30) == 0
    os.close(ours)
    assert b"OPENAI_API_KEY is set in" in screen
    assert b"key-of-mine" not in screen
    assert (tmp_path / "home" / ".env").read_text() == "OPENAI_API_KEY=key-of-mine-1234\n"


def _until(terminal: int, words: bytes) -> bytes:
    """Return what a terminal shows up to some words, or all of it."""
    seen = b""
    while not words or words not in seen:
        try:
            more = os.read(terminal, 4096)
        except OSError:  # Linux says so where the other side is closed
            return seen
        if not more:
            return seen
        seen += more
    return seen
