"""JSON requests to services that embed, rerank or notify, on the standard library.

A client per vendor would be 46 MB and more. Redirects are refused: they would carry the key to
another host. A proxy of the environment is used, but never for an address on this machine.
"""

import http.client
import ipaddress
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

from gieok.errors import Phrase, ServiceFailed
from gieok.text.redact import redact

#: A hundred vectors of 3,072 numbers are 6 MB.
_MOST_BYTES = 64_000_000
_MOST_SHOWN = 200
#: Worth another try, as every 5xx is: time-outs, conflicts, too early, too many.
_RETRYABLE = frozenset((408, 409, 425, 429))
_TOO_LARGE = 413
_NOTHING_TO_SAY = 204
#: How services say that a text has too many tokens.
_TOO_LONG = (
    "too long",
    "maximum context",
    "context length",
    "max_tokens",
    "token limit",
    "too many tokens",
    "too large",
)


class _RefuseRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: object) -> None:
        """Refuse every redirect."""


class Service:
    """Service at an address; its failures are raised as the error type `failed`."""

    def __init__(
        self,
        name: str,
        address: str,
        headers: Mapping[str, str],
        timeout_s: float,
        failed: type[ServiceFailed],
    ) -> None:
        self._name = name
        self._address = address.rstrip("/")
        self._headers = {"content-type": "application/json", "user-agent": "gieok", **headers}
        self._timeout_s = timeout_s
        self._failed = failed

    def post(
        self, path: str, body: object, hints: Mapping[int, str] | None = None
    ) -> dict[str, Any]:
        """Return the JSON answer to one POST request; `hints` maps a status to advice for the user.

        Raises ServiceFailed of the service's kind.
        """
        return self._asked(
            path, json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"), hints or {}
        )

    def get(self, path: str) -> dict[str, Any]:
        """Return the JSON answer of a path. Raises the errors of `post`."""
        return self._asked(path, None, {})

    def _asked(self, path: str, data: bytes | None, hints: Mapping[int, str]) -> dict[str, Any]:
        try:
            # Checked by `_opener`.
            request = urllib.request.Request(self._address + path, data, self._headers)  # noqa: S310
            with self._opener().open(request, timeout=self._timeout_s) as answer:
                text = answer.read(_MOST_BYTES) if answer.status != _NOTHING_TO_SAY else b"{}"
        except urllib.error.HTTPError as error:
            raise self._refused(error, hints) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._silent(error) from error
        try:
            reply = json.loads(text)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            raise self.misunderstood("it answered something that is no JSON object")
        return reply

    def lines(
        self, path: str, body: object, hints: Mapping[int, str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield the lines of an answer as they arrive, each a JSON object.

        Raises the errors of `post`.
        """
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            # Checked by `_opener`.
            request = urllib.request.Request(self._address + path, data, self._headers)  # noqa: S310
            with self._opener().open(request, timeout=self._timeout_s) as answer:
                for line in answer:
                    row = json.loads(line) if line.strip() else {}
                    if not isinstance(row, dict):
                        raise self.misunderstood("it answered something that is no JSON object")
                    yield row
        except urllib.error.HTTPError as error:
            raise self._refused(error, hints or {}) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._silent(error) from error

    def misunderstood(self, what: str) -> ServiceFailed:
        """Return the error for an answer of an unknown shape."""
        return self._failed(
            "{name}: {what}",
            name=self._name,
            what=Phrase(what),
            address=self._address,
            hint="is {address} the address of such a service?",
        )

    def _opener(self) -> urllib.request.OpenerDirector:
        parts = urllib.parse.urlsplit(self._address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise self._failed(
                "{address!r} is no address of a service",
                address=self._address,
                hint="write http://… or https://…",
            )
        handlers: list[urllib.request.BaseHandler] = [_RefuseRedirect()]
        if _is_local(parts.hostname):
            handlers.append(urllib.request.ProxyHandler({}))
        return urllib.request.build_opener(*handlers)

    def _refused(self, error: urllib.error.HTTPError, hints: Mapping[int, str]) -> ServiceFailed:
        try:
            message = _parse_failure_message(error.read(_MOST_BYTES))
        except (OSError, http.client.HTTPException):
            message = ""
        status = error.code
        is_long = status == _TOO_LARGE or (
            status < 500 and any(words in message.lower() for words in _TOO_LONG)
        )
        hint = hints.get(status) or "is {address} the address of such a service?"
        wait = error.headers.get("retry-after", "") if error.headers else ""
        return self._failed(
            "{name} answered {status}: {message}" if message else "{name} answered {status}",
            name=self._name,
            message=Phrase(message),
            address=self._address,
            hint=hint if status in hints or status == 404 else None,
            worth_retrying=status >= 500 or status in _RETRYABLE,
            is_too_long=is_long,
            retry_after_s=float(wait) if wait.isdigit() else 0.0,
            status=status,
        )

    def _silent(self, error: Exception) -> ServiceFailed:
        reason = getattr(error, "reason", None) or error
        is_late = isinstance(reason, TimeoutError)
        return self._failed(
            "{name} at {address} did not answer within {timeout_s:g} s"
            if is_late
            else "{name} at {address} cannot be reached: {reason}",
            name=self._name,
            address=self._address,
            timeout_s=self._timeout_s,
            reason=Phrase(str(reason)),
            hint="check that it runs, and its address",
            worth_retrying=True,
        )


def build_bearer_header(key: str) -> dict[str, str]:
    """Return the header that carries a key; no header without a key."""
    return {"authorization": f"Bearer {key}"} if key else {}


def build_key_hints(variable: str, home: object) -> dict[int, str]:
    """Return advice for the statuses with which a service refuses the key."""
    if not variable:
        return {}
    hint = (
        f"check the key in {variable} (environment, or {home}/.env): `gieok keys test {variable}`"
    )
    return {401: hint, 403: hint}


def _parse_failure_message(body: bytes) -> str:
    """Return a service's error message without secrets: services repeat keys and texts."""
    text = body.decode("utf-8", "replace")
    try:
        part = json.loads(text)
    except ValueError:
        part = text
    for name in ("error", "detail", "message"):
        if isinstance(part, dict) and name in part:
            part = part[name]
    failure_text = part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
    return " ".join(redact(failure_text).split())[:_MOST_SHOWN]


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
