"""Paths that a program works on: which it changes, deletes, reads, runs or commits."""

import posixpath

from gieok.text.gates.programs import CommandWords, list_searched_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: What happens to a path.
WRITE, DELETE, READ, RUN, COMMIT, USE = "write", "delete", "read", "run", "commit", "use"
#: It is sent to another machine, or to somebody.
SEND = "send"
_READERS = frozenset(
    """
    cat less more head tail bat grep egrep fgrep rg ag awk xxd od strings base64 nl cut uniq
    diff jq yq hexdump source . open view tac printenv gpg openssl
    """.split()
)
#: Programs that tell of a file without what stands in it.
_MEASURERS = frozenset("stat file wc cmp md5sum sha256sum cksum ls du".split())
_EDITORS = frozenset("vim vi nvim nano emacs ed code subl micro pico helix hx".split())
_WRITERS = frozenset(
    """
    touch truncate tee chmod chown chgrp patch dos2unix unix2dos black isort rustfmt mkdir
    ex
    """.split()
)
DELETERS = frozenset("rm rmdir unlink shred trash trash-put gio rimraf del".split())
_MOVERS = frozenset(("mv", "cp", "rsync", "scp", "ln", "install"))
#: Programs that work on all that lies below a folder.
_WHOLE_TREES = frozenset(("trash", "rimraf", "black", "isort"))
#: Programs that change what the folder in which they run describes, by these words.
_APPLIERS = {
    "terraform": "apply destroy import taint untaint run-all",
    "terragrunt": "apply destroy import taint untaint run-all",
    "tofu": "apply destroy import taint untaint",
    "pulumi": "up destroy import refresh",
    "cdk": "deploy destroy",
    "serverless": "deploy remove",
    "sam": "deploy delete",
}
#: Programs that send files away: the first words by which they do.
_SENDERS = {
    "aws": ("s3 cp", "s3 mv", "s3 sync"),
    "gsutil": ("cp", "mv", "rsync"),
    "gcloud": ("storage cp", "storage mv", "storage rsync"),
    "rclone": ("copy", "copyto", "sync", "move", "moveto"),
    "s3cmd": ("put", "sync"),
    "mc": ("cp", "mirror"),
    "gh": ("gist create", "release upload"),
    "wormhole": ("send",),
    "croc": ("send",),
}
#: Options by which a program sends a file, or what stands in it behind `@`.
_SENDING_OPTIONS = frozenset(
    (
        *("-F", "--form", "-T", "--upload-file", "-d", "--data", "--data-binary"),
        *("--data-urlencode", "--post-file", "--body-file"),
    )
)
#: What Git does to the paths that it is given.
_GIT_DEEDS = {
    "rm": "delete",
    "mv": "write",
    "restore": "write",
    "checkout": "write",
    "clean": "delete",
    "add": "commit",
    "commit": "commit",
}
_GIT_TREES = frozenset(("restore", "checkout", "clean"))
#: Formatters and the option by which they write.
_IN_PLACE = {
    "sed": ("-i", "--in-place"),
    "perl": ("-i", "-pi"),
    "prettier": ("--write", "-w"),
    "eslint": ("--fix",),
    "gofmt": ("-w",),
    "autopep8": ("-i", "--in-place"),
    "clang-format": ("-i",),
    "yq": ("-i", "--inplace"),
    "biome": ("--write", "--apply"),
    "sort": ("-o",),
    "ruff": ("--fix", "format"),
}

#: Names of the fields in which tools are given paths; a list holds paths, or rows with such fields.
PATH_FIELDS = (
    "file_path",
    "path",
    "notebook_path",
    "filePath",
    "absolute_path",
    "target_file",
    "directory",
    "files",
    "paths",
    "edits",
)
#: Words in the names of tools that change, delete, move or copy a file, or only read one.
EDITING = ("write", "edit", "replace", "patch", "create", "notebook")
DELETING = ("delete", "remove", "trash")
MOVING = ("move", "rename")
READING = ("read", "view", "cat", "open")


class TouchedPath:
    """Path that a tool works on: what happens to it, and whether all below it is meant."""

    __slots__ = ("deed", "is_tree", "path")

    def __init__(self, deed: str, path: str, *, is_tree: bool = False) -> None:
        self.deed, self.path, self.is_tree = deed, path, is_tree


def find_tool_deed(tool: str) -> str:
    """Return what a tool does to the paths that it is given, by the words in its name."""
    name = tool.lower()
    if any(word in name for word in DELETING):
        return DELETE
    if any(word in name for word in EDITING):
        return WRITE
    return READ if any(word in name for word in READING) else USE


def is_moving(tool: str) -> bool:
    """Return whether a tool moves files, by its name."""
    return any(word in tool.lower() for word in MOVING)


def expand_home(path: str) -> str:
    """Return a path with the user's own folder in place of `~` and `$HOME` at its beginning."""
    for name in ("$HOME", "${HOME}"):
        if path == name or path.startswith(f"{name}/"):
            path = f"~{path[len(name) :]}"
    return posixpath.expanduser(path)


