"""Gate to the pages and operations, open to whoever can read the home.

Programs use a token in a file. Browsers use a link that works once, then a cookie; every change
carries a token. Codes, cookies and tokens of browsers are signed with a secret in the home, so only
the used links have to be stored: used with any server of the home, also one that was started since.
All files have the mode 0600.
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
#: Cookie of a user of the service, who signed in with a key.
USER_COOKIE = "gieok_user"
#: Header that carries the token of a change that no form sends.
CHANGE_HEADER = "X-Change-Token"
_FILE, _USED = "web.secret", "web.used"
OWNER_PREFIX = "go_"
_OWNER = re.compile(rf"{OWNER_PREFIX}[A-Za-z0-9_-]{{43}}")
_SECRET = re.compile(r"[0-9a-f]{64}")
_LINK_S, _SESSION_S, _USER_SESSION_S = 300, 30 * 86_400, 12 * 3600


class Gate:
    """Access checks of a home; `now_s` is the time in seconds. May be used by several threads."""

    def __init__(self, home: Path, now_s: Callable[[], float]) -> None:
        self._secret = _ensure_token_file(
            home / _FILE, lambda: secrets.token_hex(32), _SECRET
        ).encode()
        self._owner = ensure_owner_token(home).encode()
        self._now_s = now_s
        self._used = home / _USED

    def is_owner(self, token: str) -> bool:
        """Say whether a token is the one in the owner's file."""
        return hmac.compare_digest(self._owner, token.encode("utf-8", "replace"))

    def link_code(self) -> str:
        """Return the code of a new link, which admits one browser once, within five minutes."""
        return self._signed("link", _LINK_S)

    def enter(self, code: str) -> str:
        """Return the session cookie for the code of a link; '' for a bad or used code."""
        if not self._is_good("link", code):
            return ""
        fs.make_private(self._used)
        for left in self._used.iterdir():
            if 0 < _parse_signed_expiry(left.name) <= self._now_s():
                left.unlink(missing_ok=True)
        # Created exclusively: of two simultaneous uses of a link, only one is admitted.
        if not fs.create_new_file(self._used / code.rpartition(".")[0], ""):
            return ""
        return self._signed("session", _SESSION_S)

    def is_open(self, cookie: str) -> bool:
        """Say whether a cookie is signed by this home, and not expired."""
        return self._is_good("session", cookie)

    def change_token(self, cookie: str) -> str:
        """Return the CSRF token that changes from pages of this session carry."""
        return self._mark("change", cookie)

    def may_change(self, cookie: str, token: str) -> bool:
        """Say whether a change comes from a page of this session."""
        return self.is_open(cookie) and hmac.compare_digest(
            self.change_token(cookie).encode(), token.encode()
        )

    def issue_user_cookie(self, key: str) -> str:
        """Return the session cookie of a user whose key was verified; `key` is the key's id."""
        return self._signed("user", _USER_SESSION_S, f".{key}")

    def find_signed_in(self, cookie: str) -> str:
        """Return the id of the key by which a user signed in; '' for no cookie of this home."""
        if not self._is_good("user", cookie):
            return ""
        return cookie.rpartition(".")[0].split(".", 2)[2]

    def may_user_change(self, cookie: str, token: str) -> bool:
        """Say whether a change comes from a page of this user's session."""
        return bool(self.find_signed_in(cookie)) and hmac.compare_digest(
            self.change_token(cookie).encode(), token.encode()
        )

    def mark_notice(self, cookie: str, notice: str) -> str:
        """Return the mark of a notice for the next page of a session.

        An address can be written by anybody; without the mark, a page would say their words.
        """
        return self._mark("notice", f"{cookie}\0{notice}")

    def is_own_notice(self, cookie: str, notice: str, mark: str) -> bool:
        """Say whether a notice was given to the next page of this session."""
        return hmac.compare_digest(self.mark_notice(cookie, notice).encode(), mark.encode())

    def proof(self, asked: str, port: int, pid: int) -> str:
        """Return the proof that a server knows the home's secret; `asked` is a fresh challenge."""
        return self._mark("server", f"{port}\0{pid}\0{asked}")

    def _signed(self, what: str, seconds: int, more: str = "") -> str:
        text = f"{int(self._now_s()) + seconds}.{secrets.token_urlsafe(18)}{more}"
        return f"{text}.{self._mark(what, text)}"

    def _is_good(self, what: str, value: str) -> bool:
        text, _, mark = value.rpartition(".")
        is_ours = value.isascii() and hmac.compare_digest(self._mark(what, text), mark)
        return is_ours and _parse_signed_expiry(text) > self._now_s()

    def _mark(self, what: str, text: str) -> str:
        return hmac.new(self._secret, f"{what}\0{text}".encode(), sha256).hexdigest()


def _parse_signed_expiry(text: str) -> int:
    """Return the expiry time of a signed text, in seconds; 0 for none."""
    until = text.partition(".")[0]
    return int(until) if until.isdecimal() else 0


def ensure_owner_token(home: Path) -> str:
    """Return the token by which the owner's programs call the server; create it when first needed.

    Raises BadConfig.
    """
    return _ensure_token_file(
        paths.locate_owner_token(home), lambda: f"{OWNER_PREFIX}{secrets.token_urlsafe(32)}", _OWNER
    )


def _ensure_token_file(file: Path, made: Callable[[], str], form: re.Pattern[str]) -> str:
    """Return the text of a file of the home; create the file when first needed.

    Raises BadConfig for a text that is cut off: it could be guessed.
    """
    if not file.is_file():
        fs.make_private(file.parent)
        fs.create_new_file(file, made())
    text = file.read_text(encoding="utf-8", errors="replace").strip()
    if not form.fullmatch(text):
        raise BadConfig(
            "{file} holds no token", file=file, hint="delete the file: the next start makes another"
        )
    return text
