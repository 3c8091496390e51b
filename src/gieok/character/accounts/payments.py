"""Payment notices from a payment service: signature check, and content.

The header is `t=<Unix seconds>,v1=<hex>`: HMAC-SHA256 of the seconds, a dot and the raw body, with
the shared secret. The header may hold several `v1` while a secret is changed. The body is `{"id",
"user", "points", "note"?}`; a notice with the same id counts once.
"""

import hashlib
import hmac
import json
from datetime import datetime
from typing import NamedTuple

from gieok.errors import BadRequest, Phrase, Unauthorized


class Payment(NamedTuple):
    """A payment: `id` is the service's own."""

    id: str
    user: str
    points: int
    note: str


def verify_payment_signature(
    body: bytes, header: str, secret: str, now: datetime, tolerance_s: float
) -> None:
    """Raise Unauthorized unless the holder of the secret signed the body, just now."""
    at, signatures = _parse_signature_header(header)
    expected = hmac.new(secret.encode(), b"%d." % at + body, hashlib.sha256).hexdigest()
    # All signatures are compared, in constant time, so that the duration reveals nothing.
    is_signed = [
        hmac.compare_digest(expected.encode(), signature.encode("utf-8", "surrogatepass"))
        for signature in signatures
    ]
    if not any(is_signed):
        raise _build_payment_refusal("it was signed with another secret, or changed on the way")
    if abs(now.timestamp() - at) > tolerance_s:
        raise _build_payment_refusal(
            Phrase(
                "it was signed more than {tolerance_s:g} s ago, or in the future",
                tolerance_s=tolerance_s,
            )
        )


def sign(body: bytes, secret: str, at: datetime) -> str:
    """Return the signature header of a body."""
    seconds = int(at.timestamp())
    return (
        f"t={seconds},"
        f"v1={hmac.new(secret.encode(), b'%d.' % seconds + body, hashlib.sha256).hexdigest()}"
    )


def payment_of(body: bytes) -> Payment:
    """Return the payment in a body. Raises BadRequest."""
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadRequest("the payment is no JSON", hint=_FORM) from error
    if not isinstance(payload, dict):
        raise BadRequest("the payment is no JSON object", hint=_FORM)
    fields = {name: payload.get(name) for name in ("id", "user", "points")}
    note = payload.get("note", "")
    if any(
        not isinstance(fields[name], str) or not fields[name] for name in ("id", "user")
    ) or not isinstance(note, str):
        raise BadRequest("the payment does not say its id and whose it is", hint=_FORM)
    if type(fields["points"]) is not int:  # a bool is an int, and no number of points
        raise BadRequest(
            "the payment does not say how many points it is for, as a whole number", hint=_FORM
        )
    return Payment(str(fields["id"]), str(fields["user"]), int(fields["points"]), note)


_FORM = 'send {"id": "pay_1", "user": "min", "points": 100}'


def _parse_signature_header(header: str) -> tuple[int, list[str]]:
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    signatures = [value for name, _, value in parts if name == "v1"]
    if (
        len(times) != 1
        or not (times[0].isascii() and times[0].isdigit() and len(times[0]) <= 12)
        or not signatures
    ):
        raise _build_payment_refusal("its signature is missing, or has another form")
    return int(times[0]), signatures


def _build_payment_refusal(why: str) -> Unauthorized:
    return Unauthorized(
        "the payment is not accepted: {why}",
        why=Phrase(why),
        hint="sign `t`, a dot and the raw body: `t=…,v1=…`",
    )
