"""Word documents (.docx, Office Open XML of ECMA-376) read as blocks.

What a reader of the printed text would not see is left out: deleted and hidden text, comments,
fields' instructions, headers and footers. Macros and pictures are never unpacked.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element

from gieok.text.late_pattern import defer_pattern
from gieok.text.office.blocks import BlockKind, OfficeBlock, TableCell, build_table
from gieok.text.office.limits import UnreadableDocument
from gieok.text.office.numbering import BULLET, ListNumbering, NumberLevel, parse_count
from gieok.text.office.package import OfficePackage

_MAIN_RELATION, _MAIN_PART = "officeDocument", "word/document.xml"
_HEADING_NAME = defer_pattern(r"heading\s?([1-9])", re.IGNORECASE)
_TITLE_NAME = "title"
#: Outline levels from this one on are body text.
_BODY_LEVEL = 9
#: What is not part of the text that a person reads. `Fallback` says again what stands before it.
_UNSEEN = frozenset(
    (
        *("del", "moveFrom", "delText", "instrText", "pPr", "rPr", "sdtPr", "sectPr", "tblPr"),
        *("rt", "Fallback", "altChunk"),
    )
)
_NOTE_REFERENCES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}
#: Elements between a table and its rows, or a row and its cells, that only mark these.
_WRAPPERS = ("sdt", "sdtContent", "customXml", "ins", "moveTo")
_MOST_PARENT_STYLES = 20


class _WordStyle(NamedTuple):
    """Style of paragraphs: its name, its parent, and its level of the outline and of a list."""

    name: str
    parent: str
    outline: int | None
    list_id: str
    level: int | None


class _ParagraphShape(NamedTuple):
    """How a paragraph stands: the level of a heading, or a list and the level in it."""

    heading: int | None
    list_id: str
    level: int


def read_docx(package: OfficePackage) -> list[OfficeBlock]:
    """Return the blocks of a Word document. Raises UnreadableDocument."""
    main = _read_relations(package, "").get(_MAIN_RELATION, _MAIN_PART)
    root = package.read_part(main)
    body = None if root is None else root.find("body")
    if body is None:
        raise UnreadableDocument("it holds no text of Word; save it again as .docx")
    return _DocxReader(package, main).read_body(body)


def _read_relations(package: OfficePackage, part: str) -> dict[str, str]:
    """Return the names of the parts that a part names, by what they are to it (`styles`)."""
    folder, name = posixpath.split(part)
    root = package.read_part(posixpath.join(folder, "_rels", f"{name}.rels"))
    return {
        relation.get("Type", "").rpartition("/")[2]: posixpath.normpath(
            posixpath.join("/", folder, relation.get("Target", ""))
        ).lstrip("/")
        for relation in (() if root is None else root)
        if relation.get("TargetMode") != "External"
    }


class _DocxReader:
    """Reads the paragraphs of a document with its styles, lists and notes."""

    def __init__(self, package: OfficePackage, main: str) -> None:
        self._package = package
        self._relations = _read_relations(package, main)
        self._styles = _read_styles(self._read_part("styles"))
        self._abstract_lists, lists, self._restarts = _read_lists(self._read_part("numbering"))
        self._numbering = ListNumbering(lists)
        self._notes = {
            part: _index_by_id(self._read_part(part)) for part in _NOTE_REFERENCES.values()
        }
        self._note_count = 0

    def _read_part(self, name: str) -> Element | None:
        return self._package.read_part(self._relations.get(name, ""))

    def read_body(self, body: Element) -> list[OfficeBlock]:
        """Return the blocks of a body, a cell, a text box or a note."""
        return [block for element in body for block in self._read_block(element)]

    def _read_block(self, element: Element) -> Iterable[OfficeBlock]:
        if element.tag == "p":
            return self._read_paragraph(element)
        if element.tag == "tbl":
            rows = _iter_inner(element, "tr")
            return build_table(
                [self._read_word_row(row) for row in rows if row.find("trPr/del") is None]
            )
        return () if element.tag in _UNSEEN else self.read_body(element)

    def _read_word_row(self, row: Element) -> list[TableCell]:
        return [self._read_cell(cell) for cell in _iter_inner(row, "tc")]

    def _read_cell(self, cell: Element) -> TableCell:
        properties = cell.find("tcPr")
        merge = None if properties is None else properties.find("vMerge")
        return TableCell(
            blocks=self.read_body(cell),
            columns=parse_count(_find_property(properties, "gridSpan"), 1),
            is_continued=merge is not None and merge.get("val", "continue") == "continue",
        )

    def _read_paragraph(self, paragraph: Element) -> list[OfficeBlock]:
        after = list[OfficeBlock]()
        text = "".join(self._iter_text(paragraph, after))
        shape = self._find_shape(paragraph.find("pPr"))
        return [*self._shape_paragraph(text, shape), *after]

    def _shape_paragraph(self, text: str, shape: _ParagraphShape) -> Iterator[OfficeBlock]:
        if not text.strip():
            return
        label = self._take_label(shape) if shape.list_id else ""
        if shape.heading is not None:
            label = "" if label == BULLET else label
            yield OfficeBlock(BlockKind.HEADING, text, shape.heading, label)
        elif label:
            yield OfficeBlock(BlockKind.ITEM, text, shape.level, label)
        else:
            yield OfficeBlock(BlockKind.PARAGRAPH, text)

    def _take_label(self, shape: _ParagraphShape) -> str:
        abstract = self._abstract_lists.get(shape.list_id, "")
        for level, start in self._restarts.pop(shape.list_id, {}).items():
            self._numbering.restart(abstract, level, start)
        return self._numbering.take_label(abstract, shape.level)

    def _iter_text(self, element: Element, after: list[OfficeBlock]) -> Iterator[str]:
        """Yield the text in an element; what stands in boxes and notes goes into `after`."""
        for child in element:
            tag = child.tag
            if tag == "t":
                yield child.text or ""
            elif tag == "tab":
                yield " "
            elif tag in ("br", "cr"):
                yield "\n" if child.get("type", "textWrapping") == "textWrapping" else " "
            elif tag == "noBreakHyphen":
                yield "-"
            elif tag == "txbxContent":
                after += self.read_body(child)
            elif tag in _NOTE_REFERENCES:
                yield self._read_note(_NOTE_REFERENCES[tag], child.get("id", ""), after)
            elif tag == "r" and _is_vanished(child):
                continue
            elif tag not in _UNSEEN:
                yield from self._iter_text(child, after)

    def _read_note(self, part: str, note_id: str, after: list[OfficeBlock]) -> str:
        """Return the mark of a footnote, and put its text into `after`. A note is read once."""
        note = self._notes[part].pop(note_id, None)
        if note is None:
            return ""
        self._note_count += 1
        mark = f"[^{self._note_count}]"
        words = " ".join(block.text for block in self.read_body(note))
        after.append(OfficeBlock(BlockKind.PARAGRAPH, f"{mark}: {words.strip()}"))
        return mark

    def _find_shape(self, properties: Element | None) -> _ParagraphShape:
        style_id = _find_property(properties, "pStyle") or ""
        outline = _parse_level(_find_property(properties, "outlineLvl"))
        list_id, level = _find_list(properties)
        for style in self._iter_styles(style_id):
            outline = style.outline if outline is None else outline
            level = style.level if level is None else level
            list_id = list_id or style.list_id
        heading = outline if outline is not None and outline < _BODY_LEVEL else None
        # Word's own list "0" is none: a paragraph leaves the list of its style by it.
        return _ParagraphShape(heading, "" if list_id == "0" else list_id, level or 0)

    def _iter_styles(self, style_id: str) -> Iterator[_WordStyle]:
        for _ in range(_MOST_PARENT_STYLES):
            style = self._styles.get(style_id)
            if style is None:
                return
            yield style
            style_id = style.parent


def _is_vanished(run: Element) -> bool:
    properties = run.find("rPr")
    vanish = None if properties is None else properties.find("vanish")
    return vanish is not None and vanish.get("val", "true") not in ("0", "false", "off")


def _find_property(properties: Element | None, name: str) -> str | None:
    found = None if properties is None else properties.find(name)
    return None if found is None else found.get("val")


def _parse_level(text: str | None) -> int | None:
    return None if text is None else parse_count(text, _BODY_LEVEL)


def _find_list(properties: Element | None) -> tuple[str, int | None]:
    """Return the list of a paragraph ('' where it names none) and the level in it."""
    place = None if properties is None else properties.find("numPr")
    level = _find_property(place, "ilvl")
    return _find_property(place, "numId") or "", None if level is None else parse_count(level)


def _index_by_id(root: Element | None) -> dict[str, Element]:
    return {} if root is None else {note.get("id", ""): note for note in root}


def _read_styles(root: Element | None) -> dict[str, _WordStyle]:
    styles = dict[str, _WordStyle]()
    for element in () if root is None else root.iter("style"):
        if element.get("type", "paragraph") != "paragraph":
            continue
        name = (_find_property(element, "name") or "").lower()
        properties = element.find("pPr")
        outline = _parse_level(_find_property(properties, "outlineLvl"))
        list_id, level = _find_list(properties)
        styles[element.get("styleId", "")] = _WordStyle(
            name=name,
            parent=_find_property(element, "basedOn") or "",
            outline=_level_of_name(name) if outline is None else outline,
            list_id=list_id,
            level=level,
        )
    return styles


def _level_of_name(name: str) -> int | None:
    """Return the level of a heading by the name of its style, which is English in all languages."""
    if name == _TITLE_NAME:
        return 0
    match = _HEADING_NAME.fullmatch(name)
    return int(match[1]) - 1 if match else None


def _read_lists(
    root: Element | None,
) -> tuple[dict[str, str], dict[str, dict[int, NumberLevel]], dict[str, dict[int, int]]]:
    """Return the shared list of each list, the levels of these, and where lists begin anew."""
    if root is None:
        return {}, {}, {}
    shared = {
        element.get("abstractNumId", ""): {
            parse_count(level.get("ilvl")): NumberLevel(
                number_format=_find_property(level, "numFmt") or "decimal",
                pattern=_find_property(level, "lvlText") or "",
                start=parse_count(_find_property(level, "start"), 1),
            )
            for level in element.findall("lvl")
        }
        for element in root.findall("abstractNum")
    }
    lists, restarts = dict[str, str](), dict[str, dict[int, int]]()
    for element in root.findall("num"):
        list_id = element.get("numId", "")
        lists[list_id] = _find_property(element, "abstractNumId") or ""
        restarts[list_id] = {
            parse_count(override.get("ilvl")): parse_count(start, 1)
            for override in element.findall("lvlOverride")
            if (start := _find_property(override, "startOverride")) is not None
        }
    return lists, shared, restarts


def _iter_inner(element: Element, tag: str) -> Iterator[Element]:
    """Yield the rows of a table, or the cells of a row."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _iter_inner(child, tag)
