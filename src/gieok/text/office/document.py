"""Reads a document as Markdown text, by the kind of its file."""

from gieok.text.office.blocks import OfficeBlock, render_blocks
from gieok.text.office.limits import UnreadableDocument
from gieok.text.office.package import OfficePackage

#: To be raised whenever documents would be read differently: they are then read anew.
OFFICE_VERSION = 1


def read_office_bytes(data: bytes, suffix: str) -> str:
    """Return the text of a document (`.docx`, `.hwpx`) as Markdown.

    Headings, paragraphs, lists and the rows of tables are kept. Raises UnreadableDocument.
    """
    package = OfficePackage(data)
    try:
        text = render_blocks(_read_blocks(package, suffix))
    except RecursionError as error:
        raise UnreadableDocument("damaged: its parts stand in each other without end") from error
    if not text:
        raise UnreadableDocument("it holds no text; pictures of text are not read")
    return text


def _read_blocks(package: OfficePackage, suffix: str) -> list[OfficeBlock]:
    if suffix == ".docx":
        from gieok.text.office.docx import read_docx

        return read_docx(package)
    from gieok.text.office.hwpx import read_hwpx

    return read_hwpx(package)
