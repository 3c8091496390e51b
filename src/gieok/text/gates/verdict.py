"""Compares what a tool would do with rules: stop, ask, or nothing.

Deterministic. A command that only shows help, or only says what it would do, does nothing.
"""

import posixpath
import re
from fnmatch import fnmatchcase

from gieok.text.gates.action import (
    ANY,
    ASK,
    CHANGE,
    CREATE,
    EXACT,
    NONE,
    OUTSIDE,
    PACKAGE,
    REMIND,
    STOP,
    Action,
    ActionRule,
    CommandPattern,
)
from gieok.text.gates.programs import CommandWords
from gieok.text.gates.shell import Invocation, LineTooLargeError, read_whole_line
from gieok.text.gates.showing import (
    HARMLESS_FLAGS,
    SHOWING,
    is_git_listing,
    is_trial,
    shows_only,
    shows_state,
)
from gieok.text.gates.touched import (
    DELETE,
    READ,
    USE,
    WRITE,
    TouchedPath,
    expand_home,
    iter_touched_paths,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_RUNNERS = frozenset(
    "npm pnpm yarn bun make just task rake invoke nox tox poe gradle gradlew mvn composer "
    "mix".split()
)
#: Programs whose words are tasks, each of which they run.
_TASK_PROGRAMS = frozenset("make just rake invoke nox poe gradle mvn ninja task".split())
_SQL_PROGRAMS = frozenset(
    """
    psql mysql mariadb sqlite3 duckdb mongosh mongo clickhouse-client sqlcmd bq snowsql cockroach
    turso wrangler supabase usql pgcli mycli prisma d1
    """.split()
)
#: Programs that work on another machine or service, where an environment is one of their words.
_REMOTE = frozenset(
    """
    ssh scp sftp rsync mosh psql mysql mariadb mongo mongosh redis-cli pg_dump pg_restore mysqldump
    kubectl helm kustomize argocd istioctl aws gcloud gsutil az doctl heroku fly vercel netlify
    wrangler firebase railway render terraform tofu pulumi ansible ansible-playbook cap kamal eb sam
    cdk serverless supabase prisma alembic flyway liquibase dbmate docker rails rake vault consul
    nomad curl wget http xh ecs-cli copilot amplify dropdb createdb pg_ctl sqlcmd bq
    """.split()
)
#: Options whose values are text for people, whatever the program, and of programs that have others:
#: elsewhere `-t` may be a target ("deploy.sh -t prod").
_MESSAGE_FLAGS = ("-m", "--message", "--title", "--body")
_SAYING_FLAGS = dict.fromkeys(
    ("gh", "glab", "hub", "tea"), (*_MESSAGE_FLAGS, "-t", "-b", "-n", "--notes")
)
#: Folders at the root of a system: `/tmp` is not the project's `tmp`.
_SYSTEM_FOLDERS = frozenset("tmp etc var usr home opt root dev bin lib Users srv boot proc".split())
_ENVIRONMENTS = {
    "production": ("production", "prod", "prd", "live"),
    "staging": ("staging", "stage", "stg"),
    "development": ("development", "dev"),
}


def list_rule_names(rule: ActionRule) -> "list[str]":
    """Return words of which a tool's use must have one (`list_names`); none where any use may do.

    Few rules are about a use: the others need no closer look.
    """
    names: set[str] = set()
    for action in rule.actions:
        if not action.commands:
            return []
        for pattern in action.commands:
            if pattern.sql or pattern.script:
                names.update(split_name(pattern.sql or pattern.script)[:1])
            elif pattern.program:
                name = pattern.program.rpartition("/")[2]
                word = "".join(pattern.words[:1])
                names.add(name if not word or "*" in word else f"{name} {word}")
            else:
                return []
    return sorted(map(str.lower, names))


class ToolAttempt:
    """What a tool would do: a command line, or paths, or words given to a tool by name.

    `root` is the project's folder and `folder` where the agent works, both absolute or ''.
    `only_talks`: the tool plans, asks the user or looks for files, and does nothing.
    `branch` is the Git branch that is checked out there, '' where nobody knows. `weekday` counts
    from Monday, `day` is ISO; `minute` is that of the day, -1 where nobody
    knows; all are the user's. `is_unread`: the line is too large to be read.
    """

    __slots__ = (
        "_doing_steps",
        "_steps",
        "branch",
        "command",
        "day",
        "folder",
        "invocations",
        "is_unread",
        "minute",
        "only_talks",
        "paths",
        "root",
        "text",
        "tool",
        "weekday",
    )

    def __init__(
        self,
        *,
        tool: str = "",
        command: str = "",
        paths: "Iterable[TouchedPath]" = (),
        text: str = "",
        folder: str = "",
        root: str = "",
        branch: str = "",
        day: str = "",
        weekday: int = -1,
        minute: int = -1,
        only_talks: bool = False,
    ) -> None:
        self.tool = tool
        self.only_talks = only_talks
        self.command = command
        self.paths = tuple(paths)
        self.text = text
        self.folder = folder
        self.root = root
        self.branch = branch
        self.day = day
        self.weekday = weekday
        self.minute = minute
        self.invocations: list[Invocation] = []
        self.is_unread = False
        try:
            self.invocations = read_whole_line(command)
        except LineTooLargeError:
            self.is_unread = True
        self._steps: list[ToolStep] = []
        self._doing_steps: list[ToolStep] | None = None

    def list_names(self) -> "frozenset[str]":
        """Return the words by one of which a rule must name what the tool would do."""
        texts = [self.tool, self.text]
        names: set[str] = set()
        for step in self.list_steps():
            if step.parsed is not None and step.invocation is not None:
                for program in (step.parsed.program, step.invocation.program):
                    names.add(program.lower())
                    for word in step.parsed.words:
                        unit = word.removesuffix(".service")
                        spellings = (word, _tidy_word(word), unit)
                        names.update(f"{program} {each}".lower() for each in spellings)
                texts += [step.invocation.program, *step.invocation.arguments]
                texts.append(step.invocation.stdin)
        names.update(word for text in texts for word in split_name(text))
        return frozenset(names)

    def list_steps(self) -> "list[ToolStep]":
        """Return the programs of the command line, and the edit, each with what it touches."""
        if not self._steps:
            self._steps = list(_iter_steps(self))
        return self._steps

    def list_doing_steps(self) -> "list[ToolStep]":
        """Return the steps that do more than show something; none of a tool that only talks."""
        if self._doing_steps is None:
            is_talk = self.is_unread or self.only_talks or "gieok" in split_name(self.tool)
            steps = [] if is_talk else self.list_steps()
            self._doing_steps = [step for step in steps if not _only_shows(step)]
        return self._doing_steps


def judge_tool_attempt(rule: ActionRule, use: ToolAttempt) -> str:
    """Return what a rule does about a tool's use: `STOP`, `ASK`, `REMIND` or `NONE`."""
    if not _holds_for(rule, use):
        return NONE
    least = REMIND if rule.mode == REMIND else ASK
    if use.is_unread:
        return least if _may_name(rule, use.command) else NONE
    strongest = NONE
    steps = use.list_steps()
    # What must have run before is looked for once: a line may have a hundred programs. It may run
    # itself, also where the rule is about its program ("never run make without make lint").
    fulfilled = next(
        (place for place, step in enumerate(steps) if _runs_needed_command(rule, step)), len(steps)
    )
    for place, step in enumerate(steps):
        if place >= fulfilled and step.invocation is not None:
            continue
        outcome = _judge_rule_step(rule, step)
        if outcome == STOP and rule.mode == STOP:
            return STOP
        strongest = least if outcome != NONE else strongest
    return strongest


def list_acting_actions(rule: ActionRule, use: ToolAttempt) -> "list[Action]":
    """Return the actions by which a rule acts on a tool's use."""
    return [
        action
        for action in rule.actions
        if judge_tool_attempt(rule.keep_actions([action]), use) != NONE
    ]


def may_be_meant(rule: ActionRule, use: ToolAttempt) -> bool:
    """Return whether a use may be what a rule means in other words, as far as its place says.

    Not so where the rule itself allows the use, or where the use only shows something.
    """
    if not rule.sense or not _holds_for(rule, use):
        return False
    return any(
        _is_in_folder(rule, step)
        and _judge_current_branch(rule, step, ASK) != NONE
        and not _is_allowed(rule, step)
        for step in use.list_doing_steps()
    )


def _holds_for(rule: ActionRule, use: ToolAttempt) -> bool:
    """Return whether a rule holds on the day of a use, and in its project."""
    if (rule.until and use.day > rule.until) or (rule.days and use.weekday not in rule.days):
        return False
    if rule.hours and use.minute >= 0 and not _is_within(rule.hours, use.minute):
        return False
    here = posixpath.basename(use.root or use.folder)
    return not rule.project or rule.project.lower() == here.lower()


def _is_within(hours: "Sequence[int]", minute: int) -> bool:
    start, end = hours
    return start <= minute < end if start < end else minute >= start or minute < end


def _only_shows(step: "ToolStep") -> bool:
    """Return whether a step shows text or a state, and changes no file."""
    if step.invocation is None:
        return bool(step.touched) and all(each.deed == READ for each in step.touched)
    if any(each.deed not in (READ, USE) for each in step.touched):
        return False
    return step.parsed is not None and shows_only(step.parsed, step.invocation.arguments)


def _may_name(rule: ActionRule, line: str) -> bool:
    """Return whether a line that is too large to be read has the names of what a rule forbids."""
    words = frozenset(re.findall(r"[^\s\"'`;|&()<>/=:]+", line.lower()))
    return any(
        all(name.lower() in words for name in names)
        for action in rule.actions
        for names in _list_named(action)
    )


def _list_named(action: Action) -> "Iterator[list[str]]":
    """Yield words that must all stand in a line that does an action, in one way each."""
    for pattern in action.commands:
        names = [pattern.program.rpartition("/")[2], *pattern.words[:1]]
        names += [pattern.sql.split()[0]] if pattern.sql else []
        yield [name for name in names if name and "*" not in name] or [pattern.script]
    if not action.commands:
        for path in action.paths:
            yield [part for part in path.lstrip(EXACT).split("/") if part and "*" not in part][-1:]
        for name in (*action.environments, *action.hosts):
            yield [name]


def _runs_needed_command(rule: ActionRule, step: "ToolStep") -> bool:
    return any(_runs_command(pattern, step) for pattern in rule.needed)


def _judge_rule_step(rule: ActionRule, step: "ToolStep") -> str:
    outcomes = {_judge_step(action, step) for action in rule.actions} - {NONE}
    if not outcomes or not _is_in_folder(rule, step) or _is_allowed(rule, step):
        return NONE
    return _judge_current_branch(rule, step, STOP if STOP in outcomes else ASK)


def _judge_current_branch(rule: ActionRule, step: "ToolStep", outcome: str) -> str:
    """Return the outcome where a rule holds on the branch of a step; `ASK` where nobody knows."""
    if not rule.branches:
        return outcome
    current = (step.invocation.branch if step.invocation else "") or step.use.branch
    if not current:
        return ASK
    return outcome if _is_branch(current, rule.branches) else NONE


class ToolStep:
    """One program of a command line, or the edit of a tool, with what it touches."""

    __slots__ = ("invocation", "parsed", "touched", "use")

    def __init__(self, use: ToolAttempt, invocation: "Invocation | None") -> None:
        self.use = use
        self.invocation = invocation
        self.parsed = CommandWords(invocation.program, invocation.arguments) if invocation else None
        self.touched = (
            list(_iter_invocation_paths(invocation, self.parsed))
            if invocation is not None and self.parsed is not None
            else list(use.paths)
        )

    @property
    def folder(self) -> str:
        """Return the folder in which the step runs."""
        own = expand_home(self.invocation.folder) if self.invocation else ""
        return posixpath.normpath(posixpath.join(self.use.folder, own)) if own else self.use.folder


def _iter_steps(use: ToolAttempt) -> "Iterator[ToolStep]":
    for invocation in use.invocations:
        yield ToolStep(use, invocation)
    if use.paths or use.text or (use.tool and not use.command):
        yield ToolStep(use, None)


def _iter_invocation_paths(invocation: Invocation, parsed: CommandWords) -> "Iterator[TouchedPath]":
    for path in invocation.written:
        yield TouchedPath(WRITE, path)
    yield from iter_touched_paths(invocation.path, parsed, invocation.arguments)
    if invocation.program == "apply_patch":
        yield from iter_patch_paths("\n".join((*invocation.arguments, invocation.stdin)))


def iter_patch_paths(patch: str) -> "Iterator[TouchedPath]":
    """Yield the files that a patch in the form of `apply_patch` changes."""
    for line in patch.split("\n"):
        if not line.startswith("*** "):
            continue
        name, mark, path = line[4:].partition(": ")
        if mark and name in ("Add File", "Update File", "Move to"):
            yield TouchedPath(WRITE, path.strip())
        elif mark and name == "Delete File":
            yield TouchedPath(DELETE, path.strip())


def _is_in_folder(rule: ActionRule, step: ToolStep) -> bool:
    if not rule.folder:
        return True
    paths = [TouchedPath(ANY, step.folder), *step.touched]
    values = step.parsed.values if step.parsed else []
    paths += [
        TouchedPath(ANY, value)
        for flag, value in values
        if flag in ("-C", "--prefix", "--cwd", "--dir", "--directory", "--filter", "-F", "-w")
    ]
    return any(_covers_path(rule.folder, path, step) for path in paths)


def _is_allowed(rule: ActionRule, step: ToolStep) -> bool:
    return any(_judge_step(action, step) != NONE for action in rule.unless)


def _judge_step(action: Action, step: ToolStep) -> str:
    """Return what an action of a `STOP` rule does about a step."""
    if not (_is_named(action, step) and _is_placed(action, step)):
        return NONE
    is_sure = bool(action.commands or action.paths or not action.environments)
    is_bare = all(not (row.words or row.flags or row.script) for row in action.commands)
    if action.environments and not action.paths and is_bare and not _is_remote_change(step):
        return NONE
    if action.branches:
        known = _names_branch(action.branches, step)
        return known if known == NONE or is_sure else ASK
    return STOP if is_sure else ASK


def _is_named(action: Action, step: ToolStep) -> bool:
    """Return whether a step is by one of an action's tools, commands and paths, as far as given."""
    if action.tools and not _is_tool(action.tools, step.use):
        return False
    if action.commands and not any(_runs_command(pattern, step) for pattern in action.commands):
        return False
    return not action.paths or any(
        _is_path_deed(action, path, touched, step)
        for path in action.paths
        for touched in step.touched
    )


def _is_placed(action: Action, step: ToolStep) -> bool:
    """Return whether a step is where an action is forbidden, as far as it says where."""
    return (
        (
            not action.environments
            or any(_names_environment(name, step) for name in action.environments)
        )
        and (not action.mentions or any(_is_mentioned(word, step) for word in action.mentions))
        and (not action.hosts or any(_names_host(host, step) for host in action.hosts))
    )


# Commands.


def _runs_command(pattern: CommandPattern, step: ToolStep) -> bool:
    parsed, invocation = step.parsed, step.invocation
    if pattern.sql:
        return _runs_sql(pattern, step)
    if parsed is None or invocation is None:
        return False
    is_named = bool(pattern.program) and not pattern.script
    if is_named and not _is_program(pattern.program, parsed, invocation):
        return False  # asked first: of most rules another program is meant
    if not _has_options(pattern, parsed):
        return False
    if len(pattern.words) == 1 and not pattern.flags and is_git_listing(parsed):
        return False
    if pattern.into and not _is_same_program(pattern.into, invocation.piped_into):
        return False
    if pattern.script:
        return _is_script(pattern.script, parsed, invocation)
    if pattern.is_whole and any("/" in word or "." in word for word in parsed.words):
        return False
    return _count_words_behind(pattern.words, parsed) >= pattern.fewest


def _has_options(pattern: CommandPattern, parsed: CommandWords) -> bool:
    """Return whether a command has a pattern's options, and does what it says."""
    is_harmless = is_trial(parsed)
    if parsed.program == "git" and {"--abort", "--quit"} & set(parsed.flags):
        return False
    if is_harmless and not set(pattern.flags) & set(HARMLESS_FLAGS):
        return False
    if any(each in parsed.words or parsed.has_flag(each) for each in pattern.lacks):
        return False
    return all(
        parsed.has_flag(flag) and (flag, "false") not in parsed.values for flag in pattern.flags
    )


def _is_same_program(wanted: str, given: str) -> bool:
    shells = ("sh", "bash", "zsh")
    return wanted == given or (wanted in shells and given in shells)


def _is_program(wanted: str, parsed: CommandWords, invocation: Invocation) -> bool:
    if "/" in wanted:
        return posixpath.normpath(wanted) in (
            posixpath.normpath(invocation.path),
            posixpath.normpath(posixpath.join(invocation.folder, invocation.path)),
        )
    return wanted == parsed.program


def _count_words_behind(words: "Sequence[str]", parsed: CommandWords) -> int:
    """Return how many words follow the wanted words; -1 where those are not there.

    The wanted words come first and in order; a word behind an unknown option may be its value.
    """
    given = parsed.words
    if parsed.program in _TASK_PROGRAMS:  # which run each of their words, in any order
        is_there = all(any(_is_word(wanted, one) for one in given) for wanted in words)
        return len(given) - len(words) if is_there else -1
    at = 0
    for wanted in words:
        while at < len(given) and at in parsed.unsure and not _is_word(wanted, given[at]):
            at += 1
        if at >= len(given) or not _is_word(wanted, given[at]):
            return -1
        at += 1
    return len(given) - at


def _is_word(wanted: str, given: str) -> bool:
    wanted, given = wanted.lower(), given.lower()
    if "*" in wanted:
        return _fits_glob(given, wanted)
    return wanted in (given, _tidy_word(given), given.removesuffix(".service"))


def _tidy_word(word: str) -> str:
    return word.removeprefix("./").removesuffix("/*").rstrip("/")


def _is_script(word: str, parsed: CommandWords, invocation: Invocation) -> bool:
    """Return whether a script or a task runs whose name has a word."""
    if parsed.program in _RUNNERS:
        names = [name for name in parsed.words if name not in ("run", "exec")][:1]
        is_task = parsed.program not in ("npm", "pnpm", "bun", "composer") or "run" in parsed.words
        return is_task and any(_has_words(name, word) for name in names)
    is_script = invocation.is_script or "/" in invocation.path or "." in invocation.program
    return is_script and _has_words(invocation.program, word)


def _has_words(name: str, wanted: str) -> bool:
    return set(split_name(wanted)) <= set(split_name(name))


def split_name(name: str) -> "list[str]":
    """Return the words of a name, in small letters."""
    return re.split(r"[-_:./@\s]+", name.lower())


def _runs_sql(pattern: CommandPattern, step: ToolStep) -> bool:
    texts = [step.use.text] if step.invocation is None else []
    if step.parsed and step.invocation and step.parsed.program in _SQL_PROGRAMS:
        texts = [*step.invocation.arguments, step.invocation.stdin]
    words = map(re.escape, pattern.sql.lower().split())
    wanted = r"\s+(?:if\s+exists\s+)?".join(words)
    return any(re.search(rf"(?<![\w-]){wanted}(?![\w-])", text.lower()) for text in texts if text)


# Paths.


def _is_path_deed(action: Action, path: str, touched: TouchedPath, step: ToolStep) -> bool:
    return _is_deed(action.deed, touched.deed) and _covers_path(path, touched, step)


def _is_deed(wanted: str, given: str) -> bool:
    if wanted == ANY:
        return given != ""
    if wanted in (CHANGE, CREATE):
        return given in (WRITE, DELETE) if wanted == CHANGE else given == WRITE
    return wanted == given


def _covers_path(pattern: str, touched: TouchedPath, step: ToolStep) -> bool:
    """Return whether a path is one that a rule names, lies below it, or holds it."""
    if pattern.startswith(EXACT):
        return _is_same_path(pattern[len(EXACT) :], touched, step)
    if pattern.startswith("~/"):
        return _is_in_home(pattern[2:], touched.path)
    path = _relate_path(touched.path, step)
    is_inside = not path.startswith(("/", "..", "~"))
    if pattern == "**":
        return is_inside
    if pattern == OUTSIDE:
        return not is_inside and not path.startswith("/dev/")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    wanted = [part for part in pattern.split("/") if part not in ("", ".", "**")]
    if not wanted:
        return False
    if pattern.startswith("/") and wanted[0] in _SYSTEM_FOLDERS and is_inside:
        return False
    is_rooted = pattern.startswith(("/", "./")) or (len(wanted) > 1 and is_inside)
    if any(
        _is_below(wanted, parts, start, pattern)
        for start in _list_start_places(parts, is_rooted=is_rooted)
    ):
        return True
    return touched.is_tree and is_inside and _holds_path(parts, wanted)


def _is_same_path(pattern: str, touched: TouchedPath, step: ToolStep) -> bool:
    """Return whether a path is one that a rule names, all below it, or a folder that holds it."""
    parts = [part for part in _relate_path(touched.path, step).split("/") if part not in ("", ".")]
    wanted = [part for part in pattern.split("/") if part not in ("", ".")]
    if parts[-1:] in (["*"], ["**"]):
        parts = parts[:-1]
    at = len(parts) - len(wanted)
    is_same = at >= 0 and all(map(_fits_name, wanted, parts[at:]))
    return is_same or (touched.is_tree and _holds_path(parts, wanted))


def _relate_path(path: str, step: ToolStep) -> str:
    """Return a path relative to the project, or to the agent's folder; absolute outside of it."""
    if path.startswith("~"):
        return path
    path = posixpath.normpath(posixpath.join(step.folder, path))
    root = step.use.root or step.use.folder
    if root and (path == root or path.startswith(f"{root.rstrip('/')}/")):
        return path[len(root) :].lstrip("/")
    return path


def _is_in_home(pattern: str, path: str) -> bool:
    """Return whether a path lies below a folder of a user's own folder."""
    inside = re.sub(r"^(?:~|/(?:home|Users)/[^/]+|/root)/", "", path)
    wanted = pattern.rstrip("/")
    return inside != path and (inside == wanted or inside.startswith(f"{wanted}/"))


def _list_start_places(parts: "Sequence[str]", *, is_rooted: bool) -> "Iterable[int]":
    return (0,) if is_rooted else range(len(parts))


def _is_below(wanted: "Sequence[str]", parts: "Sequence[str]", start: int, pattern: str) -> bool:
    """Return whether the parts from a place on are the wanted ones, or something below them."""
    piece = parts[start : start + len(wanted)]
    if len(piece) < len(wanted) or not all(map(_fits_name, wanted, piece)):
        return False
    # A file is the last part; a folder has something below it.
    is_folder = pattern.endswith(("/", "/**")) or not posixpath.splitext(wanted[-1])[1]
    return is_folder or start + len(wanted) == len(parts)


def _fits_name(wanted: str, given: str) -> bool:
    if given == wanted:
        return True
    return any(char in wanted for char in "*?{") and _is_glob(given, wanted)


def _is_glob(name: str, pattern: str) -> bool:
    head, mark, rest = pattern.partition("{")
    if mark and "}" in rest:
        choices, _, tail = rest.partition("}")
        return any(_fits_glob(name, f"{head}{choice}{tail}") for choice in choices.split(","))
    return _fits_glob(name, pattern)


def _fits_glob(name: str, pattern: str) -> bool:
    """Return whether a name fits a pattern with `*` and `?`; a bracket stands for itself."""
    return fnmatchcase(name, pattern.replace("[", "[[]"))


def _holds_path(parts: "Sequence[str]", wanted: "Sequence[str]") -> bool:
    """Return whether a folder that is worked on as a whole holds what a rule names."""
    if not parts or list(parts) == ["*"]:
        return True
    return len(parts) < len(wanted) and all(map(_fits_name, parts, wanted))


# Tools, environments, machines, branches.


def _is_tool(tools: "Iterable[str]", use: ToolAttempt) -> bool:
    """Return whether a tool's name is one that a rule names, or has all of its words."""
    name = use.tool
    words = set(split_name(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)))
    return any(tool.lower() == name.lower() or set(tool.split("+")) <= words for tool in tools)


