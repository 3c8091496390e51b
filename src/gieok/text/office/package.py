"""Zip archive of XML parts, as word processors save documents.

Only parts that a reader names are unpacked, and each is bounded. A document type definition is
refused, because its entities can grow without end or name files of this machine.
"""

import io
import zipfile
import zlib
from collections.abc import Collection
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from gieok.text.office.limits import (
    DEEPEST_ELEMENT,
    LARGEST_DOCUMENT_BYTES,
    MOST_ELEMENTS,
    MOST_PACKED_FILES,
    MOST_UNPACKED_BYTES,
    UnreadableDocument,
)

#: First bytes of a compound file: the older formats .doc and .hwp, and documents with a password.
_COMPOUND_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DIRECTORY_MARK = b"PK\x01\x02"
_ENCRYPTED = 0x1
#: What `zipfile` raises for a damaged archive. A struct error is a ValueError in no release.
_DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)
_NAMES_APART = " "
_DAMAGED = "damaged: it cannot be unpacked; open it in its program and save it again"


class OfficePackage:
    """Opened document. Names of parts are paths without a slash in front."""

    def __init__(self, data: bytes) -> None:
        """Open the bytes of a document. Raises UnreadableDocument."""
        if data.startswith(_COMPOUND_MARK):
            raise UnreadableDocument(
                "an older format under this name, or locked by a password; save it again as .docx "
                "or .hwpx, without a password"
            )
        if len(data) > LARGEST_DOCUMENT_BYTES or data.count(_DIRECTORY_MARK) > MOST_PACKED_FILES:
            raise UnreadableDocument("too large to be unpacked; save it again without its pictures")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGES as error:
            raise UnreadableDocument(_DAMAGED) from error
        self._names = frozenset(self._archive.namelist())
        self._left_bytes = MOST_UNPACKED_BYTES

    @property
    def names(self) -> frozenset[str]:
        """Return the names of all parts."""
        return self._names

    def read_part(self, name: str, skipped: Collection[str] = ()) -> Element | None:
        """Return the root of an XML part, with local names; None where there is no such part.

        Elements named in `skipped` are left out with all that is in them. Raises
        UnreadableDocument.
        """
        return _parse_xml_part(self._unpack_part(name), skipped) if name in self._names else None

    def _unpack_part(self, name: str) -> bytes:
        try:
            facts = self._archive.getinfo(name)
            if facts.flag_bits & _ENCRYPTED:
                raise UnreadableDocument("locked by a password; save it again without one")
            if facts.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise UnreadableDocument(_DAMAGED)
            with self._archive.open(facts) as part:
                data = part.read(self._left_bytes + 1)
        except _DAMAGES as error:
            raise UnreadableDocument(_DAMAGED) from error
        self._left_bytes -= len(data)
        if self._left_bytes < 0:
            raise UnreadableDocument("too much text for one document when unpacked; divide it")
        return data


class _BoundedTree:
    """Handlers of an XML parser that build a tree within the limits."""

    def __init__(self, skipped: Collection[str]) -> None:
        self._builder = TreeBuilder()
        self._skipped = skipped
        self._depth = 0
        #: Depth of the outermost skipped element; 0 outside of any.
        self._skipped_from = 0
        self._count = 0

    def begin_element(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""
        self._depth += 1
        if self._depth > DEEPEST_ELEMENT:
            raise UnreadableDocument("damaged: its parts stand in each other without end")
        local = _cut_namespace(name)
        if self._skipped_from:
            return
        if local in self._skipped:
            self._skipped_from = self._depth
            return
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise UnreadableDocument("too much text for one document when unpacked; divide it")
        self._builder.start(local, {_cut_namespace(key): attributes[key] for key in attributes})

    def end_element(self, name: str) -> None:
        """End an element."""
        if not self._skipped_from:
            self._builder.end(_cut_namespace(name))
        elif self._skipped_from == self._depth:
            self._skipped_from = 0
        self._depth -= 1

    def add_text(self, text: str) -> None:
        """Add text to the element."""
        if not self._skipped_from:
            self._builder.data(text)

    def close(self) -> Element:
        """Return the root."""
        return self._builder.close()


def _cut_namespace(name: str) -> str:
    return name.rpartition(_NAMES_APART)[2]


def _refuse_definition(*_: object) -> NoReturn:
    raise UnreadableDocument("it defines entities of its own, which no word processor writes")


def _parse_xml_part(data: bytes, skipped: Collection[str]) -> Element:
    tree = _BoundedTree(skipped)
    parser = expat.ParserCreate(namespace_separator=_NAMES_APART)
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_definition
    parser.StartElementHandler = tree.begin_element
    parser.EndElementHandler = tree.end_element
    parser.CharacterDataHandler = tree.add_text
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise UnreadableDocument(_DAMAGED) from error
    return tree.close()
