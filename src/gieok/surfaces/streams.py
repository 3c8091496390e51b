"""Standard streams that may be closed, full, or without a reader.

The result of a command still decides its exit status:

- The answer cannot be written (closed, full): an error of its own, status 2; the effects of the
  command stand.
- The reader of the answer left (`… | head`): no error, the status is the usual one.
- Messages on stderr cannot be written: they are lost. Where the reader of stderr left, the command
  stops with 141, as by SIGPIPE.
"""

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO, cast

from gieok.errors import STATUS, OutputLost, Phrase, find_os_reason

_NO_READER = 141


class _Talk:
    """Stderr that drops what it cannot write."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, or drop the text. Raises BrokenPipeError."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            raise
        except OSError:
            return len(text)

    def flush(self) -> None:
        """Flush, or drop the text. Raises BrokenPipeError."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError:
            return

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a stream has
        return getattr(self._stream, name)


def run_process_command(command: Callable[[], int]) -> int:
    """Run the command of a process and return its exit status.

    All output is flushed, so that nothing is left for the interpreter's last flush.
    """
    _fill_closed_streams()
    sys.stderr = cast("TextIO", _Talk(sys.stderr))
    try:
        status = command()
    except SystemExit as leaving:  # argparse, after `--help`
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BrokenPipeError:
        status = _NO_READER
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_stream_output(sys.stdout, 1)
    except OSError as error:
        _drop_stream_output(sys.stdout, 1)
        print_error(_format_output_loss(error), OutputLost.hint)
        status = STATUS[OutputLost.code][0]
    try:
        sys.stderr.flush()
    except OSError:
        status = status or _NO_READER
    _drop_stream_output(sys.stderr, 2)
    return status


def write_answer_text(text: str, encoding: str) -> None:
    """Write an answer, with a newline at its end. Raises OutputLost."""
    # A memory may hold characters that the terminal's encoding cannot show, and a lone surrogate
    # has no encoding at all.
    write_bytes(
        text.encode(encoding, "replace") + (b"" if not text or text.endswith("\n") else b"\n")
    )


def write_bytes(data: bytes) -> None:
    """Write an answer of bytes unchanged. Raises OutputLost."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_stream_output(sys.stdout, 1)
    except OSError as error:
        _drop_stream_output(sys.stdout, 1)
        raise OutputLost(_format_output_loss(error)) from error


def print_error(message: str, hint: str = "") -> None:
    """Print an error on stderr."""
    text = f"gieok: {message}\n" + (f"  → {hint}\n" if hint else "")
    with contextlib.suppress(BrokenPipeError):
        sys.stderr.write(text.encode("utf-8", "replace").decode())
        sys.stderr.flush()


def _format_output_loss(error: OSError) -> str:
    return Phrase("the answer could not be written: {reason}", reason=find_os_reason(error))


def _fill_closed_streams() -> None:
    """Open a placeholder for each closed standard stream, to which writes fail.

    Otherwise a file that Gieok opens would get the number of a standard stream.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # opens on the lowest free number, which is this one
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)
            setattr(
                sys,
                name,
                open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False),  # noqa: SIM115
            )


def _drop_stream_output(stream: TextIO, number: int) -> None:
    """Discard the buffer of a stream that cannot be written, and all its later output."""
    try:
        stream.flush()
    except OSError:
        pass
    else:
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
