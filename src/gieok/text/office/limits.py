"""Limits of what is unpacked of a document, and the error for a document beyond them."""

#: Largest file of a document. Its pictures count, but are never unpacked.
LARGEST_DOCUMENT_BYTES = 50_000_000
#: Bytes that all parts of one document may have when unpacked. A book of 900 pages has some 20 MB.
MOST_UNPACKED_BYTES = 64_000_000
MOST_PACKED_FILES = 10_000
#: Elements of one part that are kept in memory, and how deep they may stand in each other.
#: Text boxes in nested tables reach a depth of 40.
MOST_ELEMENTS = 1_000_000
DEEPEST_ELEMENT = 150
LONGEST_TEXT = 10_000_000


class UnreadableDocument(Exception):
    """A document that cannot be read as text; the message says why, and what to do."""
