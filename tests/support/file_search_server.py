"""Gemini File Search on the loopback, with the habits that were seen of the real one
(docs/backends.md).

Speaks to the official SDK: `/v1` and `/v1beta`, resumable uploads, paging, metadata filters, errors
in Google's shape. A caller sets what goes wrong and looks at what was asked.
"""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from gieok.testing.prompt_answers import LoopbackServer, PromptAnswers

_WORD = re.compile(r"\w+")
_TERM = re.compile(r'(\w+)\s*(>=|<=|=|<|>)\s*("(?:[^"\\]|\\.)*"|-?\d+)')


#: Status of a `Failure` that closes the connection in place of an answer.
NO_ANSWER = 0
#: Status of a `Failure` that answers with a page in place of JSON, as a proxy does.
NO_JSON = 1
#: Status of a `Failure` that answers with JSON of another form: its `status`.
OTHER_JSON = 2


@dataclass
class Failure:
    """Answers calls whose kind is `what` with a status, so many times.

    `is_done`: what was asked for is done all the same.
    """

    what: str
    code: int
    status: str
    message: str = "as the test wishes"
    times: int = 10**9
    is_done: bool = False


@dataclass
class Document:
    name: str
    title: str
    text: str
    labels: dict[str, str | float]
    state: str = "STATE_ACTIVE"
    chunk_tokens: int = 0


