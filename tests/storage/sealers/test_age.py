"""What is encrypted opens with its own key and no other, whole or not at all."""

import io
import subprocess
from pathlib import Path
from shutil import which

import pytest

from gieok.errors import BadConfig, Damaged, WrongKey
from gieok.storage.sealers.age import AgeSealer

_DATA = "기억\n".encode() * 20_000  # several blocks of the format


@pytest.fixture
def sealer() -> AgeSealer:
    identity, recipient = AgeSealer.generated()
    return AgeSealer(recipient, lambda: identity)


def _other() -> AgeSealer:
    identity, recipient = AgeSealer.generated()
    return AgeSealer(recipient, lambda: identity)


def test_it_comes_back(sealer: AgeSealer) -> None:
    sealed = sealer.seal(_DATA)
    assert sealed.startswith(b"age-encryption.org/v1\n")
    assert "기억".encode() not in sealed
    assert sealer.open(sealed) == _DATA
    assert sealer.seal(b"same") != sealer.seal(b"same")


def test_a_recipient_alone_can_write() -> None:
    def nobody() -> str:
        raise BadConfig("no key here")

    identity, recipient = AgeSealer.generated()
    sealed = AgeSealer(recipient, nobody).seal(b"x")
    assert AgeSealer(recipient, lambda: identity).open(sealed) == b"x"
    assert AgeSealer.recipient_of(identity) == recipient
    with pytest.raises(BadConfig, match="no key here"):
        AgeSealer(recipient, nobody).open(sealed)


def test_another_key_is_told(sealer: AgeSealer) -> None:
    with pytest.raises(WrongKey, match="'f' was encrypted with another key") as caught:
        _other().open(sealer.seal(b"x"), "'f'")
    assert "gieok encryption status" in caught.value.hint
    with pytest.raises(WrongKey), _other().opening(io.BytesIO(sealer.seal(_DATA))) as stream:
        stream.read()


def test_a_flipped_byte_and_a_cut_are_told(sealer: AgeSealer) -> None:
    sealed = sealer.seal(_DATA)
    body = sealed.index(b"\n---") + 48
    bad = [sealed[:end] for end in (0, 30, body, body + 16 + 65_552, len(sealed) - 1)]
    bad += [
        sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]
        for place in (body + 20, len(sealed) - 1)
    ]
    for data in bad:
        with pytest.raises(Damaged, match="'f' is damaged or cut off"):
            sealer.open(data, "'f'")
        with (
            pytest.raises(Damaged, match="'f' is damaged or cut off"),
            sealer.opening(io.BytesIO(data), "'f'") as out,
        ):
            out.read()


def test_streams_give_the_same_and_stop_with_their_user(sealer: AgeSealer) -> None:
    out = io.BytesIO()
    with sealer.sealing(out) as sink:
        for start in range(0, len(_DATA), 10_000):
            sink.write(_DATA[start : start + 10_000])
    assert sealer.open(out.getvalue()) == _DATA
    with sealer.opening(io.BytesIO(out.getvalue())) as stream:
        assert stream.read() == _DATA
    with pytest.raises(ZeroDivisionError), sealer.opening(io.BytesIO(out.getvalue())):
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), sealer.sealing(io.BytesIO()):
        raise ZeroDivisionError


def test_a_full_disk_is_an_error_of_the_system(sealer: AgeSealer) -> None:
    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"), sealer.sealing(Full()) as sink:
        sink.write(_DATA * 10)


def test_bad_keys_are_told_without_showing_them() -> None:
    with pytest.raises(BadConfig, match="no public key"):
        AgeSealer("age1no", str)
    identity, recipient = AgeSealer.generated()
    with pytest.raises(BadConfig) as caught:
        AgeSealer(recipient, lambda: identity[:-3]).open(AgeSealer(recipient, str).seal(b""))
    assert identity[20:40] not in f"{caught.value}{caught.value.hint}"


@pytest.mark.skipif(not which("age"), reason="the `age` program is not here")
def test_the_age_program_opens_it(sealer: AgeSealer, tmp_path: Path) -> None:
    identity, recipient = AgeSealer.generated()
    (tmp_path / "key").write_text(identity)
    (tmp_path / "f.age").write_bytes(AgeSealer(recipient, str).seal(_DATA))
    done = subprocess.run(
        ["age", "-d", "-i", str(tmp_path / "key"), str(tmp_path / "f.age")],
        capture_output=True,
        check=True,
    )
    assert done.stdout == _DATA
