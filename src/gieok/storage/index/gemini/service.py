"""Client of Gemini File Search, by Google's SDK: retries, metering, error translation.

Only the calls that the store needs. Behaviour of the service, as observed (docs/backends.md): an
operation may never say that it is done, a document that failed may become active minutes later,
uploads may answer 503 where the detour over the file service works, and search gives no scores.
Only the SDK gets the key; the key is cut out of every error.

The SDK is imported at the first call: that takes more than a second, and most commands of a home
with this store ask the service nothing.
"""

import io
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast
from urllib.parse import urlsplit

from gieok.errors import Phrase, StoreUnreachable
from gieok.extras import is_installed
from gieok.opening import Opening

if TYPE_CHECKING:
    from gieok.storage.index.gemini.sdk import SdkErrors, genai, types

_SDK = "google.genai"
if not is_installed(_SDK):
    raise ModuleNotFoundError(name=_SDK)
#: Tries of a call before its failure counts, and the pause after the first.
_TRIES = 3
_FIRST_PAUSE_S = 1.0
_RETRYABLE = frozenset((408, 429, 500, 502, 503, 504))
_UNAVAILABLE = 503
#: The largest page size that the service offers.
_PAGE = 20
_MIME = "text/markdown"
_ASKED = (
    "Quote, in a few words, the passages of the user's own notes that answer. Say nothing else."
)
#: Only the passages are wanted, not an answer about them; but without any output the service
#: returns no grounding.
MOST_OUTPUT_TOKENS = 64
_R = TypeVar("_R")

#: Function that counts: called for each call with its kind, and after the call with its input and
#: output tokens.
CountTokens = Callable[[str, int, int], None]


#: Beginning of every resource name of a store.
_STORE_PREFIX = "fileSearchStores/"


class RemoteState(Enum):
    """State of a document at the service; a failed document may still become active."""

    PENDING = "pending"
    ACTIVE = "active"
    FAILED = "failed"


class Remote(NamedTuple):
    """Document at the service: its name there, and the labels that Gieok gave it."""

    name: str
    state: RemoteState
    labels: Mapping[str, str]


class GroundedChunk(NamedTuple):
    """Quotation from a document; `title` is the document's name at its upload."""

    text: str
    labels: Mapping[str, str]
    title: str = ""
    #: The service's name of the document, where it gives one.
    name: str = ""


class RemoteStore(NamedTuple):
    """A store at the service."""

    name: str
    display_name: str


class Payload(NamedTuple):
    """Content and labels of an upload of a document."""

    title: str
    data: bytes
    #: Labels for filters, and to find the document again; whole numbers stay numbers.
    labels: Mapping[str, str | int]
    chunk_tokens: int
    overlap_tokens: int


class Access(NamedTuple):
    """Address, key and limits for requests to the service."""

    key: str
    url: str
    timeout_s: float
    model: str
    embedding_model: str


def read_access(opening: Opening) -> Access:
    """Return the access that a home's settings and keys give."""
    return Access(
        key=opening.secret("GEMINI_API_KEY"),
        url=opening.setting("gemini.url"),
        timeout_s=float(opening.setting("gemini.timeout_s")),
        model=opening.setting("gemini.model"),
        embedding_model=opening.setting("gemini.embedding_model"),
    )


def _open_sdk_errors() -> "SdkErrors":
    from gieok.storage.index.gemini.sdk import ERRORS

    return ERRORS


