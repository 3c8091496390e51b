"""Names in a statement by which it bears on an action: files, symbols, programs, errors.

Only what is written as a name counts: a path, a word of code, a quotation. Imported by the hook:
see the package.
"""

import re
from itertools import pairwise

#: A path with a folder, a file with an ending, or a folder that ends with a slash.
_PATH = re.compile(
    r"(?<![\w/.@:~-])(?:~?/)?(?:[\w.@-]+/)+(?:[\w@-][\w.@-]*\w)?"
    r"|(?<![\w/.@:-])[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![A-Za-z0-9_])"
)
#: A Korean particle behind a name.
_PARTICLE = re.compile(r"(?<=[A-Za-z0-9_/])[가-힣]+$")
_VERSION = re.compile(r"v?\d[\d.]*\w{0,3}")
_SENTENCE_END = re.compile(r"[a-z]\.[A-Z][a-z]+")
_ADDRESS = re.compile(r"(?i)\b(?:https?|ssh|git|ftp|postgres\w*|redis|mysql|amqp)://\S+|\bwww\.\S+")
_CODE = re.compile(r"`([^`\n]{2,120})`")
_QUOTED = re.compile(r"[\"“'‘「]([^\"“”'‘’「」\n]{6,120})[\"”'’」]")
#: A word that people write in code alone: with an underscore, an inner capital, or all in capitals.
_IDENTIFIER = re.compile(
    r"(?a)(?<![\w./-])(?:[A-Za-z]+_\w+|[a-z]+[A-Z]\w+|(?:[A-Z][a-z0-9]+){2,}"
    r"|[A-Z][A-Z0-9_]{4,})(?![\w/-])"
)
_PLAIN = re.compile(r"(?a)[A-Za-z]+|[^A-Za-z\s]")
_COMMON = frozenset(
    """
    the an to of in on at is are was be it its and or not no for from with by as this that we you
    they must should never always only all any so but if when than then into out up do does
    """.split()
)
_MOST_PAIRS = 16
#: Words for a folder, behind its name or a Korean one.
_FOLDER = re.compile(
    r"(?ai)(?<![\w./-])([a-z][\w-]{2,}) (?:modules?|folders?|director(?:y|ies)|packages?|crates?)"
    r"\b"
    r"|(?<![\w./-])([a-z][\w-]{2,}) ?(?:모듈|폴더|디렉터리|디렉토리|패키지)"
)
#: A word that begins with a capital, and no sentence begins with it.
_CAPITALISED = re.compile(r"(?a)(?<=[a-z,] )[A-Z][a-z]{3,}\b")
_CALLED = re.compile(r"(?a)(?<![\w./-])([A-Za-z_]\w{3,})\(\)")
_ERROR_CODE = re.compile(r"(?a)\b(?:[A-Z]{1,6}-?\d{3,6}|E[A-Z]{4,}|[A-Z][A-Z0-9]*_[A-Z0-9_]{4,})\b")
_WORD = re.compile(r"(?a)[A-Za-z][\w.+-]*")
_LEAST_SYMBOL = 5
_LEAST_MARK = 5
#: A path of more parts is matched by its last ones.
_MOST_PARTS = 8


def list_paths(text: str) -> "list[str]":
    """Return the files and folders that a text names, without a leading `./` or `/`.

    A folder ends with a slash.
    """
    text = _ADDRESS.sub(" ", text)
    found: dict[str, None] = {}
    for match in _PATH.finditer(text):
        path = _PARTICLE.sub("", match[0])
        path = path.lstrip("~").lstrip("/").removeprefix("./").rstrip(".")
        if _VERSION.fullmatch(path) or (_SENTENCE_END.search(path) and "/" not in path):
            continue
        if "/" in path and "." not in path.rpartition("/")[2] and not path.endswith("/"):
            path += "/"
        if len(path.strip("/.")) > 1:
            found["/".join(path.split("/")[-_MOST_PARTS:])] = None
    for match in _FOLDER.finditer(text):
        name = match[1] or match[2]
        if name.lower() not in _COMMON:
            found[f"*/{name.lower()}/"] = None
    return list(found)


def list_symbols(text: str) -> "list[str]":
    """Return the names of functions, classes and the like that a text writes as code."""
    found = dict.fromkeys(_IDENTIFIER.findall(text))
    found |= dict.fromkeys(_CALLED.findall(text))
    for code in _CODE.findall(text):
        word = code.removesuffix("()")
        if word.isidentifier():
            found[word] = None
    return [word for word in found if len(word) >= _LEAST_SYMBOL]


def fold_stem(name: str) -> str:
    """Return the letters of a name of a file or a class, by which both are one: `ChatRoom`,
    `chat_room.dart`.
    """
    return re.sub(r"[^a-z0-9]", "", name.lower())


def list_stems(text: str) -> "list[str]":
    """Return the folded names that may be those of files: of classes, capitalised words inside a
    sentence, and pairs of words, which may be a folder with a file in it (`upstream client`).
    """
    words = [*_IDENTIFIER.findall(text), *_CAPITALISED.findall(text)]
    plain = _PLAIN.findall(_PATH.sub(".", text))
    pairs = [
        first + second
        for first, second in pairwise(plain)
        if {first, second}.isdisjoint(_COMMON) and f"{first}{second}".islower()
    ]
    stems = dict.fromkeys(map(fold_stem, (*words, *pairs[:_MOST_PAIRS])))
    return [stem for stem in stems if len(stem) >= _LEAST_SYMBOL]


def list_programs(text: str, known: "frozenset[str]") -> "list[str]":
    """Return the programs that a text names: of those known, and what its code begins with."""
    words = {word.rstrip(".") for word in _WORD.findall(text)}
    return sorted(words & known)


def list_marks(text: str) -> "list[str]":
    """Return what may stand word for word in an error: quotations, error codes, pieces of code."""
    found: dict[str, None] = {}
    for words in (*_CODE.findall(text), *_QUOTED.findall(text)):
        if len(words) >= _LEAST_MARK and (" " in words.strip() or _ERROR_CODE.fullmatch(words)):
            found[words.strip()] = None
    found |= dict.fromkeys(_ERROR_CODE.findall(text))
    found |= dict.fromkeys(
        word for word in _IDENTIFIER.findall(text) if word.endswith(("Error", "Exception"))
    )
    return [mark for mark in found if len(mark) >= _LEAST_MARK]


def names_path(named: str, path: str) -> bool:
    """Return whether a named file or folder is the file of a path (relative to the project).

    A folder is one above the file. A file is known by its last parts, a folder of one part by the
    beginning of the path alone, unless it is called a folder (`*/name/`).
    """
    if named.startswith("*/"):
        return named[2:-1] in [part.lower() for part in path.split("/")[:-1]]
    parts = [part for part in path.split("/") if part not in ("", ".")]
    wanted = [part for part in named.split("/") if part not in ("", ".")]
    if not wanted or len(wanted) > len(parts):
        return False
    if not named.endswith("/"):
        return parts[-len(wanted) :] == wanted
    folders = parts[:-1]
    if len(wanted) == 1:
        return folders[:1] == wanted
    return any(
        folders[start : start + len(wanted)] == wanted
        for start in range(len(folders) - len(wanted) + 1)
    )
