"""A backup is believed only when every byte of it is what was written, and every name in it stays
in its folder.
"""

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.errors import Damaged, ShapeMismatch, StoreError
from gieok.storage.backups import bundle
from gieok.storage.backups.bundle import BackupSource
from gieok.storage.backups.partial_backups import unfinished

_FILES = {
    "home/config.yaml": b"lang: ko\n",
    "home/memory/decision/\xea\xb0\x80.md".encode("latin1").decode(): b"x" * 3000,
    "home/a:b\\c": b"",
}


def _sources(folder: Path, files: dict[str, bytes]) -> list[BackupSource]:
    made = []
    for number, (name, data) in enumerate(files.items()):
        file = folder / str(number)
        file.write_bytes(data)
        made.append(BackupSource(name, 1_700_000_000, file))
    return made


def _bundle(folder: Path, files: dict[str, bytes] = _FILES) -> bytes:
    out = io.BytesIO()
    bundle.write_bundle(out, {"gieok": "9"}, _sources(folder, files))
    return out.getvalue()


def _tar(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=out, mode="wb") as packed,
        tarfile.open(fileobj=packed, mode="w|") as tar,
    ):
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    taken: dict[str, io.BytesIO] = {}
    kept: dict[str, bytes] = {}

    class Kept(io.BytesIO):
        name = ""

        def close(self) -> None:
            kept[self.name] = self.getvalue()

    def take(name: str, mtime_s: float) -> io.BytesIO:
        assert mtime_s == 1_700_000_000
        taken[name] = Kept()
        taken[name].name = name  # type: ignore[attr-defined]
        return taken[name]

    found = bundle.read_bundle(io.BytesIO(_bundle(tmp_path)), "b", take)
    assert kept == _FILES
    assert found.about == {"format": 1, "gieok": "9"}
    assert found.content_bytes == sum(map(len, _FILES.values()))


def test_every_cut_and_every_flipped_byte_is_told(tmp_path: Path) -> None:
    data = _bundle(tmp_path)
    for end in {0, 1, 10, len(data) // 2, len(data) - 9, len(data) - 1}:
        with pytest.raises(Damaged, match="'b' is damaged"):
            bundle.read_bundle(io.BytesIO(data[:end]), "b")
    whole = bundle.read_bundle(io.BytesIO(data), "b")
    refused = 0
    for place in range(len(data)):
        flipped = data[:place] + bytes([data[place] ^ 0x40]) + data[place + 1 :]
        try:
            # a bit that nothing hangs on, such as in gzip's head
            assert bundle.read_bundle(io.BytesIO(flipped), "b") == whole
        except Damaged:
            refused += 1
    assert refused > 0.9 * len(data)


def _link(name: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return info


@pytest.mark.parametrize(
    ("member", "said"),
    [
        (tarfile.TarInfo("home/../../etc/cron"), "outside the home"),
        (tarfile.TarInfo("/etc/passwd"), "outside the home"),
        (tarfile.TarInfo("home/./x"), "outside the home"),
        (tarfile.TarInfo("home//x"), "outside the home"),
        (tarfile.TarInfo("elsewhere/x"), "outside the home"),
        (_link("home/link"), "no plain file"),
    ],
)
def test_no_name_leads_out_and_no_link_is_followed(member: tarfile.TarInfo, said: str) -> None:
    def take(name: str, mtime_s: float) -> io.BytesIO:
        pytest.fail(f"{name} was to be written")

    about = json.dumps({"format": 1}).encode()
    member_data = b"" if member.issym() else b"bad"
    with pytest.raises(Damaged, match=said):
        bundle.read_bundle(
            io.BytesIO(_tar((tarfile.TarInfo("about.json"), about), (member, member_data))),
            "b",
            take,
        )


def test_a_manifest_that_names_other_files_is_told() -> None:
    about, manifest = (
        json.dumps({"format": 1}).encode(),
        json.dumps({"files": {"home/x": {"bytes": 1, "sha256": "0"}}}),
    )
    parts = [
        (tarfile.TarInfo("about.json"), about),
        (tarfile.TarInfo("manifest.json"), manifest.encode()),
    ]
    with pytest.raises(Damaged, match="not those of its manifest"):
        bundle.read_bundle(io.BytesIO(_tar(*parts)), "b")
    with pytest.raises(Damaged, match="'home/x' in it is not what was backed up"):
        bundle.read_bundle(
            io.BytesIO(_tar(parts[0], (tarfile.TarInfo("home/x"), b"y"), parts[1])), "b"
        )


def test_other_files_and_later_formats_are_told() -> None:
    with pytest.raises(Damaged, match="not made by"):
        bundle.read_bundle(io.BytesIO(_tar((tarfile.TarInfo("home/x"), b""))), "b")
    with pytest.raises(ShapeMismatch, match="format 2, this gieok reads 1"):
        bundle.read_bundle(io.BytesIO(_tar((tarfile.TarInfo("about.json"), b'{"format": 2}'))), "b")


def test_a_file_that_shrinks_ends_the_backup(tmp_path: Path) -> None:
    class Shrinking(io.FileIO):
        def read(self, size: int = -1) -> bytes:
            return super().read(size)[:-1]

    (tmp_path / "f").write_bytes(b"abc")
    with pytest.raises(StoreError, match="changed while"):
        bundle.write_bundle(
            io.BytesIO(), {}, [BackupSource("home/f", 0, Shrinking(tmp_path / "f"))]
        )  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("has_nameless", [True, False])
def test_a_file_has_no_name_until_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_nameless: bool
) -> None:
    nameless: Callable[[Path], int] = lambda folder: -1  # noqa: E731
    if not has_nameless:
        monkeypatch.setattr("gieok.storage.backups.partial_backups._open_nameless_file", nameless)
    with unfinished(tmp_path / "new") as fresh:
        fresh.stream.write(b"half")
        if has_nameless:
            assert not list((tmp_path / "new").iterdir())
    assert not list((tmp_path / "new").iterdir())
    for _ in range(2):
        with unfinished(tmp_path / "new") as fresh:
            fresh.stream.write(b"whole")
            assert fresh.reread().read() == b"whole"
            fresh.publish("b.tar.gz")
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == ["b-2.tar.gz", "b.tar.gz"]
    assert {file.read_bytes() for file in (tmp_path / "new").iterdir()} == {b"whole"}
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "new").iterdir()} == {0o600}
