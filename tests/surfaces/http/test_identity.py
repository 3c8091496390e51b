"""Tokens and keys: which are good."""

import base64
import hmac
import json
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from random import Random

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from served import NOW, SECRET, Served, bearer, served, token

from gieok.character.accounts.identity import Identity
from gieok.errors import BadRequest, NotFound, Unauthorized
from gieok.model.accounts import KeyRole
from gieok.surfaces.http.options import TokenOptions
from gieok.surfaces.http.tokens import Tokens
from gieok.testing.clock import ManualClock

_EXP = {"sub": "kim", "exp": NOW + timedelta(hours=1)}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch) as found,
    ):
        yield found


@pytest.fixture(scope="module")
def signer() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _status(service: Served, headers: dict[str, str]) -> int:
    return service.client.get("/openapi.json", headers=headers).status_code


def test_a_key_opens_until_it_expires_or_is_revoked(service: Served) -> None:
    identity = service.house.identity
    lasting, text = identity.issue("kim@example.org", expires_at=NOW + timedelta(days=1))
    assert identity.verify(text) == ("kim@example.org", KeyRole.USER, lasting.id)
    assert _status(service, bearer(text)) == 200
    service.clock.advance(timedelta(days=1))
    assert _status(service, bearer(text)) == 401
    service.clock.advance(timedelta(days=-1))
    identity.revoke("kim@example.org", lasting.id)
    assert _status(service, bearer(text)) == 401


def test_a_key_is_stored_without_its_secret(service: Served) -> None:
    key, text = service.house.identity.issue("kim")
    secret = text.partition(key.id)[2][1:]
    assert len(secret) == 43
    assert secret not in repr(service.house.accounts.keys("kim"))


def test_a_key_that_is_not_quite_right_opens_nothing(service: Served) -> None:
    identity = service.house.identity
    key, text = identity.issue("kim")
    _, other = identity.issue("lee")
    secret = other.rpartition(".")[2].partition("_")[2]
    _, admin = identity.issue("", KeyRole.ADMIN)
    wrong = [
        text[:-1] + ("A" if text[-1] != "A" else "B"),
        text + "A",
        text[:-1],
        text.replace("gk_", "gk_a"),
        "gk_",
        "gk_a._",
        f"gk_{key.id}_{secret}",
        text.replace(key.id, admin[3 : 3 + 18]),
        text.upper(),
        text + "\n",
        "gk_" + "u" * 400,
    ]
    said = set()
    for one in wrong:
        with pytest.raises(Unauthorized) as caught:
            identity.verify(one)
        said.add(str(caught.value))
    assert said == {"the key is not valid"}


def test_keys_are_of_users_with_names_or_of_admins(service: Served) -> None:
    identity = service.house.identity
    for user, role in (
        ("", KeyRole.USER),
        ("kim", KeyRole.ADMIN),
        ("k m", KeyRole.USER),
        ("k/m", KeyRole.USER),
    ):
        with pytest.raises(BadRequest):
            identity.issue(user, role)
    for moment in (NOW, datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))):
        with pytest.raises(BadRequest):
            identity.issue("kim", expires_at=moment)
    with pytest.raises(NotFound):
        identity.revoke("lee", identity.issue("kim")[0].id)


class _Zeros(Random):
    def randbytes(self, n: int) -> bytes:
        return bytes(n)


def test_keys_differ_by_what_is_random(service: Served) -> None:
    made = Identity(keys=service.house.accounts, clock=service.clock, random=_Zeros())
    assert made.issue("kim")[1] == "gk_unnuw2.aaaaaaaaaaaaaaaa_" + "A" * 43


