"""Trial of Gemini File Search with the user's key, on a store of its own that is deleted after.

The steps are those of the managed store: make a store, upload a note, search it, delete it all. What
was exchanged is recorded (`recording`), so that a fault of the real service can be reported and
replayed without its key and its content.
"""

import secrets
import time
from collections.abc import Callable, Mapping

from gieok import __version__
from gieok.errors import GieokError, StoreUnreachable
from gieok.opening import Opening
from gieok.ports.store import TrialResult, TrialStep
from gieok.storage.index.gemini.recording import Recorder
from gieok.storage.index.gemini.service import (
    Access,
    GeminiService,
    Payload,
    RemoteState,
    outcome,
    read_access,
)

#: Text of the trial's note, and a question that it answers: the only texts in a recording.
NOTE = "점검용 umbrella는 초록 문 뒤에 서 있다."
QUESTION = "점검용 umbrella는 어디에 있지?"
TITLE = "gieok-trial.md"
_LABEL = "gieok_kind"
_KIND = "trial"
_CHUNK_TOKENS, _OVERLAP_TOKENS = 200, 20
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 8.0


class ServiceTrial:
    """One trial. `client_args` are arguments of the HTTP client, such as those of a replay."""

    def __init__(
        self,
        access: Access,
        limits_s: tuple[float, float],
        client_args: Mapping[str, object],
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._service = GeminiService(
            access, lambda what, tokens_in, tokens_out: None, pause, client_args
        )
        self._upload_s, self._search_s = limits_s
        self._pause = pause
        self._store = ""
        self._document = ""

    def run(self) -> tuple[TrialStep, ...]:
        """Do the steps until one fails; whatever fails, the store is deleted."""
        steps: list[TrialStep] = []
        try:
            for name, do in (
                ("make a store", self._make),
                ("upload a note", self._upload),
                ("search", self._search),
                ("search with a filter", self._filter),
                ("delete the note", self._delete),
            ):
                began = time.monotonic()
                try:
                    detail = do()
                except GieokError as error:
                    steps.append(TrialStep(name, ok=False, detail=str(error), hint=error.hint))
                    break
                took_s = time.monotonic() - began
                steps.append(TrialStep(name, ok=True, detail=detail, seconds=took_s))
        finally:
            if self._store:
                steps.append(self._clean_up())
            self._service.close()
        return tuple(steps)

    def _make(self) -> str:
        self._store = self._service.make_store(f"gieok-trial-{secrets.token_hex(4)}")
        return "a store of the trial's own"

    def _upload(self) -> str:
        payload = Payload(
            title=TITLE,
            data=f"{NOTE}\n".encode(),
            labels={_LABEL: _KIND},
            chunk_tokens=_CHUNK_TOKENS,
            overlap_tokens=_OVERLAP_TOKENS,
        )
        left_files: list[str] = []
        operation = self._service.upload(self._store, payload, left_files.append)
        name, wrong = outcome(operation)
        waited_s, pause_s = 0.0, _FIRST_PAUSE_S
        while not (name and self._is_active(name)):
            if wrong or waited_s >= self._upload_s:
                raise StoreUnreachable(
                    "the note is not searchable: {why}", why=wrong or "still being prepared"
                )
            self._pause(pause_s)
            waited_s, pause_s = waited_s + pause_s, min(2 * pause_s, _LONGEST_PAUSE_S)
            if not name:
                name, wrong = self._service.progress(operation)
                name = name or next((d.name for d in self._service.documents(self._store)), "")
        self._document = name
        for file in left_files:
            self._service.delete_file(file)
        return "searchable" if not left_files else "searchable, by the detour over the file service"

    def _is_active(self, name: str) -> bool:
        remote = self._service.document(name)
        return remote is not None and remote.state is RemoteState.ACTIVE

    def _search(self) -> str:
        chunks = self._service.search([self._store], QUESTION, "", 3, self._search_s)
        if not any("umbrella" in chunk.text for chunk in chunks):
            raise StoreUnreachable("the note that was just uploaded is not quoted")
        has_labels = any(chunk.labels.get(_LABEL) == _KIND for chunk in chunks)
        return "the note is quoted" if has_labels else "the note is quoted, without its labels"

    def _filter(self) -> str:
        chunks = self._service.search(
            [self._store], QUESTION, f'{_LABEL}="nothing"', 3, self._search_s
        )
        if chunks:
            raise StoreUnreachable("a filter that admits nothing was not obeyed")
        return "what a filter leaves out is not quoted"

    def _delete(self) -> str:
        self._service.delete(self._document)
        if self._service.document(self._document) is not None:
            raise StoreUnreachable("the note is still there after it was deleted")
        return "the note is gone"

    def _clean_up(self) -> TrialStep:
        try:
            self._service.delete_store(self._store)
        except GieokError as error:
            return TrialStep(
                "delete the store", ok=False, detail=f"{self._store}: {error}", hint=error.hint
            )
        return TrialStep("delete the store", ok=True, detail="the trial's store is gone")


def try_service(opening: Opening) -> TrialResult:
    """Try the service with the key and the settings of a home, and record what was exchanged."""
    access = read_access(opening)
    recorder = Recorder(access.key, (NOTE, QUESTION, TITLE, _LABEL, _KIND))
    limits_s = (
        float(opening.setting("gemini.upload_timeout_s")),
        # Nobody waits for an answer of memory here.
        float(opening.setting("gemini.timeout_s")),
    )
    steps = ServiceTrial(access, limits_s, recorder.client_args).run()
    results = {step.name: "works" if step.ok else "fails" for step in steps}
    return TrialResult(steps, recorder.render(f"gieok {__version__}", access.model, results))
