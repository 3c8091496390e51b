"""Who may see the pages and call operations: whoever can read the home.

For programs a token in a file. For browsers a link of one use, then a cookie; every change carries a token. Those are signed
with a secret in the home, so nothing has to be kept, but which links were used. Both files have the mode 0600.
"""

import hmac
import re
import secrets
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from gieok import fs, paths
from gieok.errors import BadConfig

COOKIE = "gieok_session"
#: Header of a change that is not a form's.
CHANGE_HEADER = "X-Change-Token"
_FILE = "web.secret"
OWNER_PREFIX = "go_"
_OWNER = re.compile(rf"{OWNER_PREFIX}[A-Za-z0-9_-]{{43}}")
_LINK_S, _SESSION_S = 300, 30 * 86_400


class Gate:
    """`now_s` is the time in seconds. May be used by several threads."""

    def __init__(self, home: Path, now_s: Callable[[], float]) -> None:
        self._secret = _kept(home / _FILE, lambda: secrets.token_hex(32)).encode()
        self._owner = owner_token(home).encode()
        self._now_s = now_s
        self._used = dict[str, float]()

    def is_owner(self, token: str) -> bool:
        """Say whether a token is that of the file."""
        return hmac.compare_digest(self._owner, token.encode("utf-8", "replace"))

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
        return self.is_open(cookie) and hmac.compare_digest(self.change_token(cookie).encode(), token.encode())

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


def owner_token(home: Path) -> str:
    """Return the token by which programs of the home's owner call the server, made at the first need. Raises BadConfig."""
    file = paths.owner_token(home)
    token = _kept(file, lambda: f"{OWNER_PREFIX}{secrets.token_urlsafe(32)}")
    if not _OWNER.fullmatch(token):
        raise BadConfig(f"{file} holds no token", hint="delete the file: the next start makes another")
    return token


def _kept(file: Path, made: Callable[[], str]) -> str:
    """Return the text of a file of the home, made at the first need."""
    if not file.is_file():
        fs.make_private(file.parent)
        fs.create(file, made())
    return file.read_text(encoding="utf-8", errors="replace").strip()
