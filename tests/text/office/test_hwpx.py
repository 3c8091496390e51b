"""Documents of Hangul as text."""

import pytest
from tests.support.office_files import (
    build_hwpx,
    hangul_cell,
    hangul_paragraph,
    hangul_table,
)

from gieok.text.office.document import read_office_bytes
from gieok.text.office.limits import UnreadableDocument


def _read(*sections: str) -> str:
    return read_office_bytes(build_hwpx(*sections), ".hwpx")


def test_outlines_are_headings_and_lists_have_the_labels_that_hangul_shows() -> None:
    text = _read(
        hangul_paragraph("개요", 1)
        + hangul_paragraph("일시", 2)
        + hangul_paragraph("장소", 2)
        + hangul_paragraph("예산", 1)
        + hangul_paragraph("첫째", 3)
        + hangul_paragraph("안쪽", 4)
        + hangul_paragraph("둘째", 3)
        + hangul_paragraph("점", 5)
        + hangul_paragraph("문단")
    )
    assert text.split("\n") == [
        *("# 1. 개요", "", "## 가. 일시", "", "## 나. 장소", "", "# 2. 예산", ""),
        *("① 첫째", "  ①-1) 안쪽", "② 둘째", "- 점", "", "문단", ""),
    ]


def test_sections_stand_in_the_order_of_the_spine() -> None:
    assert _read(hangul_paragraph("하나"), hangul_paragraph("둘")) == "하나\n\n둘\n"


def test_a_table_is_rows_and_columns_that_only_make_room_are_left_out() -> None:
    table = hangul_table(
        hangul_cell("구분", 0) + hangul_cell("", 1) + hangul_cell("금액", 2),
        hangul_cell("월세", 0, rows=2) + hangul_cell("", 1) + hangul_cell("50만 원", 2),
        hangul_cell("", 1) + hangul_cell("55만 원", 2),
    )
    assert _read(hangul_paragraph(table)).split("\n") == [
        *("| 구분 | 금액 |", "| --- | --- |", "| 월세 | 50만 원 |", "| 월세 | 55만 원 |", ""),
    ]


def test_boxes_captions_and_footnotes_keep_their_words_and_the_rest_is_left_out() -> None:
    inner = f"<hp:subList>{hangul_paragraph('글상자')}</hp:subList>"
    box = f"<hp:rect><hp:drawText>{inner}</hp:drawText></hp:rect>"
    table = hangul_table(hangul_cell("가", 0) + hangul_cell("나", 1)).replace(
        "<hp:tbl>",
        f"<hp:tbl><hp:caption><hp:subList>{hangul_paragraph('표 1')}</hp:subList></hp:caption>",
    )
    note = (
        f"<hp:footNote number='1'><hp:subList>{hangul_paragraph('각주')}</hp:subList></hp:footNote>"
    )
    unseen = "".join(
        f"<hp:ctrl><hp:{name}><hp:subList>{hangul_paragraph(name)}</hp:subList></hp:{name}></hp:ctrl>"
        for name in ("header", "footer", "hiddenComment", "fieldBegin")
    )
    body = f"<hp:t>본문</hp:t><hp:ctrl>{note}</hp:ctrl>{box}{table}{unseen}"
    assert _read(hangul_paragraph(body)) == (
        "본문[^1]\n\n[^1]: 각주\n\n글상자\n\n표 1\n\n| 가 | 나 |\n| --- | --- |\n"
    )


def test_deleted_text_of_tracked_changes_is_left_out_across_paragraphs() -> None:
    text = _read(
        hangul_paragraph("<hp:t>남은<hp:deleteBegin Id='1'/> 지운</hp:t>")
        + hangul_paragraph(
            "<hp:t>지운 줄<hp:deleteEnd Id='1'/>다음<hp:lineBreak/>줄<hp:tab/>끝</hp:t>"
        )
    )
    assert text == "남은\n\n다음\n줄 끝\n"


def test_a_document_with_a_password_says_so() -> None:
    locked = "<manifest><file-entry><encryption-data/></file-entry></manifest>"
    data = build_hwpx(hangul_paragraph("글"), more={"META-INF/manifest.xml": locked})
    with pytest.raises(UnreadableDocument, match="locked by a password"):
        read_office_bytes(data, ".hwpx")
