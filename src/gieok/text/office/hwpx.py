"""Documents of Hangul (.hwpx, OWPML of KS X 6101) read as blocks.

Headers, footers, hidden comments, memos and deleted text are left out. Pictures are never unpacked.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element

from gieok.text.late_pattern import defer_pattern
from gieok.text.office.blocks import BlockKind, OfficeBlock, TableCell, build_table
from gieok.text.office.limits import UnreadableDocument
from gieok.text.office.numbering import BULLET, ListNumbering, NumberLevel, parse_count
from gieok.text.office.package import OfficePackage

_CONTENT_PART = "Contents/content.hpf"
_HEADER_PART = "Contents/header.xml"
_SECTION = defer_pattern(r"Contents/section(\d{1,9})\.xml")
#: Where lines break and how a page looks: half of a part, and nothing of it is text.
_LAYOUT = frozenset(("linesegarray", "renderingInfo", "parameters"))
_UNSEEN = frozenset(("header", "footer", "hiddenComment", "fieldBegin", "secPr", "caption"))
_NOTES = ("footNote", "endNote")
_SPACES = ("tab", "nbSpace", "fwSpace")
_OUTLINE, _NUMBER, _BULLET = "OUTLINE", "NUMBER", "BULLET"
_MANIFEST_PART = "META-INF/manifest.xml"


class _HangulShape(NamedTuple):
    """Shape of paragraphs: what they are (`OUTLINE`, `NUMBER`, `BULLET`), their list and level."""

    kind: str
    list_id: str
    level: int


def read_hwpx(package: OfficePackage) -> list[OfficeBlock]:
    """Return the blocks of a Hangul document. Raises UnreadableDocument."""
    manifest = package.read_part(_MANIFEST_PART)
    if manifest is not None and any(True for _ in manifest.iter("encryption-data")):
        raise UnreadableDocument("locked by a password; save it again without one")
    sections = _list_sections(package)
    if not sections:
        raise UnreadableDocument("it holds no text of Hangul; save it again as .hwpx")
    header = package.read_part(_HEADER_PART, _LAYOUT)
    reader = _HwpxReader(header)
    return [
        block
        for name in sections
        if (section := package.read_part(name, _LAYOUT)) is not None
        for block in reader.read_section(section)
    ]


def _list_sections(package: OfficePackage) -> list[str]:
    """Return the names of the sections in the order of the document's spine, else by number."""
    content = package.read_part(_CONTENT_PART)
    if content is not None:
        places = {item.get("id"): item.get("href", "") for item in content.iter("item")}
        order = (places.get(item.get("idref"), "") for item in content.iter("itemref"))
        named = [name for name in order if name in package.names and _SECTION.fullmatch(name)]
        if named:
            return list(dict.fromkeys(named))
    found = ((match, name) for name in package.names if (match := _SECTION.fullmatch(name)))
    return [name for _, name in sorted((int(match[1]), name) for match, name in found)]