def _is_remote_change(step: ToolStep) -> bool:
    """Return whether a program works on another machine or service, and not only to look."""
    parsed, invocation = step.parsed, step.invocation
    if parsed is None or invocation is None:
        return False
    if invocation.hosts:
        return parsed.program not in SHOWING
    if is_trial(parsed):
        return False
    is_remote = parsed.program in _REMOTE or any(
        word in split_name(invocation.program) for word in ("deploy", "migrate", "release")
    )
    if parsed.program in _RUNNERS:
        is_remote = any(
            part in ("deploy", "migrate", "release", "db", "seed", "rollback")
            for word in parsed.words
            for part in split_name(word)
        )
    return is_remote and not shows_state(parsed)


def _is_mentioned(word: str, step: ToolStep) -> bool:
    if step.invocation is None:
        return word in split_name(step.use.text)
    texts = (step.invocation.path, *step.invocation.arguments)
    if word.startswith(PACKAGE):
        names = (re.split(r"(?<=.)(?:@|[=<>~!\[])", text.lower())[0] for text in texts)
        return word[len(PACKAGE) :] in names
    return any(word in split_name(text) for text in texts)


def _names_environment(name: str, step: ToolStep) -> bool:
    spellings = _ENVIRONMENTS.get(name, (name,))
    invocation = step.invocation
    if invocation is None:
        named = (step.use.text, *(each.path for each in step.touched))
        return any(spelling in split_name(text) for text in named for spelling in spellings)
    if invocation.program in SHOWING and not invocation.hosts:
        return False
    said = _SAYING_FLAGS.get(step.parsed.program if step.parsed else "", _MESSAGE_FLAGS)
    texts = [
        invocation.program,
        *(
            argument
            for flag, argument in _pair_with_flags(invocation.arguments)
            if flag not in said
        ),
        *invocation.assignments.values(),
        *invocation.hosts,
    ]
    return any(
        spelling in re.split(r"[^a-z0-9]+", text.lower())
        for text in texts
        for spelling in spellings
    )


