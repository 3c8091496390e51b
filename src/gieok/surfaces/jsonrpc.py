"""Validation of JSON-RPC 2.0 lines, as MCP uses them; every request gets an answer."""

import json
from typing import NamedTuple

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32602, -32603
#: Deepest nesting that is read: no tool takes nested arguments, and the code that reads arguments
#: recurses to their depth.
_DEEPEST = 200
#: Prefix of the notifications, which need no answer. Any other message without an id is a request
#: whose answer could not be addressed.
_NOTIFICATIONS = "notifications/"


class Refusal(NamedTuple):
    """JSON-RPC error to answer with; `id` is the request's, or None where no id could be read."""

    id: str | int | None
    code: int
    message: str


def build_rpc_error(
    id_: str | int | None, code: int, message: str, data: object = None
) -> dict[str, object]:
    """Return an error as a JSON-RPC message."""
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": id_, "error": error}


def refusal(line: bytes) -> Refusal | None:
    """Return the error to answer an invalid line with; None for a valid message."""
    try:
        message = json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        return Refusal(None, PARSE_ERROR, f"the message is not UTF-8 (byte {error.start})")
    except RecursionError:
        return Refusal(None, PARSE_ERROR, "the message is nested too deeply")
    except ValueError as error:  # JSONDecodeError, a number that is too long
        return Refusal(
            None,
            PARSE_ERROR,
            f"the message is not JSON: {error}" if line.strip() else "the message is empty",
        )
    if isinstance(message, list):
        return Refusal(
            None,
            INVALID_REQUEST,
            "this version of the protocol has no batches; send one message at a time",
        )
    if not isinstance(message, dict):
        return Refusal(None, INVALID_REQUEST, "the message is no object")
    return _find_rpc_fault(message, line)


def _find_rpc_fault(message: dict[str, object], line: bytes) -> Refusal | None:
    id_ = message.get("id")
    known = id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None
    if _has_surrogate(known):
        known = None
    method = message.get("method")
    problem, code = "", INVALID_REQUEST
    if message.get("jsonrpc") != "2.0":
        problem = '`jsonrpc` must be "2.0"'
    elif "id" in message and known is None and not _is_rpc_answer(message):
        problem = "`id` must be a string or a whole number"
    elif not isinstance(method, str):
        problem = "" if _is_rpc_answer(message) else "`method` must be a string"
    elif "id" not in message and not method.startswith(_NOTIFICATIONS):
        problem = f"{method!r} needs an `id`"
    elif not isinstance(message.get("params"), dict | None):
        problem, code = "`params` must be an object", INVALID_PARAMS
    elif _measure_json_depth(message) > _DEEPEST:
        problem = "the message is nested too deeply"
    elif b"\\u" in line and _has_surrogate(json.dumps(message, ensure_ascii=False)):
        problem, code = "a text holds half of a surrogate pair", INVALID_PARAMS
    return Refusal(known, code, problem) if problem else None


def _measure_json_depth(message: object) -> int:
    depth, level = 0, [message]
    while level:
        depth += 1
        below = (
            value.values() if isinstance(value, dict) else value
            for value in level
            if isinstance(value, dict | list)
        )
        level = [inner for inside in below for inner in inside]
    return depth


def _is_rpc_answer(message: dict[str, object]) -> bool:
    return "method" not in message and ("result" in message or "error" in message)


def _has_surrogate(text: object) -> bool:
    return isinstance(text, str) and any("\ud800" <= letter <= "\udfff" for letter in text)


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no number of JSON")
