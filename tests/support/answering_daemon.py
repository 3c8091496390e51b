"""What answers in the place of a daemon, for tests of callers: the socket is real, the answer given."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from gieok import __version__
from gieok.daemon.server import Server
from gieok.processes import wire


@contextmanager
def answer_as_daemon(
    home: Path, answer: Callable[[], Mapping[str, object]], version: str = __version__
) -> Iterator[list[object]]:
    """Answer in the place of a daemon; give the calls that came."""
    calls: list[object] = []
    listening, address = wire.listen(home, "now", version)

    def answered(call: object, *_: object) -> Mapping[str, object]:
        calls.append(call)
        return answer()

    def serve() -> None:
        with pytest.raises(OSError):
            Server(listening, address.token, lambda what: {}).serve(answered)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield calls
    finally:
        listening.close()
        wire.remove_daemon_address(home)
