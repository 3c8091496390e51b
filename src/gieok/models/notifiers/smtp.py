"""E-mail through the person's own server, over TLS."""

import smtplib
import ssl
from collections.abc import Callable
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import TypeVar

from gieok.errors import NotifierFailed, Phrase
from gieok.opening import ChannelOpening
from gieok.text.echo import NOTICE

_PORTS = {"tls": 465, "starttls": 587, "none": 25}
_LOCAL = ("localhost", "127.0.0.1", "::1")
_REACH = "check `notify.smtp_host` and `notify.smtp_port`"
T = TypeVar("T")


class SmtpChannel:
    """`Channel` by mail. The password is never sent in the clear, except to this machine."""

    def __init__(self, opening: ChannelOpening) -> None:
        setting = opening.setting
        self._host = setting("smtp_host")
        self._security = setting("smtp_security")
        self._port = int(setting("smtp_port")) or _PORTS[self._security]
        self._user = setting("smtp_user")
        self._to = [name.strip() for name in setting("mail_to").split(",") if name.strip()]
        self._from = setting("mail_from") or self._user or (self._to[0] if self._to else "")
        self._variable, self._key_hint = opening.key_variable, opening.key_hint
        self._password = opening.secret(self._variable) if self._user else ""
        self._timeout_s = opening.timeout_s
        self._clock = opening.clock

    def send(self, title: str, text: str) -> str:
        """Send one message to everyone in `notify.mail_to`."""
        message = EmailMessage()
        message["Subject"] = " ".join(title.split())
        message["From"], message["To"] = self._from, ", ".join(self._to)
        message["Date"] = formatdate(self._clock.now().timestamp())
        message["Message-ID"] = make_msgid(domain="gieok.invalid")
        message["Auto-Submitted"] = "auto-generated"  # no machine answers it
        message.set_content(f"{text}\n\n-- \n{NOTICE}\n")
        refused = self._with_server(lambda server: server.send_message(message))
        if refused:
            raise NotifierFailed(
                "{host} refused {recipients}",
                host=self._host,
                recipients=", ".join(sorted(refused)),
                hint="check `notify.mail_to`",
            )
        return f"{self._host}:{self._port} took the mail to {', '.join(self._to)}"

    def check(self) -> str:
        """Log in, name sender and recipients, and leave without sending."""

        def ask(server: smtplib.SMTP) -> None:
            for status, answer in (server.mail(self._from), *(server.rcpt(to) for to in self._to)):
                if status >= 400:
                    raise smtplib.SMTPResponseException(status, answer)
            server.rset()

        self._with_server(ask)
        return f"{self._host}:{self._port} would take mail to {', '.join(self._to)}"

    def _with_server(self, do: Callable[[smtplib.SMTP], T]) -> T:
        self._require()
        try:
            with self._connected() as server:
                if self._user:
                    server.login(self._user, self._password)
                return do(server)
        except smtplib.SMTPAuthenticationError as error:
            raise NotifierFailed(
                "{host} refused the login of {user}: {answer}",
                host=self._host,
                user=self._user,
                answer=self._hide_password(_format_smtp_answer(error)),
                step=Phrase(self._key_hint),
                hint="{step}; many providers want a password made for apps",
                status=401,
            ) from error
        except smtplib.SMTPNotSupportedError as error:
            raise NotifierFailed(
                "{host}: {error}",
                host=self._host,
                error=self._hide_password(str(error)),
                hint="set `notify.smtp_security` to what the server offers",
            ) from error
        except smtplib.SMTPRecipientsRefused as error:
            raise NotifierFailed(
                "{host} refused {recipients}",
                host=self._host,
                recipients=", ".join(error.recipients),
                hint="check `notify.mail_to`",
            ) from error
        except smtplib.SMTPResponseException as error:
            raise NotifierFailed(
                "{host} answered {answer}",
                host=self._host,
                answer=self._hide_password(_format_smtp_answer(error)),
                hint="check `notify.mail_from`, `notify.mail_to`",
            ) from error
        except ssl.SSLError as error:
            reason = getattr(error, "verify_message", "") or error.reason or str(error)
            raise NotifierFailed(
                "no TLS with {host}:{port}: {reason}",
                host=self._host,
                port=self._port,
                reason=self._hide_password(reason),
                hint="check `notify.smtp_security` (tls, starttls) and the port",
            ) from error
        except (OSError, smtplib.SMTPException) as error:
            is_late = isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError)
            raise NotifierFailed(
                "{host}:{port} did not answer within {timeout_s:g} s"
                if is_late
                else "{host}:{port} cannot be reached: {error}",
                host=self._host,
                port=self._port,
                timeout_s=self._timeout_s,
                error=self._hide_password(str(error)),
                hint=_REACH,
            ) from error

    def _connected(self) -> smtplib.SMTP:
        context = ssl.create_default_context()
        if self._security == "tls":
            return smtplib.SMTP_SSL(
                self._host, self._port, timeout=self._timeout_s, context=context
            )
        server = smtplib.SMTP(self._host, self._port, timeout=self._timeout_s)
        try:
            if self._security == "starttls":
                server.starttls(context=context)
        except BaseException:
            server.close()
            raise
        return server

    def _require(self) -> None:
        """Raise where a setting is missing, or the password would travel unencrypted."""
        missing = [
            f"notify.{name}"
            for name, value in (("smtp_host", self._host), ("mail_to", self._to))
            if not value
        ]
        if missing:
            raise NotifierFailed(
                "{names} not set",
                names=" and ".join(missing),
                hint="`gieok config show` says where settings stand",
            )
        if self._user and not self._password:
            raise NotifierFailed(
                "{variable}, the password of {user}, is not set",
                variable=self._variable,
                user=self._user,
                hint=self._key_hint,
            )
        if self._user and self._security == "none" and self._host not in _LOCAL:
            raise NotifierFailed(
                "the password would go to {host} in the clear",
                host=self._host,
                hint="set `notify.smtp_security` to starttls or tls",
            )

    def _hide_password(self, answer: str) -> Phrase:
        """Return what a server said, on one line and without the password."""
        return Phrase(" ".join(answer.replace(self._password or "\0", "…").split()))


def _format_smtp_answer(error: smtplib.SMTPResponseException) -> str:
    text = error.smtp_error
    return (
        f"{error.smtp_code} {text.decode('utf-8', 'replace') if isinstance(text, bytes) else text}"[
            :200
        ]
    )