@dataclass
class FakeGemini:
    """What the service holds, and what was asked of it."""

    key: str = "test-key-0123456789"
    stores: dict[str, str] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    #: What a new document's state is, and what the states are that later looks at it find, the last
    #: for ever.
    states: list[str] = field(default_factory=lambda: ["STATE_ACTIVE"])
    #: Operations never say that they are done, nor which document they made.
    is_silent: bool = False
    operation_error: str = ""
    prefixes: set[str] = field(default_factory=set)
    in_flight: int = 0
    most_in_flight: int = 0
    #: Calls of this kind are not answered before `released` is set.
    hangs: str = ""
    released: threading.Event = field(default_factory=threading.Event)
    #: Quotations carry no labels of ours, and titles or not.
    has_labels: bool = True
    has_titles: bool = True
    #: What is quoted for any question: the first documents, whatever they say.
    quotes_anything: bool = False
    #: Called when an upload has arrived, before it is answered.
    on_upload: Callable[[], None] = lambda: None
    looks: Counter[str] = field(default_factory=Counter)
    sessions: dict[str, Any] = field(default_factory=dict)
    #: Session of an upload that has ended → its answer.
    finished: dict[str, dict[str, Any]] = field(default_factory=dict)
    operations: dict[str, str] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(1, 10**9)))
    lock: threading.RLock = field(default_factory=threading.RLock)
    url: str = ""

    def texts(self) -> list[str]:
        """Return the texts of all documents, sorted."""
        return sorted(document.text for document in self.documents.values())

    def fail(
        self,
        what: str,
        code: int,
        status: str,
        times: int = 10**9,
        message: str = "as the test wishes",
        *,
        is_done: bool = False,
    ) -> None:
        self.failures.append(Failure(what, code, status, message, times, is_done))

    def searches(self) -> list[dict[str, Any]]:
        """Return the tools of all searches."""
        return [search_tool(data) for what, _, data in self.requests if what == "generate"]

    def reset_counts(self) -> None:
        self.calls.clear()
        self.requests.clear()

    def answer(
        self, method: str, path: str, query: dict[str, str], headers: Any, body: bytes
    ) -> tuple[int, Any, dict[str, str]]:
        with self.lock:
            what, arguments = _route(method, path, headers)
            self.calls[what] += 1
            data = json.loads(body) if body[:1] == b"{" and "bytes" not in what else None
            self.requests.append((what, path, data))
            if (
                headers.get("x-goog-api-key") or query.get("key")
            ) != self.key and what != "upload bytes":
                return _error(
                    400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."
                )
            failure = next((f for f in self.failures if f.what == what and f.times > 0), None)
            if failure is not None:
                failure.times -= 1
                if not failure.is_done:
                    return _error(failure.code, failure.status, failure.message)
        if what == self.hangs:
            self.released.wait(30)
        handler: Callable[..., tuple[int, Any, dict[str, str]]] = getattr(
            self, "_" + what.replace(" ", "_"), self._unknown
        )
        answer = handler(arguments=arguments, query=query, headers=headers, body=body, data=data)
        return _error(failure.code, failure.status, failure.message) if failure else answer

    def _unknown(self, **_: Any) -> tuple[int, Any, dict[str, str]]:
        return _error(404, "NOT_FOUND", "no such route")

    def _list_stores(self, query: dict[str, str], **_: Any) -> tuple[int, Any, dict[str, str]]:
        items = [
            {"name": name, "displayName": title} for name, title in sorted(self.stores.items())
        ]
        return _page("fileSearchStores", items, query)

    def _get_store(self, arguments: str, **_: Any) -> tuple[int, Any, dict[str, str]]:
        if arguments not in self.stores:
            return _error(404, "NOT_FOUND", "no such store")
        return 200, {"name": arguments, "displayName": self.stores[arguments]}, {}

    def _create_store(self, data: Any, **_: Any) -> tuple[int, Any, dict[str, str]]:
        name = f"fileSearchStores/{data['displayName']}-{next(self.numbers):012d}"
        self.stores[name] = data["displayName"]
        return 200, {"name": name, "displayName": data["displayName"]}, {}

    def _list_documents(
        self, arguments: str, query: dict[str, str], **_: Any
    ) -> tuple[int, Any, dict[str, str]]:
        if arguments not in self.stores:
            return _error(404, "NOT_FOUND", "no such store")
        return _page(
            "documents",
            [self._shown(d) for n, d in sorted(self.documents.items()) if n.startswith(arguments)],
            query,
        )

    def _delete_store(
        self, arguments: str, query: dict[str, str], **_: Any
    ) -> tuple[int, Any, dict[str, str]]:
        if arguments not in self.stores:
            return _error(404, "NOT_FOUND", "no such store")
        if query.get("force", "").lower() != "true":
            return _error(400, "FAILED_PRECONDITION", "Cannot delete non-empty store")
        del self.stores[arguments]
        for name in [name for name in self.documents if name.startswith(f"{arguments}/")]:
            del self.documents[name]
        return 200, {}, {}

    def _delete_file(self, arguments: str, **_: Any) -> tuple[int, Any, dict[str, str]]:
        if self.files.pop(arguments, None) is None:
            return _error(
                403, "PERMISSION_DENIED", "you may not access the file, or it does not exist"
            )
        return 200, {}, {}

    def _get_document(self, arguments: str, **_: Any) -> tuple[int, Any, dict[str, str]]:
        with self.lock:
            found = self.documents.get(arguments)
            if found is None:
                return _error(404, "NOT_FOUND", "no such document")
            self.looks[arguments] += 1
            found.state = self.states[min(self.looks[arguments], len(self.states) - 1)]
            return 200, self._shown(found), {}

    def _delete_document(
        self, arguments: str, query: dict[str, str], **_: Any
    ) -> tuple[int, Any, dict[str, str]]:
        if arguments not in self.documents:
            return _error(404, "NOT_FOUND", "no such document")
        if query.get("force", "").lower() != "true":
            return _error(400, "FAILED_PRECONDITION", "Cannot delete non-empty document")
        del self.documents[arguments]
        return 200, {}, {}

    def _start_upload(self, arguments: str, data: Any, **_: Any) -> tuple[int, Any, dict[str, str]]:
        if arguments and arguments not in self.stores:
            return _error(404, "NOT_FOUND", "no such store")
        session = str(next(self.numbers))
        self.sessions[session] = (arguments, data, b"")
        return (
            200,
            {},
            {
                "X-Goog-Upload-Status": "active",
                "X-Goog-Upload-URL": f"{self.url}/upload/session/{session}",
            },
        )

    _start_upload_of_a_file = _start_upload

    def _upload_bytes(
        self, arguments: str, headers: Any, body: bytes, **_: Any
    ) -> tuple[int, Any, dict[str, str]]:
        self.on_upload()
        with self.lock:
            store, data, held = self.sessions[arguments]
            # A piece that is sent again stands where it stood, and an upload ends once.
            offset = int(headers.get("X-Goog-Upload-Offset") or len(held))
            self.sessions[arguments] = (store, data, held := held[:offset] + body)
            if "finalize" not in headers.get("X-Goog-Upload-Command", ""):
                return 200, {}, {"X-Goog-Upload-Status": "active"}
            if arguments not in self.finished:
                self.finished[arguments] = self._finish_upload(arguments, store, data, held)
            return 200, self.finished[arguments], {"X-Goog-Upload-Status": "final"}

    def _finish_upload(self, session: str, store: str, data: Any, held: bytes) -> dict[str, Any]:
        if store:
            return self._operation(self._add(store, data, held))
        name = f"files/{session}"
        self.files[name] = held
        return {"file": {"name": name, "uri": name, "state": "ACTIVE"}}

    def _import_file(self, arguments: str, data: Any, **_: Any) -> tuple[int, Any, dict[str, str]]:
        with self.lock:
            return (
                200,
                self._operation(self._add(arguments, data, self.files[data["fileName"]])),
                {},
            )

    def _add(self, store: str, data: Any, held: bytes) -> Document:
        labels = {
            m["key"]: m.get(
                "stringValue", m.get("string_value", m.get("numericValue", m.get("numeric_value")))
            )
            for m in data.get("customMetadata", ())
        }
        name = f"{store}/documents/d{next(self.numbers)}"
        chunking = json.dumps(data.get("chunkingConfig", {}))
        size = re.search(r'"max_?[tT]okens_?[pP]er_?[cC]hunk": (\d+)', chunking)
        made = Document(
            name,
            data.get("displayName", ""),
            held.decode(),
            labels,
            self.states[0],
            int(size[1]) if size else 0,
        )
        self.documents[name] = made
        return made

    def _operation(self, made: Document) -> dict[str, Any]:
        name = f"{made.name.split('/documents/')[0]}/upload/operations/o{next(self.numbers)}"
        self.operations[name] = made.name
        return {"name": name}

    def _get_operation(self, arguments: str, **_: Any) -> tuple[int, Any, dict[str, str]]:
        if self.is_silent:
            return 200, {"name": arguments}, {}
        if self.operation_error:
            return (
                200,
                {
                    "name": arguments,
                    "done": True,
                    "error": {"code": 3, "message": self.operation_error},
                },
                {},
            )
        made = self.operations[arguments]
        return (
            200,
            {
                "name": arguments,
                "done": True,
                "response": {"documentName": made, "parent": made.split("/doc")[0]},
            },
            {},
        )

    def _generate(self, data: Any, **_: Any) -> tuple[int, Any, dict[str, str]]:
        tool = search_tool(data)
        names, limit = tool["file_search_store_names"], tool.get("top_k", 5)
        if len(names) > 5:
            return _error(400, "INVALID_ARGUMENT", "at most 5 stores")
        if missing := [name for name in names if name not in self.stores]:
            return _error(404, "NOT_FOUND", f"no such store: {missing}")
        asked = _words(data["contents"][0]["parts"][0]["text"])
        found = [
            (len(asked & _words(chunk)), document, chunk)
            for document in self.documents.values()
            if document.name.split("/documents/")[0] in names and document.state == "STATE_ACTIVE"
            if _meets(document.labels, tool.get("metadata_filter", ""))
            for chunk in _chunks(document.text)
        ]
        best = [
            (d, chunk)
            for score, d, chunk in sorted(found, key=lambda f: -f[0])
            if score or self.quotes_anything
        ][:limit]
        chunks = [
            {
                "retrievedContext": {
                    "text": chunk,
                    **({"title": d.title} if self.has_titles else {}),
                    **({"customMetadata": _metadata(d.labels)} if self.has_labels else {}),
                }
            }
            for d, chunk in best
        ]
        candidate: dict[str, Any] = {
            "content": {"role": "model", "parts": [{"text": "…"}]},
            "finishReason": "MAX_TOKENS",
        }
        if chunks:
            candidate["groundingMetadata"] = {"groundingChunks": chunks}
        usage = {
            "promptTokenCount": 100,
            "toolUsePromptTokenCount": 900,
            "candidatesTokenCount": 40,
            "thoughtsTokenCount": 10,
            "totalTokenCount": 1050,
        }
        return 200, {"candidates": [candidate], "usageMetadata": usage}, {}

    def _shown(self, document: Document) -> dict[str, Any]:
        return {
            "name": document.name,
            "displayName": document.title,
            "state": document.state,
            "customMetadata": _metadata(document.labels),
        }


