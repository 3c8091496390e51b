"""Trial of Gemini File Search with the user's key, on a store of its own that is deleted after.

The steps are those of the managed store: make a store, upload a note, search it, delete it all. What
was exchanged is recorded (`recording`), so that a fault of the real service can be reported and
replayed without its key and its content.
"""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence

from gieok import __version__
from gieok.errors import GieokError, StoreUnreachable
from gieok.opening import Opening
from gieok.ports.store import TrialResult, TrialStep
from gieok.storage.index.gemini.recording import Recorder
from gieok.storage.index.gemini.service import (
    Access,
    GeminiService,
    Payload,
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
        #: Set before the store is asked for: it may be made although no answer says so.
        self._display_name = ""
        self._store = ""
        self._document = ""
        #: Files that the detour left at the file service.
        self._left_files: list[str] = []

    def run(self) -> tuple[TrialStep, ...]:
        """Do the steps until one fails; whatever fails, store and files are deleted."""
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
            steps += self._clean_up()
            self._service.close()
        return tuple(steps)

    def _make(self) -> str:
        self._display_name = f"gieok-trial-{secrets.token_hex(4)}"
        self._store = self._service.make_store(self._display_name)
        return "a store of the trial's own"

    def _upload(self) -> str:
        payload = Payload(
            title=TITLE,
            data=f"{NOTE}\n".encode(),
            labels={_LABEL: _KIND},
            chunk_tokens=_CHUNK_TOKENS,
            overlap_tokens=_OVERLAP_TOKENS,
        )
        operation = self._service.upload(self._store, payload, self._left_files.append)
        name, wrong = outcome(operation)
        waited_s, pause_s = 0.0, _FIRST_PAUSE_S
        while not (name and self._service.is_active(name)):
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
        if self._left_files:
            return "searchable, by the detour over the file service"
        return "searchable"

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

    def _clean_up(self) -> list[TrialStep]:
        """Delete all that the trial left; return a step for each kind of it."""
        steps: list[TrialStep] = []
        if self._left_files:
            steps.append(self._clean("delete the file", self._left_files, self._delete_files))
        if self._display_name:
            names = [self._store or self._display_name]
            steps.append(self._clean("delete the store", names, self._delete_store))
        # A store that was not made left nothing to tell of.
        return [step for step in steps if not step.ok or step.detail]

    @staticmethod
    def _clean(name: str, what: Sequence[str], do: Callable[[], str]) -> TrialStep:
        try:
            return TrialStep(name, ok=True, detail=do())
        except GieokError as error:
            detail = f"{', '.join(what)}: {error}"
            return TrialStep(name, ok=False, detail=detail, hint=error.hint)

    def _delete_files(self) -> str:
        for file in tuple(self._left_files):
            self._service.delete_file(file)
            self._left_files.remove(file)
        return "the trial's note is gone from the file service"

    def _delete_store(self) -> str:
        """Delete the store, and those that an unanswered request made under its name.

        Returns '' where there is none.
        """
        if self._store:
            self._service.delete_store(self._store)
        others = [
            store.name
            for store in self._service.stores()
            if store.display_name == self._display_name and store.name != self._store
        ]
        for name in others:
            self._service.delete_store(name)
        return "the trial's store is gone" if self._store or others else ""


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
