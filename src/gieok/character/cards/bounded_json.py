"""Reader of untrusted JSON, bounded in bytes, values and depth.

NaN is refused, and no text keeps an unpaired surrogate.
"""

import json
import math
import re

from gieok.errors import BadRequest, Phrase

MOST_BYTES = 8 << 20
_MOST_VALUES = 300_000
_DEEPEST = 64
#: Extra room for JSON that was read and written anew, with numbers in full and in the form of the
#: newest version.
_MORE = 4
_HINT = "save the card again with the program that made it"
#: Unpaired surrogates cannot be written as UTF-8; PostgreSQL stores no NUL.
_UNWRITABLE = re.compile(r"[\ud800-\udfff\0]")

#: A value of JSON; objects and lists hold such values.
Json = object


def parsed(data: bytes, what: str, *, is_kept: bool = False) -> dict[str, Json]:
    """Return the object in JSON bytes; characters that cannot be stored are replaced.

    `is_kept`: the JSON was read before and written anew, which may take more room. Raises
    BadRequest.
    """
    most = MOST_BYTES * (_MORE if is_kept else 1)
    if len(data) > most:
        raise BadRequest(
            "{what} has {count:,} bytes of JSON: at most {most:,} are read",
            what=Phrase(what),
            count=len(data),
            most=most,
            hint=_HINT,
        )
    if sum(map(data.count, (b",", b"[", b"{"))) > _MOST_VALUES * (_MORE if is_kept else 1):
        raise BadRequest(
            "{what} has more than {most:,} values", what=Phrase(what), most=_MOST_VALUES, hint=_HINT
        )
    try:
        document = json.loads(
            data.decode("utf-8-sig"),
            parse_constant=_refuse_json_constant,
            parse_float=_parse_finite_float,
        )
    except (ValueError, RecursionError) as error:
        raise BadRequest(
            "{what} is no JSON in UTF-8: {error}", what=Phrase(what), error=error, hint=_HINT
        ) from error
    if not isinstance(document, dict):
        raise BadRequest("{what} is no JSON object", what=Phrase(what), hint=_HINT)
    return _mended_object(document, what, _DEEPEST * (_MORE if is_kept else 1))


def format_compact_json(value: Json) -> str:
    """Return JSON as text, the same for the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _refuse_json_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


def _parse_finite_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is too large")
    return number


def _mended_object(value: dict[str, Json], what: str, left: int) -> dict[str, Json]:
    return {
        _mended_text(key): _mend_json_value(item, what, left - 1) for key, item in value.items()
    }


def _mend_json_value(value: Json, what: str, left: int) -> Json:
    if left < 0:
        raise BadRequest(
            "{what} is nested too deep: more than {deepest} levels",
            what=Phrase(what),
            deepest=_DEEPEST,
            hint=_HINT,
        )
    if isinstance(value, str):
        return _mended_text(value)
    if isinstance(value, dict):
        return _mended_object(value, what, left)
    return (
        [_mend_json_value(item, what, left - 1) for item in value]
        if isinstance(value, list)
        else value
    )


def _mended_text(text: str) -> str:
    return (
        text
        if text.isascii() and "\0" not in text
        else _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    )