class _HwpxReader:
    """Reads the paragraphs of a document with its lists and notes."""

    def __init__(self, header: Element | None) -> None:
        self._shapes = _read_shapes(header)
        self._numbering = ListNumbering(_read_hangul_lists(header))
        self._outline_list = ""
        self._note_count = 0
        #: Deleted text of tracked changes goes on from one run to the next.
        self._is_deleted = False

    def read_section(self, section: Element) -> list[OfficeBlock]:
        """Return the blocks of a section."""
        settings = next(section.iter("secPr"), None)
        if settings is not None:
            self._outline_list = settings.get("outlineShapeIDRef", "")
        return self._read_hangul_paragraphs(section)

    def _read_hangul_paragraphs(self, parent: Element) -> list[OfficeBlock]:
        return [
            block
            for paragraph in parent.findall("p")
            for block in self._read_hangul_paragraph(paragraph)
        ]

    def _read_hangul_paragraph(self, paragraph: Element) -> list[OfficeBlock]:
        after = list[OfficeBlock]()
        text = "".join(self._iter_hangul_text(paragraph, after))
        shape = self._shapes.get(paragraph.get("paraPrIDRef", ""))
        return [*self._shape_hangul_paragraph(text, shape), *after]

    def _shape_hangul_paragraph(
        self, text: str, shape: _HangulShape | None
    ) -> Iterator[OfficeBlock]:
        if not text.strip():
            return
        if shape is None:
            yield OfficeBlock(BlockKind.PARAGRAPH, text)
        elif shape.kind == _OUTLINE:
            list_id = shape.list_id if shape.list_id != "0" else self._outline_list
            label = self._numbering.take_label(list_id, shape.level)
            yield OfficeBlock(BlockKind.HEADING, text, shape.level, label)
        elif shape.kind == _NUMBER:
            label = self._numbering.take_label(shape.list_id, shape.level)
            yield OfficeBlock(BlockKind.ITEM, text, shape.level, label)
        else:
            yield OfficeBlock(BlockKind.ITEM, text, shape.level, BULLET)

    def _iter_hangul_text(self, element: Element, after: list[OfficeBlock]) -> Iterator[str]:
        """Yield the text in an element; tables, boxes and notes go into `after`."""
        for child in element:
            tag = child.tag
            if tag == "t":
                yield from self._iter_run_text(child)
            elif tag == "tbl":
                after += self._read_sub_lists(child, "caption/subList")
                after += build_table([self._read_hangul_row(row) for row in child.findall("tr")])
            elif tag == "subList":
                after += self._read_hangul_paragraphs(child)
            elif tag in _NOTES:
                yield self._read_hangul_note(child, after)
            elif tag in ("mainText", "script"):
                yield child.text or ""
            elif tag == "default" and element.find("case") is not None:
                continue
            elif tag not in _UNSEEN:
                yield from self._iter_hangul_text(child, after)

    def _iter_run_text(self, run: Element) -> Iterator[str]:
        if not self._is_deleted:
            yield run.text or ""
        for mark in run:
            if mark.tag in ("deleteBegin", "deleteEnd"):
                self._is_deleted = mark.tag == "deleteBegin"
            if self._is_deleted:
                continue
            if mark.tag == "lineBreak":
                yield "\n"
            elif mark.tag in _SPACES:
                yield " "
            elif mark.tag == "hyphen":
                yield "-"
            yield mark.tail or ""

    def _read_sub_lists(self, parent: Element, path: str = "subList") -> list[OfficeBlock]:
        """Return what stands in the lists of paragraphs of a cell, a note or a caption."""
        return [
            block for part in parent.findall(path) for block in self._read_hangul_paragraphs(part)
        ]

    def _read_hangul_row(self, row: Element) -> list[TableCell]:
        return [self._read_hangul_cell(cell) for cell in row.findall("tc")]

    def _read_hangul_cell(self, cell: Element) -> TableCell:
        place, span = cell.find("cellAddr"), cell.find("cellSpan")
        return TableCell(
            blocks=self._read_sub_lists(cell),
            column=None if place is None else parse_count(place.get("colAddr")),
            columns=1 if span is None else parse_count(span.get("colSpan"), 1),
            rows=1 if span is None else parse_count(span.get("rowSpan"), 1),
        )

    def _read_hangul_note(self, note: Element, after: list[OfficeBlock]) -> str:
        """Return the mark of a footnote, and put its text into `after`."""
        blocks = self._read_sub_lists(note)
        self._note_count += 1
        mark = f"[^{self._note_count}]"
        words = " ".join(block.text for block in blocks)
        after.append(OfficeBlock(BlockKind.PARAGRAPH, f"{mark}: {words.strip()}"))
        return mark


def _read_shapes(header: Element | None) -> dict[str, _HangulShape]:
    """Return the shapes of headings and items by their identifiers; other paragraphs have none."""
    shapes = dict[str, _HangulShape]()
    for element in () if header is None else header.iter("paraPr"):
        heading = element.find("heading")
        if heading is not None and heading.get("type") in (_OUTLINE, _NUMBER, _BULLET):
            shapes[element.get("id", "")] = _HangulShape(
                kind=heading.get("type", ""),
                list_id=heading.get("idRef", "0"),
                level=parse_count(heading.get("level")),
            )
    return shapes


def _read_hangul_lists(header: Element | None) -> Mapping[str, Mapping[int, NumberLevel]]:
    lists: Iterable[Element] = () if header is None else header.iter("numbering")
    return {
        element.get("id", ""): {
            parse_count(level.get("level"), 1) - 1: NumberLevel(
                number_format=level.get("numFormat", ""),
                pattern=level.text or "",
                start=parse_count(level.get("start"), 1),
            )
            for level in element.findall("paraHead")
        }
        for element in lists
    }
