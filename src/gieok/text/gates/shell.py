"""Reads a POSIX command line into the programs that it would run, without running anything.

Quotes, lists, pipes, subshells, substitutions, here documents, assignments and redirections are
understood; a program that runs another one (`sudo`, `env`, `bash -c`, `xargs`, `ssh`) gives way to
it. What cannot be known before the line runs (the value of a variable from outside) stays as it is
written. Standard library without `shlex`, whose import the hook has no time for.
"""

import posixpath
import re

from gieok.text.gates import programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: What is larger is not read at all, in any of these: characters, also of what variables and
#: substitutions grow into; programs; scripts in scripts.
_MOST_CHARS = 20_000
_MOST_GROWN_CHARS = 100_000
_MOST_PROGRAMS = 128
_MOST_DEPTH = 6
#: A longer value is not put in the place of its variable.
_LONGEST_VALUE = 1_000
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))", re.ASCII)
_SEPARATORS = ("&&", "||", ";;", "|&", ";", "|", "&", "\n")
_KEYWORDS = frozenset(
    ("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}", "time")
)
#: Behind or before these a program's failure does not show in the status of the line.
_HIDING = frozenset(_SEPARATORS) - {"&&"}
#: A substitution that only prints what stands in the line itself.
_HERE_TEXT = r"(?s)\s*cat <<-? ?(['\"]?)(\w+)\1\s(?:(?!\b\2\b).)*+\b\2\s*$"
#: Options by which `find` runs a program: a failure of it is none of `find`.
_FOUND_COMMANDS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
#: Programs that give a line to a shell which is not read, or change how the line itself ends.
_UNREAD = frozenset(("su", "runuser", "sg", "script", "flock", "trap"))
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "fish"))


class ShellWord:
    """Word of a command line: its text without quotes, and whether an unquoted operator."""

    __slots__ = ("is_operator", "is_quoted", "text")

    def __init__(self, text: str, *, is_operator: bool = False, is_quoted: bool = False) -> None:
        self.text = text
        self.is_operator = is_operator
        self.is_quoted = is_quoted


class Invocation:
    """One program that a command line would run.

    `program` is the name without its folder, `path` the program as it is written, `arguments` what
    follows. `folder` is where it runs, relative to where the line starts, or absolute; `branch` is
    the Git branch that the line checked out before, '' for none; `hosts` are machines on which it
    runs; `is_script`: an interpreter runs it; `written` are the files that a
    redirection replaces or extends; `piped_into` is the next program of the pipe.
    """

    __slots__ = (
        "arguments",
        "assignments",
        "branch",
        "folder",
        "hosts",
        "is_script",
        "path",
        "piped_into",
        "program",
        "stdin",
        "written",
    )

    def __init__(self, path: str, arguments: "Sequence[str]", folder: str = "") -> None:
        self.path = path
        self.program = path.rpartition("/")[2]
        self.arguments = list(arguments)
        self.folder = folder
        self.assignments: dict[str, str] = {}
        self.branch = ""
        self.hosts: tuple[str, ...] = ()
        self.is_script = False
        self.piped_into = ""
        self.stdin = ""
        self.written: tuple[str, ...] = ()


class LineTooLargeError(Exception):
    """A line is larger than what is read."""


class _ShellBudget:
    """What may still be read of a line; `spend` raises LineTooLargeError where it is used up.

    `hides_failure`: in what was read, a program may fail and the line's exit status be 0.
    """

    __slots__ = ("chars", "hides_failure", "programs")

    def __init__(self) -> None:
        self.chars = _MOST_GROWN_CHARS
        self.programs = _MOST_PROGRAMS
        self.hides_failure = False

    def spend(self, *, chars: int, programs: int = 0) -> None:
        """Take some of it."""
        self.chars -= chars
        self.programs -= programs
        if self.chars < 0 or self.programs < 0:
            raise LineTooLargeError


class _ShellState:
    """What a line has changed so far: the folder, variables, the branch of Git."""

    __slots__ = ("branch", "budget", "folder", "variables")

    def __init__(self, budget: _ShellBudget, folder: str = "") -> None:
        self.budget = budget
        self.folder = folder
        self.branch = ""
        self.variables: dict[str, str] = {}


