"""Documents of Word and Hangul, zipped as these programs save them."""

import io
import zipfile
from collections.abc import Mapping

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_HANCOM = "http://www.hancom.co.kr/hwpml/2011"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

STYLES = """
<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/><w:basedOn w:val="a"/>
  <w:pPr><w:keepNext/><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="2"><w:name w:val="heading 2"/><w:basedOn w:val="1"/>
  <w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="Clause"><w:name w:val="Clause"/>
  <w:basedOn w:val="2"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="ListBullet"><w:name w:val="List Bullet"/>
  <w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
"""
NUMBERING = """
<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>
  <w:numFmt w:val="bullet"/><w:lvlText w:val="\uf0b7"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1">
  <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
  <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/>
  </w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="1"/>
  <w:numFmt w:val="decimal"/><w:lvlText w:val="제%1조"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="1"/>
  <w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
"""
_HEADINGS = """
<hh:numberings itemCnt="2">
<hh:numbering id="1" start="0">
  <hh:paraHead start="1" level="1" numFormat="DIGIT" checkable="0">^1.</hh:paraHead>
  <hh:paraHead start="1" level="2" numFormat="HANGUL_SYLLABLE" checkable="0">^2.</hh:paraHead>
</hh:numbering>
<hh:numbering id="2" start="1">
  <hh:paraHead start="1" level="1" numFormat="CIRCLED_DIGIT" checkable="0">^1</hh:paraHead>
  <hh:paraHead start="1" level="2" numFormat="DIGIT" checkable="0">^1-^2)</hh:paraHead>
</hh:numbering></hh:numberings>
<hh:paraProperties itemCnt="6">
<hh:paraPr id="0"><hh:heading type="NONE" idRef="0" level="0"/></hh:paraPr>
<hh:paraPr id="1"><hh:heading type="OUTLINE" idRef="0" level="0"/></hh:paraPr>
<hh:paraPr id="2"><hh:heading type="OUTLINE" idRef="0" level="1"/></hh:paraPr>
<hh:paraPr id="3"><hh:heading type="NUMBER" idRef="2" level="0"/></hh:paraPr>
<hh:paraPr id="4"><hh:heading type="NUMBER" idRef="2" level="1"/></hh:paraPr>
<hh:paraPr id="5"><hh:heading type="BULLET" idRef="1" level="0"/></hh:paraPr>
</hh:paraProperties>
"""


def build_zip(parts: Mapping[str, str | bytes]) -> bytes:
    """Return an archive of files by their names."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def build_docx(body: str, more: Mapping[str, str | bytes] | None = None) -> bytes:
    """Return a document of Word with a body of WordprocessingML."""
    relations = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/{name}" Target="{name}.xml"/>'
        for number, name in enumerate(("styles", "numbering", "footnotes", "endnotes"))
    )
    return build_zip(
        {
            "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types"/>',
            "_rels/.rels": (
                f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
                f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" '
                'Target="word/document.xml"/></Relationships>'
            ),
            "word/_rels/document.xml.rels": (
                f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{relations}'
                f'<Relationship Id="rId9" Type="{_OFFICE}/hyperlink" Target="https://example.org/" '
                'TargetMode="External"/></Relationships>'
            ),
            "word/document.xml": wrap_word("document", f"<w:body>{body}<w:sectPr/></w:body>"),
            "word/styles.xml": wrap_word("styles", STYLES),
            "word/numbering.xml": wrap_word("numbering", NUMBERING),
            "word/media/image1.png": b"\x89PNG not a picture",
            "word/vbaProject.bin": b"not a macro",
            **(more or {}),
        }
    )


def wrap_word(name: str, content: str) -> str:
    """Return a part of Word around its content."""
    return f'{_HEAD}<w:{name} xmlns:w="{_WORD}">{content}</w:{name}>'


def word_paragraph(text: str, properties: str = "") -> str:
    """Return a paragraph with one run."""
    head = f"<w:pPr>{properties}</w:pPr>" if properties else ""
    return f'<w:p>{head}<w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def word_cell(text: str, properties: str = "") -> str:
    """Return a cell of a table."""
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{word_paragraph(text)}</w:tc>"


def build_hwpx(*sections: str, more: Mapping[str, str | bytes] | None = None) -> bytes:
    """Return a document of Hangul with sections of OWPML, which stand last section first."""
    names = [f"section{number}" for number in range(len(sections))]
    items = "".join(f'<opf:item id="{name}" href="Contents/{name}.xml"/>' for name in names)
    spine = "".join(f'<opf:itemref idref="{name}"/>' for name in ("header", *names))
    namespaces = "".join(
        f' xmlns:{prefix}="{_HANCOM}/{name}"'
        for prefix, name in (("hs", "section"), ("hp", "paragraph"), ("hh", "head"))
    )
    settings = '<hp:p paraPrIDRef="0"><hp:run><hp:secPr outlineShapeIDRef="1"/></hp:run></hp:p>'
    parts = {
        f"Contents/{name}.xml": f"{_HEAD}<hs:sec{namespaces}>{settings}{section}</hs:sec>"
        for name, section in zip(names, sections, strict=True)
    }
    return build_zip(
        {
            "mimetype": "application/hwp+zip",
            "META-INF/manifest.xml": (
                '<odf:manifest xmlns:odf="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
            ),
            **dict(reversed(parts.items())),
            "Contents/header.xml": (
                f"{_HEAD}<hh:head{namespaces}><hh:refList>{_HEADINGS}</hh:refList></hh:head>"
            ),
            "Contents/content.hpf": (
                f'{_HEAD}<opf:package xmlns:opf="http://www.idpf.org/2007/opf/"><opf:manifest>'
                f'<opf:item id="header" href="Contents/header.xml"/>{items}</opf:manifest>'
                f"<opf:spine>{spine}</opf:spine></opf:package>"
            ),
            "BinData/image1.png": b"\x89PNG not a picture",
            **(more or {}),
        }
    )


def hangul_paragraph(content: str, shape: int = 0) -> str:
    """Return a paragraph around text, or around what a run holds."""
    run = content if content.startswith("<") else f"<hp:t>{content}</hp:t>"
    lines = '<hp:linesegarray><hp:lineseg textpos="0" vertpos="0"/></hp:linesegarray>'
    return (
        f'<hp:p id="0" paraPrIDRef="{shape}" styleIDRef="0"><hp:run charPrIDRef="0">{run}</hp:run>'
        f"{lines}</hp:p>"
    )


def hangul_table(*rows: str) -> str:
    """Return a table of rows."""
    return f"<hp:tbl>{''.join(f'<hp:tr>{row}</hp:tr>' for row in rows)}</hp:tbl>"


def hangul_cell(text: str, column: int, *, rows: int = 1) -> str:
    """Return a cell of a table."""
    return (
        f"<hp:tc><hp:subList>{hangul_paragraph(text)}</hp:subList>"
        f'<hp:cellAddr colAddr="{column}" rowAddr="0"/><hp:cellSpan colSpan="1" rowSpan="{rows}"/>'
        "</hp:tc>"
    )
