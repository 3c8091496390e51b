"""Loopback server that behaves as Dropbox does towards its SDK.

It has revisions, cursors, upload sessions, and faults on demand.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from gieok.testing.prompt_answers import LoopbackServer, PromptAnswers

if TYPE_CHECKING:
    import requests

_BLOCK_BYTES = 4 << 20
_PAGE = 3

#: A status, a body and headers; None: the connection is closed without an answer.
Answer = tuple[int, object, Mapping[str, str]] | None


class Fault(NamedTuple):
    """A fault of the next request to a route, such as `files/upload`.

    `is_after`: the server first does what it was asked.
    """

    route: str
    answer: Answer
    is_after: bool = False


class Stored(NamedTuple):
    """A file of the Dropbox."""

    path: str
    data: bytes
    rev: str


class Refused(Exception):
    """Error that is answered with 409 and an error of the route."""


class DropboxServer(LoopbackServer):
    """Server with the Dropbox of one person.

    Each of `faults` applies to the next request of its route; `requests` are the routes that were
    asked for. `tokens` are the refresh tokens that are accepted; the access tokens it hands out are
    `sl.1`, `sl.2`, …, of which only the last is valid.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _DropboxHandler)
        self.files: dict[str, Stored] = {}
        self.faults: list[Fault] = []
        self.requests: list[str] = []
        self.tokens = {"refresh-token"}
        self.access = 0
        #: Changes in order: path in lower case → its entry in a listing. A cursor is an index into
        #: this list.
        self.log: list[tuple[str, dict[str, Any]]] = []
        #: Cursors before this index are answered with a reset.
        self.oldest = 0
        self.sessions: dict[str, bytes] = {}
        self.most_session_bytes = 0
        self.lock = threading.Lock()
        threading.Thread(
            target=self.serve_forever, daemon=True, kwargs={"poll_interval": 0.01}
        ).start()

    def session(self) -> "requests.Session":
        """Return a session for the SDK whose requests go to this server."""
        import requests
        from requests.adapters import HTTPAdapter

        port = self.server_address[1]

        class Here(HTTPAdapter):
            # The parameters are those of the library's method.
            def send(self, request: Any, *arguments: Any, **more: Any) -> Any:  # noqa: ANN401
                address = urlsplit(request.url)
                request.url = f"http://127.0.0.1:{port}{address.path}"
                return super().send(request, *arguments, **more)

        session = requests.Session()
        session.trust_env = False
        session.mount("https://", Here())
        return session

    def put(self, path: str, data: bytes) -> str:
        """Write a file as a person would; return its revision."""
        with self.lock:
            return str(self._saved(path, data)["rev"])

    def remove(self, path: str) -> None:
        """Delete a file as a person would."""
        with self.lock:
            self._removed(path.lower())

    def answer(
        self, route: str, argument: dict[str, Any], body: bytes
    ) -> Answer | tuple[dict[str, Any], bytes]:
        """Return the answer to a request; for a download, the metadata header and the content."""
        act: Callable[[dict[str, Any], bytes], Any] = getattr(
            self, "_" + route.removeprefix("files/").replace("/", "_")
        )
        try:
            with self.lock:
                return 200, act(argument, body), {}
        except Refused as error:
            (tags,) = error.args
            return 409, {"error_summary": f"{tags.get('.tag')}/..", "error": tags}, {}

    def _upload(self, argument: dict[str, Any], body: bytes) -> dict[str, Any]:
        return self._committed(
            argument,
            body,
            lambda reason: {".tag": "path", "reason": reason, "upload_session_id": "u"},
        )

    def _committed(
        self, commit: dict[str, Any], data: bytes, wrapped: Callable[[object], object]
    ) -> dict[str, Any]:
        path, mode = commit["path"], commit.get("mode", "add")
        held = self.files.get(path.lower())
        is_same = held is not None and held.data == data and not commit.get("strict_conflict")
        tag = mode if isinstance(mode, str) else mode[".tag"]
        expected = mode.get("update") if isinstance(mode, dict) else None
        if tag == "update":
            is_conflict = (held.rev if held else None) != expected and (
                held is not None or commit.get("strict_conflict")
            )
        else:
            is_conflict = tag == "add" and held is not None
        if is_conflict and not is_same:
            raise Refused(wrapped({".tag": "conflict", "conflict": {".tag": "file"}}))
        if commit.get("content_hash") not in (None, content_hash(data)):
            raise Refused({".tag": "content_hash_mismatch"})
        return self._saved(path, data)

    def _upload_session_start(self, _argument: dict[str, Any], body: bytes) -> dict[str, Any]:
        name = f"session-{len(self.sessions) + 1}"
        self.sessions[name] = body
        return {"session_id": name}

    def _upload_session_append_v2(self, argument: dict[str, Any], body: bytes) -> None:
        self._appended(argument["cursor"], body, lambda error: error)

    def _upload_session_finish(self, argument: dict[str, Any], body: bytes) -> dict[str, Any]:
        cursor = argument["cursor"]
        data = self._appended(
            cursor, body, lambda error: {".tag": "lookup_failed", "lookup_failed": error}
        )
        metadata = self._committed(
            argument["commit"], data, lambda reason: {".tag": "path", "path": reason}
        )
        del self.sessions[cursor["session_id"]]
        return metadata

    def _appended(
        self, cursor: dict[str, Any], body: bytes, wrapped: Callable[[object], object]
    ) -> bytes:
        held = self.sessions.get(cursor["session_id"])
        if held is None:
            raise Refused(wrapped({".tag": "not_found"}))
        if cursor["offset"] != len(held):
            raise Refused(wrapped({".tag": "incorrect_offset", "correct_offset": len(held)}))
        data = self.sessions[cursor["session_id"]] = held + body
        self.most_session_bytes = max(self.most_session_bytes, len(body))
        return data

    def _download(self, argument: dict[str, Any], _body: bytes) -> Stored:
        stored = self.files.get(argument["path"].lower())
        if stored is None:
            raise Refused({".tag": "path", "path": {".tag": "not_found"}})
        return stored

    def _get_metadata(self, argument: dict[str, Any], body: bytes) -> dict[str, Any]:
        return {".tag": "file", **_build_file_metadata(self._download(argument, body))}

    def _delete_v2(self, argument: dict[str, Any], _body: bytes) -> dict[str, Any]:
        held = self.files.get(argument["path"].lower())
        if held is None:
            raise Refused({".tag": "path_lookup", "path_lookup": {".tag": "not_found"}})
        if argument.get("parent_rev") not in (None, held.rev):
            raise Refused(
                {
                    ".tag": "path_write",
                    "path_write": {".tag": "conflict", "conflict": {".tag": "file"}},
                }
            )
        self._removed(held.path.lower())
        return {"metadata": {".tag": "file", **_build_file_metadata(held)}}

    def _list_folder(self, argument: dict[str, Any], _body: bytes) -> dict[str, Any]:
        root = argument["path"].lower()
        entries = [
            {".tag": "file", **_build_file_metadata(stored)}
            for path, stored in sorted(self.files.items())
            if path.startswith(root + "/")
        ]
        if root and not entries and not any(path.startswith(root + "/") for path, _ in self.log):
            raise Refused({".tag": "path", "path": {".tag": "not_found"}})
        folder = {
            ".tag": "folder",
            "name": root[1:] or "x",
            "id": "id:folder",
            "path_lower": root,
            "path_display": argument["path"],
        }
        return self._page(root, len(self.log), [*([folder] if root else []), *entries])

    def _list_folder_continue(self, argument: dict[str, Any], _body: bytes) -> dict[str, Any]:
        try:
            root, at, rest = json.loads(argument["cursor"])
        except ValueError:
            raise Refused({".tag": "reset"}) from None
        if at < self.oldest:
            raise Refused({".tag": "reset"})
        news = [entry for path, entry in self.log[at:] if path.startswith(root + "/")]
        return self._page(root, len(self.log), [*rest, *news])

    def _page(self, root: str, at: int, entries: list[dict[str, Any]]) -> dict[str, Any]:
        rest = entries[_PAGE:]
        return {
            "entries": entries[:_PAGE],
            "cursor": json.dumps([root, at, rest]),
            "has_more": bool(rest),
        }

    def _saved(self, path: str, data: bytes) -> dict[str, Any]:
        held = self.files.get(path.lower())
        stored = Stored(held.path if held else path, data, f"{len(self.log) + 0x100000000:09x}")
        self.files[path.lower()] = stored
        facts = _build_file_metadata(stored)
        self.log.append((path.lower(), {".tag": "file", **facts}))
        return facts

    def _removed(self, path: str) -> None:
        held = self.files.pop(path)
        names = {
            "name": held.path.rpartition("/")[2],
            "path_lower": path,
            "path_display": held.path,
        }
        self.log.append((path, {".tag": "deleted", **names}))