def read_shell_line(line: str) -> "list[Invocation]":
    """Return the programs that a command line would run, in order.

    A line with an open quote is read as far as it goes. Nothing is returned for a line that is
    longer, runs more programs, or grows larger than what is read in linear time.
    """
    try:
        return read_whole_line(line)
    except LineTooLargeError:
        return []


def is_known_by_exit(line: str) -> bool:
    """Say whether the exit status 0 of a command line means that all of its programs worked.

    In a pipe, a list with `;` or `||`, in the background, in a condition and in a substitution it
    does not; nor in a script of a line that holds one of these, nor where a program is told to go
    on behind a failure.
    """
    budget = _ShellBudget()
    try:
        found = _read_bounded_line(line, budget)
        for invocation in found:
            _read_shell_in_arguments(invocation, budget)
    except LineTooLargeError:
        return False
    return not budget.hides_failure and not any(map(_ignores_failure, found))


def _ignores_failure(invocation: Invocation) -> bool:
    """Say whether a program may end with 0 although what it runs failed."""
    if invocation.program == "find":
        return not _FOUND_COMMANDS.isdisjoint(invocation.arguments)
    if invocation.program in ("make", "gmake"):
        return any(re.match(r"--ignore-errors$|-[a-zA-Z]*i", a) for a in invocation.arguments)
    return invocation.program in _UNREAD


def read_whole_line(line: str) -> "list[Invocation]":
    """Return the programs that a command line would run, in order. Raises LineTooLargeError."""
    return _read_bounded_line(line, _ShellBudget())


def _read_bounded_line(line: str, budget: _ShellBudget) -> "list[Invocation]":
    if len(line) > _MOST_CHARS:
        raise LineTooLargeError
    return _read_script(line, _ShellState(budget), 0) if line else []


def _hides_failure(words: "Sequence[ShellWord]", substitutions: "Sequence[str]") -> bool:
    """Say whether a program of a script may fail although the script ends with 0."""
    return not all(map(_is_here_text, substitutions)) or any(
        word.text in _HIDING if word.is_operator else word.text in _KEYWORDS and not word.is_quoted
        for word in words
    )


def _is_here_text(script: str) -> bool:
    """Say whether a script only prints a here document in which nothing runs."""
    text = re.match(_HERE_TEXT, script)
    return text is not None and (bool(text[1]) or not re.search(r"\$\(|`", script))


def _read_shell_in_arguments(invocation: Invocation, budget: _ShellBudget) -> None:
    """Read the script of a shell that a program which nobody knows is given as its arguments."""
    words = invocation.arguments
    for place, word in enumerate(words):
        if word.rpartition("/")[2] in _SHELLS:
            own = Invocation(word, words[place + 1 :])
            _read_inner_script(own, _ShellState(budget), 0, "")


def _read_script(line: str, state: _ShellState, depth: int) -> "list[Invocation]":
    if depth > _MOST_DEPTH:
        raise LineTooLargeError
    state.budget.spend(chars=len(line))
    scanner = _ShellScanner(line)
    words = scanner.scan()
    state.budget.hides_failure |= _hides_failure(words, scanner.substitutions)
    found: list[Invocation] = []
    pipe: list[Invocation] = []
    piece: list[ShellWord] = []
    for word in (*words, ShellWord(";", is_operator=True)):
        if word.is_operator and word.text in _SEPARATORS:
            piped = _find_printed_text(pipe[-1]) if pipe else ""
            fresh = _read_simple_command(piece, state, depth, scanner.documents, piped)
            if pipe and fresh:
                pipe[-1].piped_into = fresh[0].program
            found += fresh
            pipe = fresh if word.text in ("|", "|&") else []
            piece = []
        else:
            piece.append(word)
    hid_failure = state.budget.hides_failure
    for inner in scanner.substitutions:
        found += _read_script(inner, state, depth + 1)
    state.budget.hides_failure = hid_failure  # what looks like a list in a here text is text
    return found


def _find_printed_text(invocation: Invocation) -> str:
    """Return what a program prints literally into a pipe; '' where nobody knows."""
    words = list(invocation.arguments)
    if invocation.program == "cat":
        return invocation.stdin if words in ([], ["-"]) else ""
    if invocation.program not in ("echo", "printf"):
        return ""
    while words and words[0] in ("-n", "-e", "-ne", "-en", "-E", "--"):
        words.pop(0)
    return " ".join(words).replace("\\n", "\n")


