"""Recordings of exchanges with Gemini File Search: for a report of a fault, and to replay it.

A recording holds methods, paths, statuses, times and the fields of requests and answers. It holds
no key, no text but those given as `public`, and no name of a resource: each name is replaced by a
number that stays the same within the recording, so that a replay answers as the service did.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx2

from gieok.errors import StoreCorrupt, StoreUnreachable
from gieok.text.redact import redact

FORMAT = "gieok File Search recording 1"
#: Address in a replay of what the service hands out for an upload.
_UPLOADS = "https://uploads.invalid/"
_UPLOAD_URL, _UPLOAD_STATUS = "x-goog-upload-url", "x-goog-upload-status"
_RESOURCE = re.compile(r"\b(fileSearchStores|documents|operations|files)/([\w.-]+)")
_VERSION = re.compile(r"^/v1(?:beta)?(?=/)|(?<=^/upload)/v1(?:beta)?(?=/)")
#: Fields whose texts are words of the interface, such as a state or an error's status.
_WORDS = frozenset(
    "@type finishReason finish_reason key kind mimeType mime_type role state status".split()
)
#: A number in an error's message may be that of the key's project.
_NUMBER = re.compile(r"\d{5,}")
_OMITTED = "…"


class Exchange(NamedTuple):
    """Request and answer, without names, texts and key."""

    method: str
    path: str
    sent: object
    status: int
    upload_status: str
    #: Number of the upload that the answer begins; 0 for none.
    upload: int
    answered: object
    milliseconds: int


class Recorder:
    """Records what an HTTP client sends and receives, by the client's event hooks."""

    def __init__(self, key: str, public: Sequence[str]) -> None:
        self._key = key
        self._public = tuple(" ".join(text.split()) for text in public)
        self._numbers: dict[tuple[str, str], int] = {}
        self._uploads: dict[str, int] = {}
        self._began: dict[int, float] = {}
        self.exchanges: list[Exchange] = []

    @property
    def client_args(self) -> dict[str, object]:
        """Return the arguments of the HTTP client that is recorded."""
        return {"event_hooks": {"request": [self._begin], "response": [self._end]}}

    def _begin(self, request: httpx2.Request) -> None:
        self._began[id(request)] = time.monotonic()

    def _end(self, response: httpx2.Response) -> None:
        response.read()
        request = response.request
        upload_url = response.headers.get(_UPLOAD_URL, "")
        took_s = time.monotonic() - self._began.pop(id(request), time.monotonic())
        self.exchanges.append(
            Exchange(
                method=request.method,
                path=self._find_path(str(request.url)),
                sent=self._blank(_parse_json(request.read())),
                status=response.status_code,
                upload_status=response.headers.get(_UPLOAD_STATUS, ""),
                upload=self._number_upload(upload_url) if upload_url else 0,
                answered=self._blank(_parse_json(response.content)),
                milliseconds=round(1000 * took_s),
            )
        )

    def render(self, made_by: str, model: str, outcome: Mapping[str, str]) -> str:
        """Return the recording as JSON; `model` is the model that was asked."""
        data = {
            "format": FORMAT,
            "made_by": made_by,
            "model": model,
            "outcome": outcome,
            "exchanges": [exchange._asdict() for exchange in self.exchanges],
        }
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"

    def _find_path(self, url: str) -> str:
        if url in self._uploads:
            return f"upload {self._uploads[url]}"
        return self._number_names(_VERSION.sub("", urlsplit(url).path))

    def _number_upload(self, url: str) -> int:
        return self._uploads.setdefault(url, len(self._uploads) + 1)

    def _number_names(self, text: str) -> str:
        """Replace each name of a resource by its number among those of its kind."""

        def replace(found: re.Match[str]) -> str:
            kind, name = found.groups()
            of_kind = sum(known == kind for known, _ in self._numbers)
            return f"{kind}/n{self._numbers.setdefault((kind, name), of_kind + 1)}"

        return _RESOURCE.sub(replace, text)

    def _blank(self, value: object, field: str = "") -> object:
        """Return a value of JSON without texts and names."""
        if isinstance(value, dict):
            return {name: self._blank(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._blank(inner, field) for inner in value]
        if not isinstance(value, str):
            return value
        if field == "message":  # an error's: it is what the report is about
            cut = value.replace(self._key, _OMITTED) if self._key else value
            return _NUMBER.sub(_OMITTED, redact(self._number_names(cut)))
        if field in _WORDS or _RESOURCE.match(value):
            return self._number_names(value)
        is_public = any(" ".join(value.split()) in text for text in self._public)
        return value if is_public else _OMITTED


def _parse_json(content: bytes) -> object:
    """Return the JSON of a body; None for another body."""
    try:
        return json.loads(content)
    except ValueError:
        return None


class Replay(httpx2.BaseTransport):
    """Transport that answers from a recording, in its order.

    Raises StoreUnreachable for a request that the recording does not have next.
    """

    def __init__(self, text: str) -> None:
        data = json.loads(text)
        if data.get("format") != FORMAT:
            raise StoreCorrupt("this is no recording: {format!r}", format=data.get("format"))
        self.model: str = data["model"]
        self.outcome: dict[str, str] = data["outcome"]
        self._exchanges: Iterator[Exchange] = iter([Exchange(**row) for row in data["exchanges"]])

    @property
    def client_args(self) -> dict[str, object]:
        """Return the arguments of an HTTP client that asks the recording."""
        return {"transport": self}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the recorded answer to a request."""
        url = str(request.url)
        path = (
            f"upload {url.removeprefix(_UPLOADS)}"
            if url.startswith(_UPLOADS)
            else _VERSION.sub("", request.url.path)
        )
        exchange = next(self._exchanges, None)
        if exchange is None or (exchange.method, exchange.path) != (request.method, path):
            raise StoreUnreachable(
                "the recording goes on with {recorded}, and not with {asked}",
                recorded=f"{exchange.method} {exchange.path}" if exchange else "nothing",
                asked=f"{request.method} {path}",
            )
        headers = {
            _UPLOAD_STATUS: exchange.upload_status,
            _UPLOAD_URL: f"{_UPLOADS}{exchange.upload}" if exchange.upload else "",
        }
        content: Any = json.dumps(exchange.answered).encode() if exchange.answered else b""
        return httpx2.Response(
            exchange.status,
            headers={
                "content-type": "application/json",
                **{name: value for name, value in headers.items() if value},
            },
            content=content,
        )
