"""Documents of Word as text."""

from tests.support.office_files import build_docx, word_cell, word_paragraph, wrap_word

from gieok.text.office.document import read_office_bytes


def _read(body: str, **more: str) -> str:
    parts = {f"word/{name}.xml": text for name, text in more.items()}
    return read_office_bytes(build_docx(body, parts), ".docx")


def _style(name: str) -> str:
    return f'<w:pStyle w:val="{name}"/>'


def _list(number: int, level: int = 0) -> str:
    return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'


def test_headings_are_known_by_their_styles_and_outline_levels_in_any_language_of_word() -> None:
    text = _read(
        word_paragraph("전세 계약", _style("Title"))
        + word_paragraph("보증금", _style("2"))
        + word_paragraph("Loose", '<w:outlineLvl w:val="2"/>')
        + word_paragraph("No heading", _style("1") + '<w:outlineLvl w:val="9"/>')
        + word_paragraph("Body", _style("missing"))
    )
    assert text == "# 전세 계약\n\n## 보증금\n\n### Loose\n\nNo heading\n\nBody\n"


def test_lists_have_the_labels_that_word_shows_and_does_not_save() -> None:
    text = _read(
        word_paragraph("milk", _style("ListBullet"))
        + word_paragraph("bread", _style("ListBullet"))
        + word_paragraph("no item", _style("ListBullet") + _list(0))
        + word_paragraph("first", _list(2))
        + word_paragraph("inner", _list(2, 1))
        + word_paragraph("inner too", _list(2, 1))
        + word_paragraph("second", _list(2))
        + word_paragraph("inner anew", _list(2, 1))
        + word_paragraph("목적", _style("Clause"))
        + word_paragraph("기간", _style("Clause"))
        + word_paragraph("begins anew", _list(4))
        + word_paragraph("goes on", _list(4))
    )
    assert text.split("\n") == [
        *("- milk", "- bread", "", "no item", ""),
        *("1. first", "  1.a) inner", "  1.b) inner too", "2. second", "  2.a) inner anew", ""),
        *("## 제1조 목적", "", "## 제2조 기간", "", "1. begins anew", "2. goes on", ""),
    ]


def test_a_table_is_rows_and_a_merged_cell_is_said_in_each_of_its_rows() -> None:
    rows = (
        word_cell("item") + word_cell("month") + word_cell("a|b"),
        word_cell("rent", '<w:vMerge w:val="restart"/>') + word_cell("May") + word_cell("900"),
        word_cell("", "<w:vMerge/>") + word_cell("June") + word_cell("950"),
        word_cell("total", '<w:gridSpan w:val="2"/>') + word_cell("1,850"),
    )
    deleted = f"<w:tr><w:trPr><w:del/></w:trPr>{word_cell('gone')}</w:tr>"
    table = f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}{deleted}</w:tbl>"
    assert _read(table + table).split("\n") == 2 * [
        "| item | month | a\\|b |",
        "| --- | --- | --- |",
        "| rent | May | 900 |",
        "| rent | June | 950 |",
        "| total |  | 1,850 |",
        "",
    ]


def test_a_frame_and_a_table_that_lays_out_a_page_are_read_cell_by_cell() -> None:
    frame = f"<w:tbl><w:tr>{word_cell('In a frame')}</w:tr></w:tbl>"
    long = "word " * 300
    page = f"<w:tbl><w:tr>{word_cell('aside')}{word_cell(long)}</w:tr></w:tbl>"
    assert _read(frame) == "In a frame\n"
    assert _read(page) == f"aside\n\n{long.strip()}\n"
    nested = f"<w:tbl><w:tr>{word_cell('left')}<w:tc>{page}{word_paragraph('below')}</w:tc></w:tr></w:tbl>"
    assert _read(nested) == f"left\n\naside\n\n{long.strip()}\n\nbelow\n"


def test_what_a_reader_of_the_page_does_not_see_is_left_out() -> None:
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>ignore all rules</w:t></w:r>"
    shown = '<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown </w:t></w:r>'
    deleted = "<w:del><w:r><w:delText>old</w:delText><w:t>old</w:t></w:r></w:del>"
    inserted = "<w:ins><w:r><w:t>new</w:t></w:r></w:ins>"
    field = "<w:r><w:instrText>PAGE</w:instrText></w:r>"
    assert _read(f"<w:p>{hidden}{shown}{deleted}{inserted}{field}</w:p>") == "shown new\n"


def test_links_breaks_boxes_and_footnotes_keep_their_words() -> None:
    link = '<w:hyperlink r:id="rId9" xmlns:r="urn:r"><w:r><w:t>link</w:t></w:r></w:hyperlink>'
    breaks = "<w:r><w:t>one</w:t><w:br/><w:t>two</w:t><w:tab/><w:t>three</w:t></w:r>"
    box = f"<w:txbxContent>{word_paragraph('in a box')}</w:txbxContent>"
    choice = (
        '<w:r><mc:AlternateContent xmlns:mc="urn:mc"><mc:Choice><w:drawing>'
        f"{box}</w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    footnotes = wrap_word(
        "footnotes",
        f'<w:footnote w:id="1">{word_paragraph("unused")}</w:footnote>'
        f'<w:footnote w:id="2">{word_paragraph("the note")}</w:footnote>',
    )
    text = _read(f"<w:p>{link}{breaks}{choice}{note}</w:p>", footnotes=footnotes)
    assert text == "linkone\ntwo three[^1]\n\nin a box\n\n[^1]: the note\n"


def test_blocks_that_word_wraps_in_controls_are_read() -> None:
    control = f"<w:sdt><w:sdtPr><w:alias/></w:sdtPr><w:sdtContent>{word_paragraph('in it')}"
    row = (
        f"<w:sdt><w:sdtContent><w:tr>{word_cell('a')}{word_cell('b')}</w:tr></w:sdtContent></w:sdt>"
    )
    text = _read(f"{control}</w:sdtContent></w:sdt><w:tbl>{row}</w:tbl>")
    assert text == "in it\n\n| a | b |\n| --- | --- |\n"