def _route(method: str, path: str, headers: Any) -> tuple[str, str]:
    """Return what a request is, and what it names."""
    for pattern, what in _ROUTES:
        found = re.fullmatch(pattern, f"{method} {path}")
        if found:
            return what, found[1] if found.groups() else ""
    return "unknown", path


_STORE = r"(fileSearchStores/[^/:]+)"
_ROUTES = (
    (r"GET /fileSearchStores", "list stores"),
    (r"POST /fileSearchStores", "create store"),
    (rf"GET /{_STORE}", "get store"),
    (rf"DELETE /{_STORE}", "delete store"),
    (r"DELETE /(files/[^/]+)", "delete file"),
    (rf"GET /{_STORE}/documents", "list documents"),
    (r"GET /(fileSearchStores/[^/]+/documents/[^/]+)", "get document"),
    (r"DELETE /(fileSearchStores/[^/]+/documents/[^/]+)", "delete document"),
    (r"GET /(fileSearchStores/.+/operations/[^/]+)", "get operation"),
    (rf"POST /upload/{_STORE}:uploadToFileSearchStore", "start upload"),
    (r"POST /upload/files()", "start upload of a file"),
    (r"POST /upload/session/(\d+)", "upload bytes"),
    (rf"POST /{_STORE}:importFile", "import file"),
    (r"POST /models/[^:]+:generateContent", "generate"),
)