class GeminiService:
    """Client for any number of threads.

    Every method raises StoreUnreachable, with the cause and the next step.
    """

    def __init__(
        self,
        access: Access,
        meter: CountTokens,
        pause: Callable[[float], None],
        client_args: Mapping[str, object] | None = None,
    ) -> None:
        self._access = access
        self._meter = meter
        self._pause = pause
        #: Arguments of the HTTP client, such as those that record what is exchanged.
        self._client_args = dict(client_args or {})
        self._opened: genai.Client | None = None

    def _client(self) -> "genai.Client":
        from gieok.storage.index.gemini.sdk import genai, types

        if not self._access.key:
            raise StoreUnreachable(
                "no key for Gemini", hint="run `gieok keys set gemini` (GEMINI_API_KEY)"
            )
        if self._opened is None:
            _check_access(self._access)
            options = types.HttpOptions(
                base_url=self._access.url or None,
                timeout=round(self._access.timeout_s * 1000),
                # No retries by the SDK: our own retries are counted, and keep to the time limit.
                retry_options=types.HttpRetryOptions(attempts=1),
                client_args=self._client_args or None,
            )
            self._opened = genai.Client(
                api_key=self._access.key, vertexai=False, http_options=options
            )
        return self._opened

    def stores(self) -> Iterator[RemoteStore]:
        """Yield every store of the key's project, those of other programs too."""
        for store in self._pages(
            "list", lambda client: client.file_search_stores.list(config={"page_size": _PAGE})
        ):
            yield RemoteStore(str(store.name or ""), str(store.display_name or ""))

    def find_or_make_store(self, display_name: str) -> str:
        """Return the resource name of the store with this display name (or resource name).

        A missing store is made, unless it was named by its resource name, which the service gives.
        """
        if display_name.startswith(_STORE_PREFIX):
            return self._look_up_store(display_name)

        def look() -> str | None:
            names = (store.name for store in self.stores() if display_name == store.display_name)
            return next(names, None)

        found = look()
        if found is not None:
            return found
        # The answer to an attempt may be lost although it made the store, and the service makes any
        # number of one display name: before another attempt, it is looked for.
        return self._call(
            "create store", lambda client: self._create_store(client, display_name), look
        )

    def _look_up_store(self, name: str) -> str:
        try:
            return self._call(
                "look",
                lambda client: _require_name(client.file_search_stores.get(name=name).name),
            )
        except RemoteGone:
            raise StoreUnreachable(
                "there is no store {name!r} at gemini",
                name=name,
                hint="set `gemini.stores` to another id, or to a name: a missing name is made",
            ) from None

    def make_store(self, display_name: str) -> str:
        """Make a store and return its resource name."""
        return self._call("create store", lambda client: self._create_store(client, display_name))

    def _create_store(self, client: "genai.Client", display_name: str) -> str:
        from gieok.storage.index.gemini.sdk import types

        config = types.CreateFileSearchStoreConfig(
            display_name=display_name, embedding_model=self._access.embedding_model or None
        )
        return _require_name(client.file_search_stores.create(config=config).name)

    def documents(self, store: str) -> Iterator[Remote]:
        """Yield every document of a store, those of other programs too."""
        config: types.ListDocumentsConfigDict = {"page_size": _PAGE}
        for document in self._pages(
            "list",
            lambda client: client.file_search_stores.documents.list(parent=store, config=config),
        ):
            if document.name:
                yield _parse_remote_document(document)

    def document(self, name: str) -> Remote | None:
        """Return a document; None where it is gone."""
        try:
            return self._call(
                "look",
                lambda client: _parse_remote_document(
                    client.file_search_stores.documents.get(name=name)
                ),
            )
        except RemoteGone:
            return None

    def is_active(self, name: str) -> bool:
        """Return whether a document can be searched."""
        remote = self.document(name)
        return remote is not None and remote.state is RemoteState.ACTIVE

    def upload(
        self, store: str, payload: Payload, note_file: Callable[[str], None]
    ) -> "types.UploadToFileSearchStoreOperation | types.ImportFileOperation":
        """Begin an upload and return its operation.

        `note_file` is called with the name of a file that the upload leaves at the file service.
        """
        from gieok.storage.index.gemini.sdk import types

        config = types.UploadToFileSearchStoreConfig(
            mime_type=_MIME,
            display_name=payload.title[:512],
            custom_metadata=_build_label_metadata(payload.labels),
            chunking_config=_build_chunking_config(payload),
        )
        try:
            return self._call(
                "upload",
                lambda client: _require_begun(
                    client.file_search_stores.upload_to_file_search_store(
                        file_search_store_name=store, file=io.BytesIO(payload.data), config=config
                    )
                ),
            )
        except _Unavailable:
            return self._import(store, payload, note_file)

    def _import(
        self, store: str, payload: Payload, note_file: Callable[[str], None]
    ) -> "types.ImportFileOperation":
        """Upload through the file service, which works where direct uploads answer 503."""
        from gieok.storage.index.gemini.sdk import types

        held = self._call(
            "upload",
            lambda client: _require_name(
                client.files.upload(
                    file=io.BytesIO(payload.data),
                    config=types.UploadFileConfig(
                        mime_type=_MIME, display_name=payload.title[:512]
                    ),
                ).name
            ),
        )
        note_file(held)
        config = types.ImportFileConfig(
            custom_metadata=_build_label_metadata(payload.labels),
            chunking_config=_build_chunking_config(payload),
        )
        return self._call(
            "upload",
            lambda client: _require_begun(
                client.file_search_stores.import_file(
                    file_search_store_name=store, file_name=held, config=config
                )
            ),
        )

    # One of the SDK's two kinds.
    def progress(self, operation: Any) -> tuple[str, str]:  # noqa: ANN401
        """Poll an operation; return the document's name and the error, each '' where unknown."""
        return self._call(
            "look", lambda client: outcome(_require_begun(client.operations.get(operation)))
        )

    def delete(self, name: str) -> None:
        """Delete a document; no error where it is gone already."""
        from gieok.storage.index.gemini.sdk import types

        try:
            self._call(
                "delete",
                lambda client: client.file_search_stores.documents.delete(
                    name=name, config=types.DeleteDocumentConfig(force=True)
                ),
            )
        except RemoteGone:
            return

    def delete_file(self, name: str) -> None:
        """Delete the file that an upload left at the file service.

        The file service itself keeps such a file for two days.
        """
        try:
            self._call("delete", lambda client: client.files.delete(name=name))
        except (RemoteGone, _GeminiRefused):  # it answers 403 for files that are gone
            return

    def delete_store(self, name: str) -> None:
        """Delete a store that was seen to be empty; no error where it is gone already."""
        from gieok.storage.index.gemini.sdk import types

        # The index of a deleted document may linger for a while.
        config = types.DeleteFileSearchStoreConfig(force=True)
        try:
            self._call(
                "delete store",
                lambda client: client.file_search_stores.delete(name=name, config=config),
            )
        except RemoteGone:
            return

    def search(
        self, stores: list[str], text: str, condition: str, limit: int, within_s: float
    ) -> list[GroundedChunk]:
        """Return chunks in the order of the service.

        All tries together take `within_s` at most; raises AnswerLate after it.
        """
        from gieok.storage.index.gemini.sdk import types

        tool = types.Tool(
            file_search=types.FileSearch(
                file_search_store_names=stores, top_k=limit, metadata_filter=condition
            )
        )

        def ask(client: "genai.Client", left_s: float) -> "types.GenerateContentResponse":
            config = types.GenerateContentConfig(
                tools=[tool],
                system_instruction=_ASKED,
                temperature=0.0,
                max_output_tokens=MOST_OUTPUT_TOKENS,
                http_options=types.HttpOptions(timeout=max(round(left_s * 1000), 1)),
            )
            answer = client.models.generate_content(
                model=self._access.model, contents=text, config=config
            )
            if answer.candidates is None and answer.usage_metadata is None:
                raise _NotItsAnswer  # what found nothing has one of the two
            return answer

        response = self._call_within("search", ask, within_s)
        grounding = [
            c.grounding_metadata for c in response.candidates or () if c.grounding_metadata
        ]
        contexts = [
            chunk.retrieved_context for g in grounding for chunk in g.grounding_chunks or ()
        ]
        return [
            GroundedChunk(
                c.text or "",
                _read_document_labels(c.custom_metadata),
                c.title or "",
                c.document_name or "",
            )
            for c in contexts
            if c is not None
        ]

    def close(self) -> None:
        """Close the connections."""
        if self._opened is not None:
            self._opened.close()
        self._opened = None

    def _pages(self, what: str, begin: "Callable[[genai.Client], Any]") -> Iterator[Any]:
        """Yield the items of every page, each page with its own retries."""
        pager = self._call(what, begin)
        while True:
            yield from pager.page
            if not pager.config.get("page_token"):
                return
            self._call(what, lambda client: pager.next_page())

    def _call(
        self,
        what: str,
        call: "Callable[[genai.Client], _R]",
        look: Callable[[], _R | None] = lambda: None,
    ) -> _R:
        """Call the service, up to three times where a retry may help, and count each call.

        Before another try, `look` may find what a try did whose answer was lost; None: nothing.
        """
        client = self._client()
        for attempt in range(_TRIES):
            try:
                self._meter(what, 0, 0)
                return call(client)
            except _open_sdk_errors().every as error:
                problem = self._problem(error)
                if not problem.may_pass or attempt == _TRIES - 1:
                    raise problem.error from None  # the SDK's own error may quote the request
                self._pause(_FIRST_PAUSE_S * 2**attempt)
            found = look()
            if found is not None:
                return found
        raise AssertionError  # the last attempt returned or raised

    def _call_within(
        self,
        what: str,
        call: "Callable[[genai.Client, float], types.GenerateContentResponse]",
        within_s: float,
    ) -> "types.GenerateContentResponse":
        """Call the service while a person waits.

        Tries and pauses together take `within_s` at most. Counts calls and tokens.
        """
        client, end = self._client(), time.monotonic() + within_s
        for attempt in range(_TRIES):
            left_s = end - time.monotonic()
            if left_s <= 0:
                raise _build_late_error(StoreUnreachable, within_s)
            self._meter(what, 0, 0)
            try:
                result = _answer_in_time(lambda left_s=left_s: call(client, left_s), left_s)  # type: ignore[misc]
            except _Late:
                raise _build_late_error(AnswerLate, within_s) from None
            except _open_sdk_errors().every as error:
                problem = self._problem(error)
                pause_s = _FIRST_PAUSE_S / 4 * 2**attempt
                if not problem.may_pass:
                    raise problem.error from None
                if time.monotonic() + pause_s >= end:  # the SDK's own deadline is this one too
                    is_worked_on = isinstance(error, _open_sdk_errors().late)
                    late = AnswerLate if is_worked_on else StoreUnreachable
                    raise _build_late_error(late, within_s) from None
                if attempt == _TRIES - 1:
                    raise problem.error from None
                self._pause(pause_s)
            else:
                if usage := result.usage_metadata:
                    self._meter("", *_add_up_tokens(usage))
                return result
        raise AssertionError  # the last attempt returned or raised

    def _problem(self, error: Exception) -> "_Problem":
        known = _open_sdk_errors()
        if not isinstance(error, known.of_service):
            if isinstance(error, known.misunderstood):
                misunderstood = StoreUnreachable(
                    "the answer of gemini was not understood",
                    hint="a proxy may answer in its place: check the network",
                )
                return _Problem(misunderstood, may_pass=True)
            if isinstance(error, ValueError):  # its text may quote what was sent or answered
                broken = StoreUnreachable(
                    "a call of gemini came to nothing", hint="check the network and `gemini.url`"
                )
                return _Problem(broken, may_pass=True)
            message = self._clean(str(error) or type(error).__name__)
            return _Problem(
                StoreUnreachable(
                    "gemini unreachable: {message}",
                    message=Phrase(message),
                    hint="check the network",
                ),
                may_pass=True,
            )
        message = self._clean(f"{error.code} {error.status or ''}: {error.message or ''}".strip())
        kind: type[StoreUnreachable] = {
            403: _GeminiRefused,
            404: RemoteGone,
            _UNAVAILABLE: _Unavailable,
        }.get(error.code, StoreUnreachable)
        refused = error.code in (401, 403) or "api key" in message.lower()
        if refused:
            raised = kind(
                f"gemini refused the key ({message})",
                hint="check GEMINI_API_KEY: `gieok keys test gemini`",
            )
        elif error.code == 429:
            raised = kind(
                f"gemini's quota is used up ({message})",
                hint="wait, or raise the quota of the key's project",
            )
        else:
            raised = kind(
                f"gemini failed ({message})",
                hint="try again later; what is indexed here still answers",
            )
        return _Problem(raised, may_pass=error.code in _RETRYABLE and not refused)

    def _clean(self, text: str) -> str:
        return text.replace(self._access.key, "…")


