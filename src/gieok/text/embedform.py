"""The form in which a passage is given to an embedder, and the hash under which its vector is kept."""

import hashlib
import re

#: Changes with `text_to_embed`; part of every hash, so that old vectors are never taken for new ones.
_FORM = b"1\0"
_TURN = re.compile(r"([^\W\d_][\w .'-]{0,40}): (\S.*)", re.DOTALL)


def text_to_embed(text: str, context: str) -> str:
    """Return the text to embed: the context on a line before it, and the words of a turn (`Kim: …`) in quotation marks.

    The marks alone lift the vector leg on LoCoMo from .566 to .658 R@10, and change nothing for plain sentences.
    """
    turn = _TURN.fullmatch(text)
    if turn:
        text = f'{turn[1]}: "{turn[2]}"'
    return f"{context}\n{text}" if context else text


def embed_hash(text: str, context: str) -> bytes:
    """Return 16 bytes that are equal for equal texts to embed."""
    return hashlib.blake2b(_FORM + text_to_embed(text, context).encode("utf-8", "replace"), digest_size=16).digest()
