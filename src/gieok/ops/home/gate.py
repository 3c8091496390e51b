"""Who may see the pages and call operations: whoever can read the home.

For programs a token in a file. For browsers a link of one use, then a cookie; every change carries
a token. Those are signed with a secret in the home, so nothing has to be kept, but which links were
used: by any server of the home, also by one that was started since. All files have the mode 0600.
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
_FILE, _USED = "web.secret", "web.used"
OWNER_PREFIX = "go_"
_OWNER = re.compile(rf"{OWNER_PREFIX}[A-Za-z0-9_-]{{43}}")
_SECRET = re.compile(r"[0-9a-f]{64}")
_LINK_S, _SESSION_S = 300, 30 * 86_400


class Gate:
    """`now_s` is the time in seconds. May be used by several threads."""

    def __init__(self, home: Path, now_s: Callable[[], float]) -> None:
        self._secret = _ensure_token_file(
            home / _FILE, lambda: secrets.token_hex(32), _SECRET
        ).encode()
        self._owner = ensure_owner_token(home).encode()
        self._now_s = now_s
        self._used = home / _USED

    def is_owner(self, token: str) -> bool:
        """Say whether a token is that of the file."""
        return hmac.compare_digest(self._owner, token.encode("utf-8", "replace"))

    def link_code(self) -> str:
        """Return what a link lets in with: once, within five minutes."""
        return self._signed("link", _LINK_S)

    def enter(self, code: str) -> str:
        """Return the value of a session's cookie for the code of a link; '' where it is not good,
        or was used.
        """
        if not self._is_good("link", code):
            return ""
        fs.make_private(self._used)
        for left in self._used.iterdir():
            if 0 < _parse_signed_expiry(left.name) <= self._now_s():
                left.unlink(missing_ok=True)
        # Exclusively: of two that come at once, one gets in.
        if not fs.create_new_file(self._used / code.rpartition(".")[0], ""):
            return ""
        return self._signed("session", _SESSION_S)

    def is_open(self, cookie: str) -> bool:
        """Say whether a cookie is one of ours, and not over."""
        return self._is_good("session", cookie)

    def change_token(self, cookie: str) -> str:
        """Return what a change from a page of this session carries (CSRF)."""
        return self._mark("change", cookie)

    def may_change(self, cookie: str, token: str) -> bool:
        """Say whether a change comes from a page of this session."""
        return self.is_open(cookie) and hmac.compare_digest(
            self.change_token(cookie).encode(), token.encode()
        )

    def proof(self, asked: str, port: int, pid: int) -> str:
        """Return what proves that a server knows the secret of the home: `asked` is another each
        time.
        """
        return self._mark("server", f"{port}\0{pid}\0{asked}")

    def _signed(self, what: str, seconds: int) -> str:
        text = f"{int(self._now_s()) + seconds}.{secrets.token_urlsafe(18)}"
        return f"{text}.{self._mark(what, text)}"

    def _is_good(self, what: str, value: str) -> bool:
        text, _, mark = value.rpartition(".")
        is_ours = value.isascii() and hmac.compare_digest(self._mark(what, text), mark)
        return is_ours and _parse_signed_expiry(text) > self._now_s()

    def _mark(self, what: str, text: str) -> str:
        return hmac.new(self._secret, f"{what}\0{text}".encode(), sha256).hexdigest()


def _parse_signed_expiry(text: str) -> int:
    """Return the time in what was signed, in seconds; 0 for none."""
    until = text.partition(".")[0]
    return int(until) if until.isdecimal() else 0


def ensure_owner_token(home: Path) -> str:
    """Return the token by which programs of the home's owner call the server, made at the first
    need. Raises BadConfig.
    """
    return _ensure_token_file(
        paths.locate_owner_token(home), lambda: f"{OWNER_PREFIX}{secrets.token_urlsafe(32)}", _OWNER
    )


def _ensure_token_file(file: Path, made: Callable[[], str], form: re.Pattern[str]) -> str:
    """Return the text of a file of the home, made at the first need. Raises BadConfig: what is cut
    off can be guessed.
    """
    if not file.is_file():
        fs.make_private(file.parent)
        fs.create_new_file(file, made())
    text = file.read_text(encoding="utf-8", errors="replace").strip()
    if not form.fullmatch(text):
        raise BadConfig(
            f"{file} holds no token", hint="delete the file: the next start makes another"
        )
    return text