class _Problem(NamedTuple):
    error: StoreUnreachable
    may_pass: bool


class AnswerLate(StoreUnreachable):
    """No answer within the time limit; the service may have worked for it, and charge it."""


class RemoteGone(StoreUnreachable):
    """Error 404: the named document or store is not there."""


class _Unavailable(StoreUnreachable):
    """Error 503, three times in a row."""


class _GeminiRefused(StoreUnreachable):
    """Error 403: the key lacks the permission, or a file is gone."""


class _NotItsAnswer(TypeError):
    """An answer in a form that is readable and not the service's."""


class _Late(Exception):
    """No answer within the time limit."""


def _build_late_error(kind: type[StoreUnreachable], within_s: float) -> StoreUnreachable:
    return kind(
        "gemini did not answer within {within_s:g} s",
        within_s=within_s,
        hint="what is here answered; raise gemini.search_timeout_s",
    )


def _add_up_tokens(usage: "types.GenerateContentResponseUsageMetadata") -> tuple[int, int]:
    """Return the tokens in and out that an answer cost.

    What a tool read, here the passages, and what the model thought stand beside prompt and answer,
    and cost the same.
    """
    return (
        (usage.prompt_token_count or 0) + (usage.tool_use_prompt_token_count or 0),
        (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
    )


def _answer_in_time(call: Callable[[], _R], within_s: float) -> _R:
    """Return the result of a call, or raise its error or _Late after `within_s`.

    A time-out of a socket counts from the last byte: a service that trickles would block the caller
    for ever. The thread is a daemon, so that a command that has answered does not wait for the
    thread either.
    """
    answers: queue.SimpleQueue[tuple[_R | None, Exception | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            answers.put((call(), None))
        except Exception as error:  # noqa: BLE001 - raised again by whoever waits
            answers.put((None, error))

    threading.Thread(target=work, name="gieok-search", daemon=True).start()
    try:
        result, failure = answers.get(timeout=within_s)
    except queue.Empty:
        raise _Late from None
    if failure is not None:
        raise failure
    return cast("_R", result)


def _check_access(access: Access) -> None:
    """Raise StoreUnreachable for a key or an address that no request can carry.

    Checked here since the errors of what sends requests quote both.
    """
    if not _is_sendable(access.key):
        raise StoreUnreachable(
            "the key for Gemini has a character that no key has",
            hint="run `gieok keys set gemini` (GEMINI_API_KEY)",
        )
    if access.url and not (
        _is_sendable(access.url) and urlsplit(access.url).scheme in ("http", "https")
    ):
        raise StoreUnreachable(
            "`gemini.url` is no address", hint="it begins with https:// and has no spaces"
        )


def _is_sendable(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text


def _require_name(name: str | None) -> str:
    """Return the name that the service gave; raise _NotItsAnswer where there is none."""
    if not name:
        raise _NotItsAnswer
    return name


_O = TypeVar("_O", "types.UploadToFileSearchStoreOperation", "types.ImportFileOperation")


def _require_begun(operation: _O) -> _O:
    """Return an operation; raise _NotItsAnswer where it has no name."""
    _require_name(operation.name)
    return operation


def outcome(operation: Any) -> tuple[str, str]:  # noqa: ANN401 - one of the SDK's two kinds
    """Return the document's name and the error of an operation, each '' where unknown."""
    name = (operation.response.document_name if operation.response else None) or ""
    wrong = (operation.error or {}).get("message", "") or (
        "an error without words" if operation.error else ""
    )
    return name, wrong


def _parse_remote_document(document: "types.Document") -> Remote:
    state = {"STATE_ACTIVE": RemoteState.ACTIVE, "STATE_FAILED": RemoteState.FAILED}.get(
        document.state.value if document.state else "", RemoteState.PENDING
    )
    return Remote(
        _require_name(document.name), state, _read_document_labels(document.custom_metadata)
    )


# The SDK has two types of the same shape.
def _read_document_labels(metadata: Any) -> dict[str, str]:  # noqa: ANN401
    return {m.key: m.string_value or "" for m in metadata or () if m.key}


def _build_label_metadata(labels: Mapping[str, str | int]) -> "list[types.CustomMetadata]":
    from gieok.storage.index.gemini.sdk import types

    return [
        types.CustomMetadata(key=key, numeric_value=value)
        if isinstance(value, int)
        else types.CustomMetadata(key=key, string_value=value)
        for key, value in labels.items()
    ]


def _build_chunking_config(payload: Payload) -> "types.ChunkingConfig":
    from gieok.storage.index.gemini.sdk import types

    return types.ChunkingConfig(
        white_space_config=types.WhiteSpaceConfig(
            max_tokens_per_chunk=payload.chunk_tokens, max_overlap_tokens=payload.overlap_tokens
        )
    )
