"""Jobs that take longer than a page.

A job runs beside the server and reports its progress; the page asks for it.
"""

import threading
from collections.abc import Callable

from gieok.errors import GieokError
from gieok.text.messages import Words

_MOST_LINES = 6


class PageJob:
    """A job: its description, its current line, its result."""

    def __init__(self, what: Words) -> None:
        self.what = what
        self.progress = ""
        self.told: list[str] = []
        self.result = ""
        self.failure: dict[str, str] | None = None
        self.is_done = False

    def say(self, line: str) -> None:
        """Show a line in place of the last one."""
        self.progress = line

    def tell(self, line: str) -> None:
        """Show a line that stays."""
        self.told = [*self.told, line][-_MOST_LINES:]


class Jobs:
    """Runner of one job at a time: two jobs would wait for each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.last: PageJob | None = None

    def start(self, what: Words, work: Callable[[PageJob], str]) -> bool:
        """Start a job; return False where another job is running."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return False
            self.last = job = PageJob(what)
            self._thread = threading.Thread(
                target=_run_page_job, args=(job, work), name="page job", daemon=True
            )
            self._thread.start()
            return True

    def wait(self) -> None:
        """Wait for the running job."""
        if self._thread is not None:
            self._thread.join()

    def clear(self) -> None:
        """Stop showing the last job, if it has ended."""
        if self.last is not None and self.last.is_done:
            self.last = None


def _run_page_job(job: PageJob, work: Callable[[PageJob], str]) -> None:
    try:
        job.result = work(job)
    except GieokError as error:
        job.failure = {"message": str(error), "hint": error.hint}
    except Exception as error:  # noqa: BLE001 - a page must say that it failed, whatever it was
        job.failure = {"message": f"{type(error).__name__}: {error}", "hint": "`gieok doctor`"}
    finally:
        job.is_done = True
