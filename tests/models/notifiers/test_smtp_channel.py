"""Mail through a real server on loopback, with a certificate of a testing authority."""

import ipaddress
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiosmtpd")

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from gieok.errors import NotifierFailed
from gieok.models.notifiers.smtp import SmtpChannel
from gieok.text.echo import NOTICE

PASSWORD = "app-password-1234"
_TO = {"mail_to": "me@example.org, you@example.org"}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    """Return a file with a key and the certificate of 127.0.0.1 that it signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gieok test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


class _Box:
    """Keeps mail, and refuses one address."""

    def __init__(self) -> None:
        self.mails: list[Any] = []
        self.tried: list[str] = []

    # Aiosmtpd's.
    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802
        if address.startswith("nobody@"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - aiosmtpd's
        self.mails.append(envelope)
        return "250 OK"

    def login(self, server, session, envelope, mechanism, data):
        assert isinstance(data, LoginPassword)
        self.tried.append(data.password.decode())
        return AuthResult(success=data.password.decode() == PASSWORD, handled=False)


def _greet(port: int, certificate: Path) -> None:
    context = ssl.create_default_context(cafile=certificate)
    with (
        socket.create_connection(("127.0.0.1", port)) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as private,
    ):
        private.recv(100)


@pytest.fixture
def serve(certificate: Path) -> Iterator[Any]:
    """Return a function that starts a server of a kind, and returns its box and its settings."""
    started: list[Controller] = []

    def start(security: str) -> tuple[_Box, dict[str, str]]:
        box, context = _Box(), ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        options: dict[str, Any] = {
            "authenticator": box.login,
            "auth_require_tls": security == "starttls",
        }
        if security == "tls":
            options["ssl_context"] = context
        if security == "starttls":
            options |= {"tls_context": context, "require_starttls": True}
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        controller = Controller(box, hostname="127.0.0.1", port=port, **options)
        if security == "tls":  # its own look whether it runs would not take the certificate
            controller._trigger_server = lambda: _greet(port, certificate)
        controller.start()
        started.append(controller)
        settings = {
            "smtp_host": "127.0.0.1",
            "smtp_port": str(port),
            "smtp_security": security,
            "smtp_user": "me@example.org",
        }
        return box, {**settings, **_TO}

    yield start
    for controller in started:
        controller.stop()


@pytest.fixture
def channel(opening, certificate: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that opens the channel, which trusts the testing authority."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    return lambda settings, password=PASSWORD, timeout_s=10.0: SmtpChannel(
        opening(
            settings, {"SMTP_PASSWORD": password}, timeout_s=timeout_s, key_variable="SMTP_PASSWORD"
        )
    )


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_mail_arrives_over_tls_with_a_login(channel, serve, security: str) -> None:
    box, settings = serve(security)
    made = channel(settings)
    assert (
        made.check()
        == f"127.0.0.1:{settings['smtp_port']} would take mail to me@example.org, you@example.org"
    )
    assert box.mails == []
    assert "took the mail" in made.send("gieok: 관찰자가 기다립니다", "gemini:x가 답하지 않습니다")
    (mail,) = box.mails
    assert mail.rcpt_tos == ["me@example.org", "you@example.org"]
    text = mail.content.decode()
    assert "Auto-Submitted: auto-generated" in text
    assert set(box.tried) == {PASSWORD}


def test_a_mail_says_that_it_is_no_memory(channel, serve) -> None:
    box, settings = serve("starttls")
    channel(settings).send("a", "b")
    assert NOTICE in box.mails[0].content.decode()


def test_a_wrong_password_says_how_to_give_another_and_is_never_shown(channel, serve) -> None:
    _, settings = serve("starttls")
    with pytest.raises(NotifierFailed, match=r"refused the login of me@example\.org") as failed:
        channel(settings, password="wrong-password-77").send("a", "b")
    assert "SMTP_PASSWORD" in failed.value.hint
    assert "wrong-password-77" not in str(failed.value) + failed.value.hint


def test_a_server_whose_certificate_nobody_vouches_for_gets_no_password(
    channel, serve, monkeypatch
) -> None:
    for security in ("starttls", "tls"):
        box, settings = serve(security)
        made = channel(settings)
        monkeypatch.setenv("SSL_CERT_FILE", "/dev/null")
        with pytest.raises(NotifierFailed, match="no TLS with"):
            made.send("a", "b")
        assert box.tried == []


def test_a_server_without_tls_gets_no_password(channel, serve) -> None:
    box, settings = serve("none")
    with pytest.raises(NotifierFailed, match="STARTTLS") as failed:
        channel({**settings, "smtp_security": "starttls"}).send("a", "b")
    assert "smtp_security" in failed.value.hint
    with pytest.raises(NotifierFailed, match="in the clear"):
        channel({**settings, "smtp_security": "none", "smtp_host": "mail.example.org"}).send(
            "a", "b"
        )
    assert (box.tried, box.mails) == ([], [])


def test_a_recipient_that_is_refused_is_named(channel, serve) -> None:
    box, settings = serve("starttls")
    made = channel({**settings, "mail_to": "nobody@example.org"})
    for way in (lambda: made.send("a", "b"), made.check):
        with pytest.raises(NotifierFailed, match=r"nobody@example\.org|550"):
            way()
    with pytest.raises(NotifierFailed, match=r"refused nobody@example\.org"):
        channel({**settings, "mail_to": "me@example.org, nobody@example.org"}).send("a", "b")
    assert [mail.rcpt_tos for mail in box.mails] == [["me@example.org"]], "the others have it"


def test_what_is_missing_is_named(channel) -> None:
    with pytest.raises(NotifierFailed, match=r"notify\.smtp_host and notify\.mail_to not set"):
        channel({}).check()
    with pytest.raises(NotifierFailed, match="SMTP_PASSWORD, the password of me, is not set"):
        channel({"smtp_host": "127.0.0.1", "smtp_user": "me", **_TO}, password="").check()


def test_a_server_that_is_silent_or_not_there_is_not_waited_for(channel) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = str(silent.getsockname()[1])
        settings = {"smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none", **_TO}
        with pytest.raises(NotifierFailed, match=r"did not answer within 0\.2 s"):
            channel(settings, timeout_s=0.2).send("a", "b")
    with pytest.raises(NotifierFailed, match="cannot be reached"):
        channel(settings).send("a", "b")