def _pair_with_flags(arguments: "Sequence[str]") -> "Iterator[tuple[str, str]]":
    return zip(("", *arguments), arguments, strict=False)


def _names_host(host: str, step: ToolStep) -> bool:
    invocation = step.invocation
    if invocation is None:
        texts: list[str] = [step.use.text]
    elif invocation.program in SHOWING:
        return False
    else:
        texts = [*invocation.arguments, *invocation.hosts]
        texts += invocation.assignments.values()
    wanted = re.escape(host.lower()).replace(r"\*", r"[\w.-]*")
    behind = r"(?![\w-]|\.\w)" if "." in host else r"(?![\w-])"
    return any(re.search(rf"(?<![\w.-]){wanted}{behind}", text.lower()) for text in texts)


def _names_branch(branches: "Sequence[str]", step: ToolStep) -> str:
    """Return `STOP` where a command works on one of the branches, `ASK` where it may, or `NONE`."""
    parsed, invocation = step.parsed, step.invocation
    if parsed is None or invocation is None:
        return NONE
    if parsed.program != "git":
        based = [value for flag, value in parsed.values if flag in ("-B", "--base")]
        return ASK if not based else _judge_branch(based[0], branches)
    is_elsewhere = bool(invocation.folder) or "-C" in parsed.flags
    current = invocation.branch or ("" if is_elsewhere else step.use.branch)
    command, *words = parsed.words or [""]
    if command == "push":
        return _judge_push(branches, parsed, words, current)
    if command == "branch":
        return STOP if any(_is_branch(word, branches) for word in words) else NONE
    if command == "rebase" and len(words) > 1:
        return _judge_branch(words[1], branches)
    return _judge_branch(current, branches) if current else ASK


def _judge_branch(name: str, branches: "Sequence[str]") -> str:
    return STOP if _is_branch(name, branches) else NONE


def _judge_push(
    branches: "Sequence[str]", parsed: CommandWords, words: "Sequence[str]", current: str
) -> str:
    refs = list(words[1:])
    if "--all" in parsed.flags or "--mirror" in parsed.flags:
        return STOP
    if not refs:
        if "--tags" in parsed.flags:
            return NONE
        refs = ["HEAD"]
    judged = set()
    for ref in refs:
        target = ref.lstrip("+").rpartition(":")[2] or ref.strip("+:")
        target = target.removeprefix("refs/heads/")
        if target in ("HEAD", "@", "$()") or target.startswith("$"):
            target = current if target in ("HEAD", "@") else ""
        judged.add(ASK if not target else STOP if _is_branch(target, branches) else NONE)
    return STOP if STOP in judged else ASK if ASK in judged else NONE


def _is_branch(name: str, branches: "Iterable[str]") -> bool:
    name = name.removeprefix("origin/").removeprefix("refs/heads/")
    return any(name == branch or _fits_glob(name, branch) for branch in branches)