def iter_touched_paths(
    path: str, parsed: CommandWords, arguments: "Sequence[str]"
) -> "Iterator[TouchedPath]":
    """Yield the paths that a program works on, as they are written; `path` is its own."""
    if "/" in path or path.endswith((".sh", ".py", ".js", ".ts", ".rb", ".pl")):
        yield TouchedPath(RUN, path)
    yield from _iter_argument_paths(parsed, arguments)


def _iter_argument_paths(
    parsed: CommandWords, arguments: "Sequence[str]"
) -> "Iterable[TouchedPath]":
    name, words = parsed.program, parsed.words
    if name in _MEASURERS:
        return []
    if name == "git":
        return _iter_git_paths(parsed, arguments)
    if name in _MOVERS:
        return _list_moved_paths(parsed)
    if name in _APPLIERS and words[:1] and words[0] in _APPLIERS[name].split():
        folders = [value for flag, value in parsed.values if flag in ("-chdir", "--cwd", "-C")]
        return [TouchedPath(WRITE, folder) for folder in folders or (".",)]
    if sent := _list_sent_words(parsed):
        return [TouchedPath(SEND, word, is_tree=True) for word in sent]
    if name == "find":
        is_deleting = "-delete" in parsed.flags
        paths = list_searched_paths(arguments) if is_deleting else ()
        return [TouchedPath(DELETE, path, is_tree=True) for path in paths]
    if name in _IN_PLACE:
        return _iter_formatted_paths(parsed)
    if name in ("dd", "curl", "wget"):
        return _iter_output_paths(parsed)
    if deed := _find_plain_deed(name):
        is_recursive = any(parsed.has_flag(flag) for flag in ("-r", "-R", "--recursive"))
        is_tree = deed != READ and (is_recursive or name in _WHOLE_TREES)
        return [TouchedPath(deed, word, is_tree=is_tree) for word in words]
    return [TouchedPath(USE, word) for word in words if "/" in word or "." in word]


def _list_moved_paths(parsed: CommandWords) -> "list[TouchedPath]":
    """Return what is moved or copied, and where to; what goes to another machine is sent."""
    *taken, target = parsed.words or [""]
    moved = DELETE if parsed.program == "mv" else READ
    deeds = (moved, SEND) if ":" in target else (moved,)
    sources = [TouchedPath(deed, word, is_tree=True) for deed in deeds for word in taken]
    return [*sources, TouchedPath(WRITE, target)] if target else sources


def _list_sent_words(parsed: CommandWords) -> "Sequence[str]":
    """Return the files and folders that a program sends away by its first words."""
    for first in _SENDERS.get(parsed.program, ()):
        taken = first.split()
        if parsed.words[: len(taken)] == taken:
            words = parsed.words[len(taken) :]
            sources = words[:-1] if len(words) > 1 else words
            return [word for word in sources if "://" not in word]
    return ()


def _find_plain_deed(name: str) -> str:
    """Return what a program does to all the paths that it is given; '' where it is not known."""
    if name in DELETERS:
        return DELETE
    if name in _WRITERS or name in _EDITORS:
        return WRITE
    return READ if name in _READERS else ""


def _iter_formatted_paths(parsed: CommandWords) -> "Iterator[TouchedPath]":
    name, words = parsed.program, parsed.words
    marks = _IN_PLACE[name]
    is_writing = any(parsed.has_flag(mark) or mark in words for mark in marks) or any(
        flag.startswith(("-i", "-pi")) for flag in parsed.flags if "-i" in marks
    )
    for word in words[1:] if name in ("sed", "perl") and len(words) > 1 else words:
        yield TouchedPath(WRITE if is_writing else READ, word, is_tree=is_writing)


def _iter_output_paths(parsed: CommandWords) -> "Iterator[TouchedPath]":
    for word in parsed.words:
        if parsed.program == "dd" and word.startswith("of="):
            yield TouchedPath(WRITE, word[3:])
    for flag, value in parsed.values:
        if flag in ("-o", "--output", "-O"):
            yield TouchedPath(WRITE, value)
        elif flag in _SENDING_OPTIONS:
            is_file = flag in ("-T", "--upload-file", "--post-file", "--body-file")
            if is_file or "@" in value:
                yield TouchedPath(SEND, value.rpartition("@")[2].partition(";")[0])


def _iter_git_paths(parsed: CommandWords, arguments: "Sequence[str]") -> "Iterator[TouchedPath]":
    command, *words = parsed.words or [""]
    behind = list(arguments[arguments.index("--") + 1 :]) if "--" in arguments else []
    deed = _GIT_DEEDS.get(command, "")
    if command == "mv":
        for word in words[:-1]:
            yield TouchedPath(DELETE, word, is_tree=True)
        words = words[-1:]
    elif command == "checkout" and not behind:
        return
    elif command == "clean" and not (behind or words):
        words = ["."]
    for word in behind or words if deed else ():
        is_tree = command in _GIT_TREES or (command == "rm" and parsed.has_flag("-r"))
        yield TouchedPath(deed, word, is_tree=is_tree)
