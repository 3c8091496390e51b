"""A person at `gieok setup`: real key presses through a pipe, and what the terminal showed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from contexts import using
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from gieok.commands import load_command
from gieok.commands.setup.command import SetupResult, set_up_by_dialogue
from gieok.commands.setup.terminal import TerminalDialogue
from gieok.home.calls import open_call

ENTER, BACK, DOWN, UP, SPACE, CTRL_C, ERASE = (
    "\r",
    "\x1b[Z",
    "\x1b[B",
    "\x1b[A",
    " ",
    "\x03",
    "\x15",
)
#: Of keys that come all at once, the parser takes an escape for the beginning of the next one: the
#: second ends it.
ESCAPE = "\x1b\x1b"


class Screen(DummyOutput):
    """Keeps what is written, on a terminal of 60 columns."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, data: str) -> None:
        self.text += data

    def get_size(self) -> Size:
        return Size(rows=40, columns=60)


@contextmanager
def dialogue(keys: str) -> Iterator[tuple[TerminalDialogue, Screen]]:
    """Give a dialogue in which these keys are pressed."""
    with create_pipe_input() as pipe:
        pipe.send_text(keys)
        screen = Screen()
        yield TerminalDialogue(pipe, screen), screen


def press(
    *keys: str, user: Path, lang: str = "en", **environment: str
) -> tuple[SetupResult | None, str]:
    """Run setup with these keys; return its result, None where it was cancelled, and what was
    shown.
    """
    with dialogue("".join(keys)) as (asking, screen):
        call = _context(user, lang, environment, ask=_stay_silent)
        try:
            return set_up_by_dialogue(call, asking), screen.text
        except KeyboardInterrupt:
            return None, screen.text


def answer(
    file: Path | None = None, *, user: Path, daemon: object = None, **environment: str
) -> SetupResult:
    """Run setup with a file of answers, or `--yes`."""
    values = {"answers": str(file)} if file else {"yes": True}
    result: SetupResult = load_command("setup")(_context(user, "en", environment, daemon), **values)
    return result


def _context(
    user: Path,
    lang: str,
    environment: dict[str, str],
    daemon: object = None,
    ask: Callable[[str], str] | None = None,
) -> object:
    own = {"HOME": str(user), "PATH": str(user), "GIEOK_EMBEDDER": "none", **environment}
    opened = open_call({}, environment=own, folder=user, lang=lang, ask=ask)
    return using(opened, daemon=daemon)


def _stay_silent(question: str) -> str:
    """Answer nothing: setup asks through its dialogue, and only looks whether a person is there."""
    del question
    return ""
