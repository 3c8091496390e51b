"""Configuration of the server."""

from collections.abc import Callable
from typing import NamedTuple

from gieok.errors import BadConfig

#: Name of a variable of the environment or of `.env`.
JWT_VARIABLE = "GIEOK_JWT_SECRET"
_LEAST_BYTES = 32


class TokenOptions(NamedTuple):
    """How signed tokens are checked.

    `secret` and `jwks` (a file) are '' for none, `issuer` and `audience` are '' for any.
    """

    secret: str = ""
    jwks: str = ""
    issuer: str = ""
    audience: str = ""

    @property
    def is_configured(self) -> bool:
        """Return whether signed tokens can be verified at all."""
        return bool(self.secret or self.jwks)


class HttpOptions(NamedTuple):
    """Settings `serve.*`, and secrets.

    `hosts` and `origins` are admitted beside the server's own.
    """

    host: str = "127.0.0.1"
    port: int = 8377
    threads: int = 40
    body_kb: int = 1024
    body_s: float = 20.0
    per_minute: int = 0
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    tokens: TokenOptions = TokenOptions()


def read_http_options(setting: Callable[[str], str], secret: Callable[[str], str]) -> HttpOptions:
    """Return the configured options. Raises BadConfig for a secret that can be guessed."""
    jwt = secret(JWT_VARIABLE)
    if jwt and len(jwt.encode()) < _LEAST_BYTES:
        hint = "make one: `python -c 'import secrets; print(secrets.token_urlsafe(32))'`"
        raise BadConfig(
            "{variable} is shorter than {least} bytes",
            variable=JWT_VARIABLE,
            least=_LEAST_BYTES,
            hint=hint,
            setting=JWT_VARIABLE,
        )
    tokens = TokenOptions(
        jwt, setting("serve.jwt_jwks"), setting("serve.jwt_issuer"), setting("serve.jwt_audience")
    )
    return HttpOptions(
        host=setting("serve.host"),
        port=int(setting("serve.port")),
        threads=int(setting("serve.threads")),
        body_kb=int(setting("serve.body_kb")),
        body_s=float(setting("serve.body_s")),
        per_minute=int(setting("serve.per_minute")),
        hosts=_split_origin_names(setting("serve.hosts")),
        origins=_split_origin_names(setting("serve.origins")),
        tokens=tokens,
    )


def _split_origin_names(text: str) -> tuple[str, ...]:
    return tuple(
        name for name in (part.strip().lower().rstrip("/") for part in text.split(",")) if name
    )