def _unsigned(**header: str) -> dict[str, str]:
    return bearer(jwt.encode(_EXP, None, "none", headers=header))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (token("kim"), 200),
        (token("kim", nbf=NOW + timedelta(seconds=5)), 200),
        (token("kim", exp=NOW - timedelta(seconds=5)), 200),
        (token("kim", exp=NOW - timedelta(minutes=1)), 401),
        (token("kim", nbf=NOW + timedelta(minutes=1)), 401),
        (token("kim", exp=None), 401),
        (token("kim", exp="tomorrow"), 401),
        (token("kim", exp=float("nan")), 401),
        (token("kim", nbf="x"), 401),
        (token(None), 401),
        (token(5), 401),
        (token(""), 401),
        (token("kim/character:mina"), 401),
        (token("k" * 129), 401),
        (token("kim", secret="another secret of thirty-two bytes."), 401),
        (_unsigned(), 401),
        (bearer(""), 401),
        (bearer("a.b.c"), 401),
        (bearer("é"), 401),
        ({"Authorization": "Basic a2ltOg=="}, 401),
        ({}, 401),
    ],
)
def test_a_token_counts_where_it_is_signed_and_in_time(
    service: Served, headers: dict[str, str], status: int
) -> None:
    found = service.client.get(
        "/openapi.json", headers={name: one.encode() for name, one in headers.items()}
    )
    assert found.status_code == status
    assert status == 200 or found.headers["WWW-Authenticate"] == "Bearer"


def test_a_token_is_for_whom_and_by_whom_the_settings_say() -> None:
    tokens = Tokens(TokenOptions(SECRET, issuer="shop", audience="gieok"), ManualClock(NOW))

    def verified(**claims: object) -> str:
        return tokens.verify(token("kim", **claims)["Authorization"][7:]).user

    assert verified(iss="shop", aud="gieok") == verified(iss="shop", aud=["a", "gieok"]) == "kim"
    for claims in (
        {"iss": "shop"},
        {"aud": "gieok"},
        {"iss": "shop", "aud": "b"},
        {"iss": "b", "aud": "gieok"},
    ):
        with pytest.raises(Unauthorized):
            verified(**claims)


def _write_jwks(file: Path, **keys: rsa.RSAPrivateKey) -> None:
    rows = [
        json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())) | {"kid": kid}
        for kid, key in keys.items()
    ]
    file.write_text(json.dumps({"keys": rows}))


def test_tokens_are_signed_by_keys_of_a_file_which_may_be_replaced(
    tmp_path: Path, signer: rsa.RSAPrivateKey
) -> None:
    file = tmp_path / "jwks.json"
    _write_jwks(file, old=signer)
    tokens = Tokens(TokenOptions(SECRET, str(file)), ManualClock(NOW))
    first, second = (
        jwt.encode(_EXP, signer, "RS256", headers={"kid": kid}) for kid in ("old", "new-one")
    )
    assert tokens.verify(first).user == "kim"
    with pytest.raises(Unauthorized):
        tokens.verify(second)
    _write_jwks(file, **{"new-one": signer})
    assert tokens.verify(second).user == "kim"
    with pytest.raises(Unauthorized):
        tokens.verify(first)
    file.write_text("{half")
    assert tokens.verify(second).user == "kim"


def test_no_token_picks_the_kind_of_its_key(tmp_path: Path, signer: rsa.RSAPrivateKey) -> None:
    file = tmp_path / "jwks.json"
    _write_jwks(file, one=signer)
    public = signer.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    tokens = Tokens(TokenOptions("", str(file)), ManualClock(NOW))
    signed = jwt.encode(_EXP, "x" * 32, "HS256", headers={"kid": "one"}).rpartition(".")[0]
    mac = (
        base64.urlsafe_b64encode(hmac.digest(public, signed.encode(), "sha256"))
        .decode()
        .rstrip("=")
    )
    with pytest.raises(Unauthorized):
        tokens.verify(f"{signed}.{mac}")
    ways = ((None, "none", "one"), (signer, "RS384", "one"), (signer, "RS256", "two"))
    for key, algorithm, kid in ways:
        forged = jwt.encode(_EXP, key, algorithm, headers={"kid": kid})
        with pytest.raises(Unauthorized):
            tokens.verify(forged)
