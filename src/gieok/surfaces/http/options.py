"""What the server is configured with."""

from collections.abc import Callable
from typing import NamedTuple

from gieok.errors import BadConfig

#: Variables of the environment or of `.env`.
JWT_SECRET, WEBHOOK_SECRET = "GIEOK_JWT_SECRET", "GIEOK_WEBHOOK_SECRET"
_LEAST_SECRET = 32


class TokenOptions(NamedTuple):
    """How signed tokens are checked; `secret` and `jwks` (a file) are '' for none, `issuer` and `audience` for any."""

    secret: str = ""
    jwks: str = ""
    issuer: str = ""
    audience: str = ""

    @property
    def is_configured(self) -> bool:
        """Say whether any token can be good."""
        return bool(self.secret or self.jwks)


class HttpOptions(NamedTuple):
    """Settings `serve.*` and secrets. `hosts` and `origins` are those that are taken beside our own."""

    host: str = "127.0.0.1"
    port: int = 8377
    threads: int = 40
    body_kb: int = 1024
    body_s: float = 20.0
    per_minute: int = 0
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    tokens: TokenOptions = TokenOptions()
    webhook_secret: str = ""


def read(setting: Callable[[str], str], secret: Callable[[str], str]) -> HttpOptions:
    """Return what is configured. Raises BadConfig for a secret that can be guessed."""
    jwt, webhook = secret(JWT_SECRET), secret(WEBHOOK_SECRET)
    for name, value in ((JWT_SECRET, jwt), (WEBHOOK_SECRET, webhook)):
        if value and len(value.encode()) < _LEAST_SECRET:
            hint = "make one: `python -c 'import secrets; print(secrets.token_urlsafe(32))'`"
            raise BadConfig(f"{name} is shorter than {_LEAST_SECRET} bytes", hint=hint, setting=name)
    tokens = TokenOptions(jwt, setting("serve.jwt_jwks"), setting("serve.jwt_issuer"), setting("serve.jwt_audience"))
    return HttpOptions(
        setting("serve.host"),
        int(setting("serve.port")),
        int(setting("serve.threads")),
        int(setting("serve.body_kb")),
        float(setting("serve.body_s")),
        int(setting("serve.per_minute")),
        _names(setting("serve.hosts")),
        _names(setting("serve.origins")),
        tokens,
        webhook,
    )


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in (part.strip().lower().rstrip("/") for part in text.split(",")) if name)