def search_tool(data: Any) -> dict[str, Any]:
    """Return the tool's fields in snake case: the SDK leaves them so, the interface documents camel
    case.
    """
    return {
        re.sub("[A-Z]", lambda c: "_" + c[0].lower(), k): v
        for k, v in data["tools"][0]["fileSearch"].items()
    }


def _error(code: int, status: str, message: str) -> tuple[int, Any, dict[str, str]]:
    return code, {"error": {"code": code, "message": message, "status": status}}, {}


def _page(name: str, items: list[Any], query: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
    start, size = int(query.get("pageToken", 0)), min(int(query.get("pageSize", 10)), 20)
    page: dict[str, Any] = {name: items[start : start + size]}
    if start + size < len(items):
        page["nextPageToken"] = str(start + size)
    return 200, page, {}


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _chunks(text: str) -> list[str]:
    """Cut at blank lines and join words by single spaces: the service's chunks are not ours."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def _metadata(labels: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": k, ("stringValue" if isinstance(v, str) else "numericValue"): v}
        for k, v in labels.items()
    ]


def _meets(labels: dict[str, Any], condition: str) -> bool:
    """Evaluate `a="x" AND (b="y" OR b="z") AND c>=3`, as far as it is needed here."""

    def term(found: re.Match[str]) -> str:
        held = labels.get(found[1])
        wanted = json.loads(found[3])
        holds = (
            held is not None
            and {
                "=": held == wanted,
                ">=": held >= wanted,
                "<": held < wanted,
                "<=": held <= wanted,
                ">": held > wanted,
            }[found[2]]
            if isinstance(held, (type(wanted), float))
            else False
        )
        return str(holds)

    logic = _TERM.sub(term, condition).replace("AND", "and").replace("OR", "or")
    return not condition or bool(eval(logic, {"__builtins__": {}}))


@contextmanager
def serving(fake: FakeGemini) -> Iterator[FakeGemini]:
    """Serve on a free port of the loopback."""

    class Handler(PromptAnswers, BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length)
            if len(body) < length:  # the client was killed
                self.close_connection = True
                return
            url = urlsplit(self.path)
            prefix = re.search(r"/v1(?:beta)?(?=/)", url.path)
            if prefix:
                fake.prefixes.add(prefix[0])
            path = re.sub(r"/v1(?:beta)?(?=/)", "", url.path, count=1)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            is_upload = "/upload/session" in path
            with fake.lock:
                fake.in_flight += is_upload
                fake.most_in_flight = max(fake.most_in_flight, fake.in_flight)
            try:
                code, data, headers = fake.answer(self.command, path, query, self.headers, body)
            finally:
                with fake.lock:
                    fake.in_flight -= is_upload
            if code == NO_ANSWER:
                self.close_connection = True
                return
            text = b"<html>busy</html>" if code == NO_JSON else json.dumps(data).encode()
            if code == OTHER_JSON:
                text = data["error"]["status"].encode()
            self.send_response(200 if code in (NO_JSON, OTHER_JSON) else code)
            for name, value in {
                "content-type": "application/json",
                "content-length": str(len(text)),
                **headers,
            }.items():
                self.send_header(name, value)
            with suppress(ConnectionError):  # the client was killed
                self.end_headers()
                self.wfile.write(text)
                self.wfile.flush()

        do_GET = do_POST = do_DELETE = answer  # noqa: N815 - what http.server calls

    server = LoopbackServer(("127.0.0.1", 0), Handler)
    fake.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        fake.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
