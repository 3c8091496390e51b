"""Blocks of a document (headings, paragraphs, items of lists, tables), rendered as Markdown."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from gieok.text.office.limits import LONGEST_TEXT, UnreadableDocument

#: A table with a longer cell is layout: its cells are read one after the other.
_LONGEST_CELL = 1_000
_MOST_COLUMNS = 1_000
_DEEPEST_HEADING, _DEEPEST_ITEM = 6, 8
_TOO_LONG = "too much text for one document; divide it"


class BlockKind(Enum):
    """Kind of a block."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    TABLE = "table"


class OfficeBlock(NamedTuple):
    """Block of a document.

    `level` counts from 0: of a heading, or of an item. `label` stands before an item or heading,
    such as `-` or `2.`.
    """

    kind: BlockKind
    text: str
    level: int = 0
    label: str = ""


class TableCell(NamedTuple):
    """Cell of a table: what is in it, its column where the file says it, and what it spans.

    `is_continued`: it is the lower part of the cell above it.
    """

    blocks: Sequence[OfficeBlock]
    column: int | None = None
    columns: int = 1
    rows: int = 1
    is_continued: bool = False


def render_blocks(blocks: Iterable[OfficeBlock]) -> str:
    """Return blocks as Markdown. Raises UnreadableDocument for a text that is too long."""
    lines = list[str]()
    before: BlockKind | None = None
    length = 0
    for block in blocks:
        text = _render_block(block)
        length += len(text)
        if length > LONGEST_TEXT:
            raise UnreadableDocument(_TOO_LONG)
        if not text.strip():
            before = None
            continue
        if lines and not before is block.kind is BlockKind.ITEM:
            lines.append("")
        lines.append(text)
        before = block.kind
    return "\n".join(lines) + "\n" if lines else ""


def _render_block(block: OfficeBlock) -> str:
    if block.kind in (BlockKind.PARAGRAPH, BlockKind.TABLE):
        return "\n".join(line.rstrip() for line in block.text.strip().split("\n"))
    words = " ".join(block.text.split())
    if not words:
        return ""
    labelled = f"{block.label} {words}" if block.label else words
    if block.kind is BlockKind.HEADING:
        return f"{'#' * min(block.level + 1, _DEEPEST_HEADING)} {labelled}"
    return "  " * min(block.level, _DEEPEST_ITEM) + labelled


def build_table(rows: Sequence[Sequence[TableCell]]) -> list[OfficeBlock]:
    """Return the blocks of a table.

    A frame and a table that lays out a page are read cell by cell; other tables row by row.
    Columns and rows without text are left out. Raises UnreadableDocument.
    """
    one_by_one = [block for row in rows for cell in row for block in cell.blocks]
    if _is_layout(rows):
        return one_by_one
    placed = [texts for texts in _place_cells(rows) if any(texts.values())]
    columns = sorted({column for texts in placed for column, text in texts.items() if text})
    if len(columns) <= 1:
        return one_by_one
    lines = [_format_row([texts.get(column, "") for column in columns]) for texts in placed]
    lines.insert(1, _format_row(["---"] * len(columns)))
    return [OfficeBlock(BlockKind.TABLE, "\n".join(lines))]


def _format_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _is_layout(rows: Sequence[Sequence[TableCell]]) -> bool:
    cells = [cell for row in rows for cell in row]
    return (
        all(len(row) <= 1 for row in rows)
        or any(block.kind is BlockKind.TABLE for cell in cells for block in cell.blocks)
        or any(sum(len(block.text) for block in cell.blocks) > _LONGEST_CELL for cell in cells)
    )


def _place_cells(rows: Sequence[Sequence[TableCell]]) -> Iterator[Mapping[int, str]]:
    """Yield the texts of each row by column.

    A cell that spans rows is said in each of them, so that a row is understood alone.
    """
    #: Column → text and number of rows that a cell from above still covers.
    covering = dict[int, tuple[str, int]]()
    texts = dict[int, str]()
    length = 0
    for row in rows:
        above = texts
        texts = {column: text for column, (text, _) in covering.items()}
        below = {column: (text, left - 1) for column, (text, left) in covering.items() if left > 1}
        column = 0
        for cell in row:
            column = _find_free_column(texts, column if cell.column is None else cell.column)
            text = above.get(column, "") if cell.is_continued else _flatten_cell(cell)
            texts[column] = text
            if cell.rows > 1:
                below[column] = (text, cell.rows - 1)
            column += max(1, min(cell.columns, _MOST_COLUMNS))
        covering = below
        length += sum(len(text) + 1 for text in texts.values())
        if length > LONGEST_TEXT:
            raise UnreadableDocument(_TOO_LONG)
        yield texts


def _find_free_column(texts: Mapping[int, str], column: int) -> int:
    column = max(column, 0)
    while column in texts:
        column += 1
    if column >= _MOST_COLUMNS:
        raise UnreadableDocument("damaged: a table has more columns than a page can show")
    return column


def _flatten_cell(cell: TableCell) -> str:
    parts = (
        " ".join(f"{block.label} {block.text}".split())
        if block.kind is not BlockKind.ITEM or block.label != "-"
        else " ".join(block.text.split())
        for block in cell.blocks
    )
    return " / ".join(filter(None, parts)).replace("|", "\\|")