class _ShellScanner:
    """Splits a line into words; collects substitutions and here documents beside them."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._at = 0
        self._words: list[ShellWord] = []
        self._text: list[str] = []
        self._is_word = False
        self._is_quoted = False
        self.substitutions: list[str] = []
        #: Here documents in the order of their `<<`.
        self.documents: list[str] = []
        #: Marks at which here documents end, and whether they are quoted.
        self._awaited: list[tuple[str, bool]] = []

    def scan(self) -> list[ShellWord]:
        """Return the words of the line."""
        while self._at < len(self._line):
            self._step()
        self._end_word()
        return self._words

    def _step(self) -> None:
        line, at = self._line, self._at
        char = line[at]
        if char == "\\":
            if line[at + 1 : at + 2] != "\n":
                self._add(line[at + 1 : at + 2])
            self._at += 2
        elif char == "'":
            end = line.find("'", at + 1)
            end = len(line) if end < 0 else end
            self._add(line[at + 1 : end], is_quoted=True)
            self._at = end + 1
        elif char == '"':
            self._read_double_quotes()
        elif line.startswith("$(", at) or line.startswith("<(", at) or line.startswith(">(", at):
            self._substitute(at + 2)
        elif char == "`":
            self._read_backquotes()
        elif char == "#" and not self._is_word:
            end = line.find("\n", at)
            self._at = len(line) if end < 0 else end
        elif char in " \t\r":
            self._end_word()
            self._at += 1
        elif char in "\n;|&<>()":
            self._read_operator()
        else:
            self._add(char)
            self._at += 1

    def _add(self, text: str, *, is_quoted: bool = False) -> None:
        self._text.append(text)
        self._is_word = True
        self._is_quoted = self._is_quoted or is_quoted

    def _end_word(self) -> None:
        if self._is_word:
            text = "".join(self._text)
            self._words.append(ShellWord(text, is_quoted=self._is_quoted))
            last = self._words[-2] if len(self._words) > 1 else None
            if last is not None and last.is_operator and last.text in ("<<", "<<-"):
                self._awaited.append((text, self._is_quoted))
        self._text, self._is_word, self._is_quoted = [], False, False

    def _read_double_quotes(self) -> None:
        line = self._line
        self._add("", is_quoted=True)
        self._at += 1
        while self._at < len(line) and line[self._at] != '"':
            if line[self._at] == "\\":
                self._add(line[self._at + 1 : self._at + 2])
                self._at += 2
            elif line.startswith("$(", self._at):
                self._substitute(self._at + 2)
            elif line[self._at] == "`":
                self._read_backquotes()
            else:
                self._add(line[self._at])
                self._at += 1
        self._at += 1

    def _read_backquotes(self) -> None:
        end = self._line.find("`", self._at + 1)
        end = len(self._line) if end < 0 else end
        self.substitutions.append(self._line[self._at + 1 : end])
        self._add("$()")
        self._at = end + 1

    def _substitute(self, start: int) -> None:
        """Take what stands up to the closing parenthesis as a script of its own."""
        self._at = self._hold_script(self._line, start)
        self._add("$()")

    def _hold_script(self, text: str, start: int) -> int:
        """Hold the script up to its closing parenthesis; return where it ends."""
        depth, at = 1, start
        while at < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        self.substitutions.append(text[start : at - 1 if not depth else at])
        return at

    def _hold_document_scripts(self, document: str) -> None:
        """Hold the scripts that a here document runs, whose mark is not quoted."""
        at = 0
        while found := re.compile(r"(?s)\\.|\$\(|`([^`]*)").search(document, at):
            at = found.end()
            if found[0] == "$(":
                at = self._hold_script(document, at)
            elif found[1] is not None:
                self.substitutions.append(found[1])
                at += 1

    def _read_operator(self) -> None:
        line, at = self._line, self._at
        if line[at] in "<>" or line.startswith("&>", at):
            self._read_redirection()
            return
        self._end_word()
        if line[at] in "()":
            self._words.append(ShellWord(line[at], is_operator=True))
            self._at += 1
            return
        operator = next(one for one in _SEPARATORS if line.startswith(one, at))
        self._words.append(ShellWord(operator, is_operator=True))
        self._at += len(operator)
        if operator == "\n":
            self._read_documents()

    def _read_redirection(self) -> None:
        line = self._line
        if self._is_word and "".join(self._text).isdigit():
            self._text, self._is_word = [], False  # the number of a descriptor
        self._end_word()
        for operator in ("&>>", "&>", "<<<", "<<-", "<<", ">>", ">|", ">&", "<&", "<>", ">", "<"):
            if line.startswith(operator, self._at):
                self._words.append(ShellWord(operator, is_operator=True))
                self._at += len(operator)
                return

    def _read_documents(self) -> None:
        for mark, is_quoted in self._awaited:
            body: list[str] = []
            while self._at < len(self._line):
                end = self._line.find("\n", self._at)
                end = len(self._line) if end < 0 else end
                row = self._line[self._at : end]
                self._at = end + 1
                if row.strip() == mark:
                    break
                body.append(row)
            self.documents.append("\n".join(body))
            if not is_quoted:
                self._hold_document_scripts(self.documents[-1])
        self._awaited = []


class _SimpleCommand:
    """Words of one simple command, with its assignments and redirections."""

    def __init__(self, state: _ShellState, documents: "list[str]") -> None:
        self._state = state
        self._documents = documents
        self._redirection = ""
        self._is_closed = False
        self.words: list[str] = []
        self.written: list[str] = []
        self.assignments: dict[str, str] = {}
        self.stdin = ""

    def take(self, word: ShellWord) -> None:
        """Take the next word.

        What stands before `)` and a word is the pattern of a `case` or the name of a function.
        """
        text = _expand_variables(word.text, self._state)
        if self._redirection:
            self._redirect(text)
            return
        if word.is_operator:
            self._is_closed = self._is_closed or word.text == ")"
            self._redirection = "" if word.text in "()" else word.text
            return
        if self._is_closed:
            self._is_closed = False
            self.words.clear()
        if self.words:
            self.words.append(text)
        elif _is_assignment(text):
            name, _, self.assignments[name] = text.partition("=")
        elif word.is_quoted or text not in _KEYWORDS:
            self.words.append(text)

    def _redirect(self, text: str) -> None:
        operator, self._redirection = self._redirection, ""
        if operator in ("<<", "<<-"):
            self.stdin = self._documents.pop(0) if self._documents else ""
        elif operator == "<<<":
            self.stdin = text
        elif ">" in operator and not (operator == ">&" and re.fullmatch(r"\d*-?", text)):
            self.written.append(text)


def _read_simple_command(
    piece: "list[ShellWord]",
    state: _ShellState,
    depth: int,
    documents: "list[str]",
    piped: str = "",
) -> "list[Invocation]":
    """Return the programs of one simple command, and let it change the state.

    `piped` is the text that the program before it prints into it.
    """
    simple = _SimpleCommand(state, documents)
    for word in piece:
        simple.take(word)
    words, written = simple.words, simple.written
    simple.stdin = simple.stdin or piped
    if not words:
        state.variables.update(simple.assignments)
        return [_build_writer(written, state)] if written else []
    if words[0] == "for":
        return []
    found = _unwrap_command(words, state, depth, simple.stdin)
    for invocation in found:
        invocation.assignments.update(simple.assignments)
        invocation.branch = invocation.branch or state.branch
        invocation.stdin = invocation.stdin or simple.stdin
    if written and found:
        found[-1].written = (*found[-1].written, *written)
    elif written:
        found = [_build_writer(written, state)]
    _follow_state(words, state)
    return found


def _build_writer(written: "Sequence[str]", state: _ShellState) -> Invocation:
    writer = Invocation(":", (), state.folder)
    writer.written = tuple(written)
    return writer


def _is_assignment(text: str) -> bool:
    name, mark, _ = text.partition("=")
    return bool(mark) and name.replace("_", "a").isalnum() and not name[:1].isdigit()


def _expand_variables(text: str, state: _ShellState) -> str:
    if "$" not in text or not state.variables:
        return text

    def look_up(match: "re.Match[str]") -> str:
        value = state.variables.get(match[1] or match[2])
        return match[0] if value is None or len(value) > _LONGEST_VALUE else value

    grown = _VARIABLE.sub(look_up, text)
    state.budget.spend(chars=len(grown))
    return grown


def _follow_state(words: "Sequence[str]", state: _ShellState) -> None:
    """Let `cd` change the folder, `export` variables, and `git checkout` the branch."""
    if words[0] in ("export", "declare", "local", "readonly"):
        pairs = (word.partition("=") for word in words[1:] if _is_assignment(word))
        state.variables.update((name, value) for name, _, value in pairs)
    if words[0] in ("cd", "pushd"):
        target = next((word for word in words[1:] if not word.startswith("-")), "~")
        is_home = target.startswith(("~", "$HOME", "${HOME}"))
        above = "" if is_home else state.folder
        state.folder = posixpath.normpath(posixpath.join(above, target))
        return
    if words[0] != "git":
        return
    rest = [word for word in words[1:] if not word.startswith("-")]
    if rest[:1] in (["checkout"], ["switch"]) and len(rest) == 2 and "--" not in words:
        state.branch = rest[1]


def _unwrap_command(
    words: "list[str]", state: _ShellState, depth: int, stdin: str = ""
) -> "list[Invocation]":
    """Return the program of some words, or the programs that it runs in its place."""
    if not words:
        return []
    if depth > _MOST_DEPTH:
        raise LineTooLargeError
    state.budget.spend(programs=1, chars=sum(map(len, words)))
    own = Invocation(words[0], words[1:], state.folder)
    if own.program in _SHELLS or own.program == "eval":
        return _read_inner_script(own, state, depth, stdin)
    if own.program == "ssh":
        return _unwrap_ssh(own, state, depth, stdin)
    if own.program == "find":
        return [own, *_iter_found_commands(own, state, depth)]
    inner = programs.find_inner_command(own.program, own.arguments)
    if inner is None:
        return [own]
    inner_words, assignments = inner
    # `xargs` makes arguments of what it reads; the others leave it to the program.
    left = "" if own.program == "xargs" else stdin
    nested = _unwrap_command(inner_words, state, depth + 1, left)
    for invocation in nested:
        invocation.assignments.update(assignments)
        invocation.is_script = invocation.is_script or programs.is_interpreter(own.program)
    return [own, *nested]


def _read_inner_script(
    own: Invocation, state: _ShellState, depth: int, stdin: str
) -> "list[Invocation]":
    if own.program == "eval":
        return [own, *_read_script(" ".join(own.arguments), state, depth + 1)]
    is_value = False
    for place, argument in enumerate(own.arguments):
        if is_value:
            is_value = False
        elif argument[:1] in "-+" and argument[-1:] in "oO" and argument[:2] != "--":
            is_value = True  # the name of a setting: `-euo pipefail`
        elif argument.startswith("-") and not argument.startswith("--") and "c" in argument:
            text = "".join(own.arguments[place + 1 : place + 2])
            return _read_script(text, _ShellState(state.budget, state.folder), depth + 1)
        elif not argument.startswith("-"):
            script = Invocation(argument, own.arguments[place + 1 :], state.folder)
            script.is_script = True
            return [own, script]
    return [
        own,
        *(_read_script(stdin, _ShellState(state.budget, state.folder), depth + 1) if stdin else ()),
    ]


def _unwrap_ssh(own: Invocation, state: _ShellState, depth: int, stdin: str) -> "list[Invocation]":
    """Return `ssh` itself, and what it runs on the other machine."""
    host, rest = programs.split_ssh_arguments(own.arguments)
    script = " ".join(rest) or stdin
    inner = _read_script(script, _ShellState(state.budget, "/"), depth + 1) if script else []
    for invocation in inner:
        invocation.hosts = (host, *invocation.hosts)
    return [own, *inner]


def _iter_found_commands(own: Invocation, state: _ShellState, depth: int) -> "Iterator[Invocation]":
    """Yield what `find -exec` runs, with the paths that are searched as its arguments."""
    found_paths = programs.list_searched_paths(own.arguments)
    for place, argument in enumerate(own.arguments):
        if argument in _FOUND_COMMANDS:
            words = []
            for word in own.arguments[place + 1 :]:
                if word in (";", "+"):
                    break
                words += found_paths if word == "{}" else [word]
                state.budget.spend(chars=len(word) + (len(found_paths) if word == "{}" else 0))
            yield from _unwrap_command(words, state, depth + 1)
