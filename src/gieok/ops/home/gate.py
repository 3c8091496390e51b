"""Who may see the pages: whoever can read the home. A link of one use, then a cookie; every change carries a token.

Everything is signed with a secret in the home (0600), so nothing has to be kept, but which links were used.
"""

import hmac
import secrets
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from gieok import fs

COOKIE = "gieok_session"
_FILE = "web.secret"
_LINK_S, _SESSION_S = 300, 30 * 86_400


class Gate:
    """`now_s` is the time in seconds. May be used by several threads."""

    def __init__(self, home: Path, now_s: Callable[[], float]) -> None:
        self._secret = _secret(home / _FILE)
        self._now_s = now_s
        self._used = dict[str, float]()

    def link_code(self) -> str:
        """Return what a link lets in with: once, within five minutes."""
        return self._signed("link", _LINK_S)

    def enter(self, code: str) -> str:
        """Return the value of a session's cookie for the code of a link; '' where it is not good, or was used."""
        now = self._now_s()
        self._used = {used: until for used, until in self._used.items() if until > now}
        if not self._is_good("link", code) or code in self._used:
            return ""
        self._used[code] = now + _LINK_S
        return self._signed("session", _SESSION_S)

    def is_open(self, cookie: str) -> bool:
        """Say whether a cookie is one of ours, and not over."""
        return self._is_good("session", cookie)

    def change_token(self, cookie: str) -> str:
        """Return what a change from a page of this session carries (CSRF)."""
        return self._mark("change", cookie)

    def may_change(self, cookie: str, token: str) -> bool:
        """Say whether a change comes from a page of this session."""
        return self.is_open(cookie) and hmac.compare_digest(self.change_token(cookie), token)

    def _signed(self, what: str, seconds: int) -> str:
        text = f"{int(self._now_s()) + seconds}.{secrets.token_urlsafe(18)}"
        return f"{text}.{self._mark(what, text)}"

    def _is_good(self, what: str, value: str) -> bool:
        text, _, mark = value.rpartition(".")
        until = text.partition(".")[0]
        is_ours = value.isascii() and hmac.compare_digest(self._mark(what, text), mark)
        return is_ours and until.isdecimal() and int(until) > self._now_s()

    def _mark(self, what: str, text: str) -> str:
        return hmac.new(self._secret, f"{what}\0{text}".encode(), sha256).hexdigest()


def _secret(file: Path) -> bytes:
    """Return the secret of the home, made at the first need."""
    if not file.is_file():
        fs.make_private(file.parent)
        fs.create(file, secrets.token_hex(32))
    return file.read_text(encoding="ascii").strip().encode()
