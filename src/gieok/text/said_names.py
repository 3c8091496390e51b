"""Names in a statement by which it bears on an edit: files and symbols.

Only what is written as a name counts: a path or a word of code. A word that also is the name of a
file says nothing. Imported by the hook, before an edit that memory may know of.
"""

import re

#: The patterns are strings, which `re` compiles at their first use: the hook needs none of them.
#: A path with a folder, a file with an ending, or a folder that ends with a slash.
_PATH = (
    r"(?<![\w/.@:~-])(?:~?/)?(?:[\w.@-]+/)+(?:[\w@-][\w.@-]*\w)?"
    r"|(?<![\w/.@:-])[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![A-Za-z0-9_])"
)
#: A Korean particle behind a name.
_PARTICLE = r"(?<=[A-Za-z0-9_/])[가-힣]+$"
_VERSION = r"v?\d[\d.]*\w{0,3}"
_SENTENCE_END = r"[a-z]\.[A-Z][a-z]+"
_ADDRESS = r"(?i)\b(?:https?|ssh|git|ftp|postgres\w*|redis|mysql|amqp)://\S+|\bwww\.\S+"
_CODE = r"`([^`\n]{2,120})`"
#: A word that people write in code alone: snake_case, camelCase, PascalCase of two words.
_IDENTIFIER = r"(?a)(?<![\w./-])(?:[A-Za-z]+_\w+|[a-z]+[A-Z]\w+|(?:[A-Z][a-z0-9]+){2,})(?![\w/-])"
_CODE_NAME = r"(?a)[A-Za-z_][\w-]*"
_LEAST_CHARS = 5
#: A path of more parts is matched by its last ones.
_MOST_PARTS = 8


def list_paths(text: str) -> "list[str]":
    """Return the files and folders that a text names, without a leading `./` or `/`.

    A folder ends with a slash; what may be one, or a file without its ending, has none.
    """
    text = re.sub(_ADDRESS, " ", text)
    found: dict[str, None] = {}
    for match in re.finditer(_PATH, text):
        path = re.sub(_PARTICLE, "", match[0])
        path = path.lstrip("~").lstrip("/").removeprefix("./").rstrip(".")
        if re.fullmatch(_VERSION, path) or (re.search(_SENTENCE_END, path) and "/" not in path):
            continue
        if len(path.strip("/.")) > 1:
            found["/".join(path.split("/")[-_MOST_PARTS:])] = None
    return list(found)


def list_symbols(text: str) -> "list[str]":
    """Return the names of functions, classes, modules and the like that a text writes as code."""
    found = dict.fromkeys(re.findall(_IDENTIFIER, re.sub(_ADDRESS, " ", text)))
    codes = (code.removesuffix("()") for code in re.findall(_CODE, text))
    found |= dict.fromkeys(code for code in codes if re.fullmatch(_CODE_NAME, code))
    return [word for word in found if len(word) >= _LEAST_CHARS]


def fold_stem(name: str) -> str:
    """Return the letters of a name of a file or a class, by which both are one: `ChatRoom`,
    `chat_room.dart`.
    """
    return re.sub(r"[^a-z0-9]", "", name.lower())


def names_path(named: str, path: str) -> bool:
    """Return whether a named file or folder is the file of a path (relative to the project).

    A folder is one above the file. A file is known by its last parts, without its ending where a
    folder is named too; a folder of one part by the beginning of the path alone.
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]
    wanted = [part for part in named.split("/") if part not in ("", ".")]
    if not wanted or len(wanted) > len(parts):
        return False
    if not named.endswith("/"):
        last = parts[-len(wanted) :]
        if last == wanted or (wanted[1:] and [*last[:-1], _strip_ending(last[-1])] == wanted):
            return True
        if not wanted[1:]:
            return False
    folders = parts[:-1]
    if len(wanted) == 1:
        return folders[:1] == wanted
    return any(
        folders[start : start + len(wanted)] == wanted
        for start in range(len(folders) - len(wanted) + 1)
    )


def _strip_ending(name: str) -> str:
    return name.partition(".")[0] or name