def content_hash(data: bytes) -> str:
    """Return Dropbox's content hash, computed by its documentation rather than by its SDK."""
    blocks = (data[start : start + _BLOCK_BYTES] for start in range(0, len(data), _BLOCK_BYTES))
    return hashlib.sha256(b"".join(hashlib.sha256(block).digest() for block in blocks)).hexdigest()


def _build_file_metadata(file: Stored) -> dict[str, Any]:
    times = dict.fromkeys(("client_modified", "server_modified"), "2026-11-21T00:00:00Z")
    return {
        "name": file.path.rpartition("/")[2],
        "id": "id:abc1234567890123456",
        **times,
        "rev": file.rev,
        "size": len(file.data),
        "path_lower": file.path.lower(),
        "path_display": file.path,
        "is_downloadable": True,
        "content_hash": content_hash(file.data),
    }


class _DropboxHandler(PromptAnswers, BaseHTTPRequestHandler):
    server: DropboxServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer as Dropbox's route would."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        route = self.path.removeprefix("/2/").strip("/")
        self.server.requests.append(route)
        fault = next((planned for planned in self.server.faults if planned.route == route), None)
        if fault:
            self.server.faults.remove(fault)
        answer = self._answered(route, body) if fault is None or fault.is_after else None
        self._send(fault.answer if fault else answer)

    def _answered(self, route: str, body: bytes) -> Answer:
        if route == "oauth2/token":
            return self._token(body.decode())
        if self.headers.get("authorization") != f"Bearer sl.{self.server.access}":
            return (
                401,
                {
                    "error_summary": "expired_access_token/",
                    "error": {".tag": "expired_access_token"},
                },
                {},
            )
        header = self.headers.get("dropbox-api-arg")
        argument = json.loads(header or body or b"null")
        return self.server.answer(route, argument or {}, body if header else b"")  # type: ignore[return-value]

    def _token(self, form: str) -> Answer:
        fields = dict(pair.split("=", 1) for pair in form.split("&"))
        if fields.get("client_id") != "app-key":
            return 400, {"error": "invalid_client_id", "error_description": "Invalid client_id"}, {}
        if fields.get("refresh_token") not in self.server.tokens:
            return (
                400,
                {
                    "error": "invalid_grant",
                    "error_description": "refresh token is invalid or revoked",
                },
                {},
            )
        self.server.access += 1
        return (
            200,
            {
                "access_token": f"sl.{self.server.access}",
                "token_type": "bearer",
                "expires_in": 14400,
            },
            {},
        )

    def _send(self, answer: Answer) -> None:
        if answer is None:
            self.close_connection = True
            return
        status, content, headers = answer
        if isinstance(content, Stored):
            headers = {
                **headers,
                "dropbox-api-result": json.dumps(_build_file_metadata(content)),
                "content-type": "application/octet-stream",
            }
            data = content.data
        else:
            data = json.dumps(content).encode()
        self.send_response(status)
        for name, value in {
            "content-type": "application/json",
            **headers,
            "content-length": str(len(data)),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
