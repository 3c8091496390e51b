"""Proofs that data which devices exchange is from a device of the user.

Everybody who knows the public side of a key can encrypt with it. So data begins with a code that
only the secret side gives.
"""

import hashlib
import hmac

#: What the key of the code is made for: no other use of the secret gives the same one.
_PURPOSE = b"gieok sync segment"


def sign_data(data: bytes, secret: str) -> bytes:
    """Return data behind the proof that whoever wrote it has a secret."""
    return _build_proof(data, secret) + b"\n" + data


def split_proof(signed: bytes) -> tuple[bytes, bytes]:
    """Return the proof and the data of `sign_data`; the proof is '' where there is none."""
    proof, newline, data = signed.partition(b"\n")
    return (proof, data) if newline else (b"", signed)


def is_proven(proof: bytes, data: bytes, secret: str) -> bool:
    """Say whether whoever wrote data has a secret."""
    return hmac.compare_digest(proof, _build_proof(data, secret))


def _build_proof(data: bytes, secret: str) -> bytes:
    # HKDF (RFC 5869) with an empty salt, for one block.
    extracted = hmac.digest(bytes(hashlib.sha256().digest_size), secret.encode(), "sha256")
    key = hmac.digest(extracted, _PURPOSE + b"\x01", "sha256")
    return hmac.digest(key, data, "sha256").hex().encode()
