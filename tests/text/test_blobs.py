"""What no person reads is left out, line by line; what a person wrote stays."""

import base64
import json
import random

import pytest

from gieok.text.blobs import without_blobs

_BYTES = random.Random(7).randbytes(60_000)
_BASE64 = base64.b64encode(_BYTES).decode()
_WRAPPED = "\n".join(_BASE64[at : at + 76] for at in range(0, 20_000, 76))
_COMPRESSED = "\n\n".join(_BASE64[at : at + 256] for at in range(0, 50_000, 256))
_MINIFIED = "function a(b,c){return b.d(e=>{if(e.f===c.g){h(i,j[k])}})};" * 60
_PATHS = " ".join(f"M{n} {n + 1}.5 L{n + 2} {n}" for n in range(600))


@pytest.mark.parametrize(
    "blob",
    [
        f"![x](data:image/png;base64,{_BASE64})",
        f"```\n{_WRAPPED}\n```",
        f"```compressed-json\n{_COMPRESSED}\n```",
        _MINIFIED,
        f'<svg><path d="{_PATHS}"/></svg>',
        json.dumps({"ids": list(range(2_000))}),
        "https://x.example/p?token=" + "a1B2" * 100,
    ],
)
def test_a_blob_is_left_out_and_the_lines_keep_their_numbers(blob: str) -> None:
    text = f"# Quay\n\nbefore\n{blob}\n\nafter\n"
    found = without_blobs(text)
    assert found.count("\n") == text.count("\n")
    assert len("".join(found.split())) < 400
    assert "before" in found
    assert found.split("\n")[-2] == "after"


@pytest.mark.parametrize(
    "text",
    [
        "The gantry crane is rented until May. " * 100,
        "결제는 매주 화요일에 정산하고 담당자는 김서연이다. " * 100,
        "결제는매주화요일에정산하고담당자는김서연이다" * 40,
        "これは日本語のメモです。明日会議があります。" * 40,
        "see https://example.com/a/long/path?with=query&and=more for it",
        "\n".join(f"{n:064x}" for n in range(4)),
        "| a | b |\n|---|---|\n" + "| the quay was mended | by two masons |\n" * 60,
        "",
    ],
)
def test_what_a_person_wrote_stays(text: str) -> None:
    assert without_blobs(text) == text


def test_an_address_says_where_it_leads() -> None:
    assert without_blobs("see https://x.example/p?token=" + "a1B2" * 200).startswith(
        "see https://x.example/p?token="
    )
