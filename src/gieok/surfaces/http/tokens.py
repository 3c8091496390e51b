"""Signed tokens (JWT): HS256 by a secret, RS256 by the keys of a JWKS file.

The file is read again when it changes.
"""

import threading
from collections.abc import Mapping
from pathlib import Path
from re import fullmatch

import jwt
from jwt.exceptions import PyJWTError

from gieok.character.accounts.identity import Principal
from gieok.errors import BadConfig, GieokError, Unauthorized
from gieok.model.accounts import USER_PATTERN, KeyRole
from gieok.ports.system import Clock
from gieok.surfaces.http.options import TokenOptions

_SYMMETRIC, _ASYMMETRIC = "HS256", "RS256"
#: Seconds by which the clocks of two machines may differ.
_LEEWAY_S = 10
_HINT = "sign a new one: docs/serve.md says what it must hold"


class JwksFile:
    """Public keys of a JWKS file by their `kid`.

    Where the file cannot be read, the keys read before stay in force.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._refresh(is_first=True)

    def key(self, kid: str) -> jwt.PyJWK | None:
        """Return a key by `kid`, from the current content of the file; None for an unknown
        `kid`.
        """
        with self._lock:
            self._refresh()
            return self._keys.get(kid)

    def _refresh(self, *, is_first: bool = False) -> None:
        try:
            status = self._file.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp != self._stamp:
                key_set = jwt.PyJWKSet.from_json(self._file.read_text(encoding="utf-8"))
                self._keys = {
                    key.key_id: key for key in key_set.keys if key.key_id and key.key_type == "RSA"
                }
                self._stamp = stamp
        except (OSError, ValueError, PyJWTError) as error:
            if is_first:
                hint = "serve.jwt_jwks names a JSON file with `keys`"
                raise BadConfig(
                    "{file}: {error}",
                    file=self._file,
                    error=error,
                    hint=hint,
                    setting="serve.jwt_jwks",
                ) from error


class Tokens:
    """Verifier of signed tokens.

    The configured algorithm decides which key is used: a token cannot choose its key.
    """

    def __init__(self, options: TokenOptions, clock: Clock) -> None:
        self._options = options
        self._clock = clock
        self._jwks = JwksFile(Path(options.jwks).expanduser()) if options.jwks else None

    def verify(self, token: str) -> Principal:
        """Return the principal that a token names. Raises Unauthorized."""
        try:
            header = jwt.get_unverified_header(token)
            algorithm = header.get("alg")
            claims = jwt.decode(
                token,
                self._key(algorithm, header.get("kid")),
                algorithms=[str(algorithm)],
                issuer=self._options.issuer or None,
                audience=self._options.audience or None,
                # Times are checked below, by the server's own clock.
                options={
                    "require": ["exp", "sub"],
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                    "verify_aud": bool(self._options.audience),
                },
            )
        except PyJWTError as error:
            raise Unauthorized("the token is not valid: {error}", error=error, hint=_HINT) from None
        except GieokError:
            raise
        except Exception as error:
            raise Unauthorized("the token is not valid", hint=_HINT) from error
        return self._principal(claims)

    def _key(self, algorithm: object, kid: object) -> "str | jwt.PyJWK":
        if algorithm == _SYMMETRIC and self._options.secret:
            return self._options.secret
        if algorithm == _ASYMMETRIC and self._jwks and (key := self._jwks.key(str(kid))):
            return key
        raise Unauthorized(
            "the token is not valid: not signed by a key that is known here", hint=_HINT
        )

    def _principal(self, claims: Mapping[str, object]) -> Principal:
        now, user = self._clock.now().timestamp(), claims["sub"]
        ends, begins = claims["exp"], claims.get("nbf", 0)
        if not isinstance(ends, int | float) or not isinstance(begins, int | float):
            raise Unauthorized("the token is not valid: exp and nbf are seconds", hint=_HINT)
        if not now < ends + _LEEWAY_S:  # nor is it before what is no number
            raise Unauthorized("the token has expired", hint=_HINT)
        if not now >= begins - _LEEWAY_S:
            raise Unauthorized("the token is not valid yet", hint=_HINT)
        if not isinstance(user, str) or not fullmatch(USER_PATTERN, user):
            raise Unauthorized("the token is not valid: sub is no name of a user", hint=_HINT)
        return Principal(user, KeyRole.USER, f"user:{user}")
