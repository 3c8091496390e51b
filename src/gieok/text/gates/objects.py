"""Finds what a rule names: commands, deeds, paths, branches, environments, machines, tools."""

import itertools
import re
from typing import NamedTuple

from gieok.text.gates import programs, touched, vocabulary
from gieok.text.gates.action import ANY, CHANGE, CREATE, OUTSIDE, PACKAGE, CommandPattern
from gieok.text.gates.deeds import DEEDS, KnownDeed
from gieok.text.gates.residue import list_unread_words
from gieok.text.gates.shell import read_shell_line

_WHOLE = (
    r"(?ai)\b(?:full|whole|entire|complete) (?:\w+ )?(?:tests?(?: suite)?|suite|builds?)\b"
    r"|전체\s?(?:테스트|빌드)"
)
#: An option with which a command is fine, and without which alone it is forbidden.
_NEEDED_OPTION = (
    r"(?ai)[,;]?\s?\b(?:always (?:with|use|pass|add)|(?:never |not )?without"
    r"|unless (?:with|you (?:use|pass|add)))\s`?(--?[a-z][\w-]*)`?"
    r"|`?(--?[a-z][\w-]*)`?\s?(?:없이는?|안\s?(?:붙이고|쓰고|넣고)|빼고)(?=\s)"
)
_SERVICES = (
    r"(?ai)\b(nginx|redis|postgres(?:ql)?|mysql|mongo(?:db)?|apache|caddy|rabbitmq|kafka|worker"
    r"|api|web|frontend|backend|queue|scheduler)\b"
)
#: Deeds that are done to a database or a server, whose noun beside them narrows nothing.
_DATABASE_DEEDS = frozenset(
    (
        "restart",
        "stop service",
        "start server",
        "migrate",
        "alter table",
        "seed",
        "query",
        "reset database",
    )
)
_DATABASE_NOUNS = (
    r"(?ai)\b(?:db|database|server)\b|(?<![가-힣])(?:디비|데이터베이스|서버)(?![가-힣]{3})"
    r"|(?<!\w)DB(?!\w)"
)
_TEST_KINDS = r"(?ai)\b(e2e|integration|unit|smoke|load|performance|snapshot|acceptance)\b"
#: Reading is named, and not as what alone is allowed.
_READS = r"(?ai)\b(?<!only )(?:read|access)\w*\b(?![ -]only)|읽(?!기만|기는)|접근|열람|열지|열어"
#: "my spike/ branches": all branches whose names begin so.
_BRANCH_FOLDER = r"(?ai)(?<![\w./-])([\w.-]+/)\*?(?:\s?branch(?:es)?|\s?브랜치)"
#: Between a deed and another that is its object: in English the verb stands first.
_OBJECT_BETWEEN = r"(?ai)\s(?:(?:the|any|all|our|my|your|new|old|more|these|those|an?)\s)*"
#: Behind a deed in Korean that is the object of the verb behind it.
_OBJECT_BEFORE = r"(?:들)?(?:은|는|을|를)\s(?:(?!하지)\S+\s)?"
_FOLDER = r"(?ai)\s?(?:folder|director|dir\b|폴더|디렉)"

#: Endings of files that are also files themselves.
_FILES_LIKE_ENDINGS = (".env",)
#: How the name of a folder is written as a path.
_FOLDER_FORM = ("{0}/",)


class NamedObjects(NamedTuple):
    """What a text names; `deed` is what must not happen to `paths`, a change
    where no verb says it (`has_verb`).

    `is_guess`: a path is inferred from a bare word, so that a rule on it only asks. `is_whole`: all
    tests are meant, not some.
    """

    literals: tuple[CommandPattern, ...]
    deeds: tuple[KnownDeed, ...]
    paths: tuple[str, ...]
    deed: str
    branches: tuple[str, ...]
    environments: tuple[str, ...]
    hosts: tuple[str, ...]
    tools: tuple[str, ...]
    mentions: tuple[str, ...]
    has_verb: bool
    is_guess: bool
    is_whole: bool
    #: Options with which a command is fine: "never without --limit".
    needed: tuple[str, ...]
    #: A deed is named as the object of another: which of the two is meant, nobody knows.
    is_crossed: bool
    #: The text with `vocabulary.TAKEN` in place of what the fields hold.
    rest: str

    @property
    def is_empty(self) -> bool:
        """Return whether a text names nothing that could be done."""
        return not (self.literals or self.deeds or self.paths or self.hosts or self.tools)


def find_objects(text: str) -> NamedObjects:
    """Return what a text names."""
    return _ObjectFinder(text).find()


class _ObjectFinder:
    """Takes what a text names out of it, the surest first, so that no word counts twice."""

    def __init__(self, text: str) -> None:
        text += "".join(
            f" / {match[1]} {match[3]}" for match in re.finditer(vocabulary.TWO_VERBS, text)
        )
        for hangul, name in vocabulary.HANGUL_PROGRAMS:
            text = re.sub(rf"{hangul}(?=\s[a-z-])", name, text)
        self._text = text
        self._whole = text
        #: The text without commands and paths, whose names hold verbs.
        self._verb_text = text
        self._literals: list[CommandPattern] = []
        self._deeds: list[KnownDeed] = []
        self._paths: list[str] = []
        self._branches: list[str] = []
        self._tools: list[str] = []
        self._mentions: list[str] = []
        self._needed: list[str] = []
        self._spans: list[tuple[int, int]] = []

    def find(self) -> NamedObjects:
        """Return everything."""
        self._take_needed_options()
        self._take_code()
        self._take_tools()
        self._take_file_kinds()
        self._take_sql()
        self._take_long_deeds()
        self._take_commands()
        hosts = self._take_hosts()
        self._take_outside()
        self._take_paths()
        self._verb_text = self._text
        self._take_scripts()
        self._take_folders()
        self._take_deeds()
        if self._literals or self._deeds:
            hosts += self._take_machines()
        environments = [
            name
            for name, words in vocabulary.ENVIRONMENT_WORDS
            if re.search(words, self._verb_text, vocabulary.FLAGS)  # and not in a path
        ]
        self._take_branches()
        has_git = any(deed.is_on_branch for deed in self._deeds) or self._has_git()
        # "Deploy to prod" names no branch of Git, and "never deploy from main" holds on one.
        may_be_branch = has_git or not (self._deeds or self._literals)
        is_branch = may_be_branch and self._take_environment_branches()
        if has_git and is_branch:
            environments = []
        if self._paths and _find_path_verb(self._verb_text) == touched.SEND:
            self._text = re.sub("외부로|외부에|밖으로", vocabulary.TAKEN, self._text)
        is_guess = False
        if not (self._literals or self._deeds or self._paths or self._tools or hosts):
            is_guess = self._guess_paths(is_bound=bool(environments or self._branches))
        return NamedObjects(
            literals=tuple(self._literals),
            deeds=tuple(self._deeds),
            paths=tuple(dict.fromkeys(self._paths)),
            deed=_find_path_verb(self._verb_text) or CHANGE,
            has_verb=bool(_find_path_verb(self._verb_text)),
            branches=tuple(dict.fromkeys(self._branches)),
            environments=tuple(environments),
            hosts=tuple(hosts),
            tools=tuple(self._tools),
            mentions=tuple(self._mentions),
            is_guess=is_guess,
            is_crossed=self._has_crossed_deeds(),
            is_whole=re.search(_WHOLE, self._whole) is not None,
            needed=tuple(self._needed),
            rest=self._blank_places(),
        )

    def _has_crossed_deeds(self) -> bool:
        """Return whether a deed stands as the object of another ("태그는 푸시하지 마", "push tags")."""
        spans = sorted(self._spans)
        return any(
            self._is_object(begin, end, start)
            for (begin, end), (start, _) in itertools.pairwise(spans)
        )

    def _is_object(self, begin: int, end: int, start: int) -> bool:
        """Return whether a deed and the next one, which begins at `start`, are verb and object."""
        between = self._whole[end:start]
        if self._whole[begin:end].isascii() and re.fullmatch(_OBJECT_BETWEEN, between):
            return True
        if re.fullmatch(_OBJECT_BEFORE, between):
            return True
        is_marked = re.search(r"[가-힣](?:은|는|을|를)\s*$", self._whole[begin:end]) is not None
        return is_marked and not between.strip()

    def _blank_places(self) -> str:
        """Return the text without branches and environments either."""
        patterns = (
            _BRANCH_FOLDER,
            vocabulary.BRANCH,
            vocabulary.ENVIRONMENT_BRANCH,
            vocabulary.PROTECTED,
            vocabulary.RELEASE_BRANCHES,
            *(pattern for pattern, _ in vocabulary.KOREAN_BRANCHES),
            *(words for _, words in vocabulary.ENVIRONMENT_WORDS),
        )
        text = re.sub(vocabulary.NAMED_BRANCH, _blank_branch, self._text)
        if re.search(_WHOLE, self._whole):
            text = re.sub(r"(?ai)\b(?:full|whole|entire|complete)\b|전체", vocabulary.TAKEN, text)
        for pattern in patterns:
            text = re.sub(pattern, vocabulary.TAKEN, text, flags=vocabulary.FLAGS)
        return text

    def _blank(self, start: int, end: int, mark: str = vocabulary.TAKEN) -> None:
        self._text = self._text[:start] + mark * (end - start) + self._text[end:]

    def _has_git(self) -> bool:
        return any(literal.program == "git" for literal in self._literals)

    def _take_needed_options(self) -> None:
        self._needed += list_needed_options(self._text)
        for match in re.finditer(_NEEDED_OPTION, self._text):
            self._blank(*match.span())

    def _take_code(self) -> None:
        """Take what stands between backquotes, or in quotation marks and is a command."""
        for match in re.finditer(r"`([^`]{1,200})`", self._text):
            name = match[1].strip()
            if re.fullmatch(r"[\w-]+", name) and re.match(_FOLDER, self._text[match.end() :]):
                self._paths.append(f"{name}/")
            else:
                self._take_named(name, is_code=True)
            self._blank(*match.span())
        for match in re.finditer(r"[\"'“‘「]([^\"'“”‘’「」]{2,120})[\"'”’」]", self._text):
            words = match[1].split()
            if words and (
                words[0] in vocabulary.KNOWN or words[0] in vocabulary.EVERYDAY or is_path(match[1])
            ):
                self._take_named(match[1].strip(), is_code=True)
                self._blank(*match.span())

    def _take_named(self, name: str, *, is_code: bool) -> None:
        first = name.split(maxsplit=1)[0]
        if re.match(r"(?ai)(?:drop|truncate|delete from|alter table|update|insert into)\b", name):
            self._literals.append(CommandPattern(sql=name.rstrip("; …"), is_literal=True))
        elif first.startswith("-"):
            self._literals.append(CommandPattern(flags=name.split(), is_literal=True))
        elif " " not in name and first not in vocabulary.KNOWN and is_path(name):
            self._paths.append(name.removeprefix("./"))
        elif " " not in name and re.fullmatch(vocabulary.BRANCH_NAMES, name):
            self._branches.append(name)
        elif " " not in name and re.fullmatch(r"(?:[A-Z][a-z]+){2,}|mcp__\w+|Bash", name):
            self._tools.append(name)
        elif is_code and (" " in name or first in vocabulary.KNOWN or first in vocabulary.EVERYDAY):
            self._add_literal(name)
        elif is_code and re.fullmatch(r"[\w-]+", name):
            if re.search(r"(?ai)\b(?:run|use|call|execut)|실행|돌리|쓰지|사용", self._whole):
                self._add_literal(name)
            else:
                self._paths += [f"{name}/", f"{name}.*"]

    def _add_literal(self, line: str) -> None:
        invocations = read_shell_line(re.sub(r"(?:\s(?:\.\.\.|…|\*))+$", "", line))
        if not invocations:
            return
        invocation = invocations[0]
        parsed = programs.CommandWords(invocation.program, invocation.arguments)
        words = list(parsed.words)
        if parsed.program == "git" and words[:1] == ["push"]:
            refs = words[2:]
            self._branches += [ref.lstrip("+").rpartition(":")[2] for ref in refs]
            words = words[:1]
        program = parsed.program
        if "/" in invocation.path:
            program = invocation.path
        self._literals.append(
            CommandPattern(
                program, words, parsed.flags, into=invocation.piped_into, is_literal=True
            )
        )

    def _take_tools(self) -> None:
        for match in re.finditer(vocabulary.TOOLS[0], self._text):
            if not (match[1] == "Bash" and " tool" not in self._text):
                self._tools.append(match[1])
                self._blank(*match.span())
        for match in re.finditer(vocabulary.TOOLS[1], self._text):
            name = (match[1] or match[2]).lower()
            if name not in vocabulary.GENERIC:
                self._tools.append(f"mcp+{name}")
                self._blank(*match.span())

    def _take_file_kinds(self) -> None:
        if _find_path_verb(self._whole) == touched.RUN:
            return
        for words, names in vocabulary.FILE_KINDS:
            match = re.search(words, self._text, vocabulary.FLAGS)
            if match:
                self._paths += names.split()
                self._blank(*match.span())

    def _take_sql(self) -> None:
        for match in re.finditer(vocabulary.SQL, self._text):
            self._literals.append(CommandPattern(sql=match[1].lower(), is_literal=True))
            self._blank(*match.span())

    def _take_long_deeds(self) -> None:
        """Take the deeds whose words hold the name of a program ("docker volumes")."""
        for deed in DEEDS:
            for match in re.finditer(deed.words, self._text, vocabulary.FLAGS):
                words = {word.lower() for word in re.findall(r"[\w-]+", match[0])}
                if " " in match[0].strip() and words & vocabulary.KNOWN and not words & {"git"}:
                    self._add_deed(deed, match)
                    break

    def _take_deeds(self) -> None:
        self._take_packages()
        for deed in DEEDS:
            for match in re.finditer(deed.words, self._text, vocabulary.FLAGS):
                behind = self._text[match.end() :]
                if re.match(vocabulary.CONFIG_NOUN, behind) and not re.search(
                    vocabulary.RUNS, self._whole
                ):
                    continue
                self._add_deed(deed, match)
                break

    def _take_packages(self) -> None:
        for pattern in vocabulary.NAMED_PACKAGE:
            for match in re.finditer(pattern, self._text):
                names = [part for part in match.groups() if part]
                verb, name = names if pattern is vocabulary.NAMED_PACKAGE[0] else reversed(names)
                if (
                    name.lower() in vocabulary.GENERIC | vocabulary.PACKAGE_NOUNS
                    or name.lower() in vocabulary.STOP_WORDS
                ):
                    continue
                self._mentions.append(f"{PACKAGE}{name.lower()}")
                wanted = ("install",) if verb in ("install", "설치") else ("upgrade", "install")
                self._deeds += [deed for deed in DEEDS if deed.name in wanted]
                self._blank(*match.span())

    def _add_deed(self, deed: KnownDeed, match: "re.Match[str]") -> None:
        if deed.name == "run tests":
            self._mentions += [kind.lower() for kind in re.findall(_TEST_KINDS, self._whole)]
            for kind in re.finditer(_TEST_KINDS, self._text):
                self._blank(*kind.span())
        if deed.name in ("restart", "stop service", "start server"):
            self._mentions += _find_service_names(self._whole)
            for service in re.finditer(_SERVICES, self._text):
                self._blank(*service.span())
        if deed.name in _DATABASE_DEEDS:
            for noun in re.finditer(_DATABASE_NOUNS, self._text):
                self._blank(*noun.span())
        self._deeds.append(deed)
        self._spans.append(match.span())
        for word in re.finditer(r"\S+\s?|\s", match[0]):
            if not _is_swallowed(word[0].strip(), deed):
                start = match.start() + word.start()
                self._blank(start, start + len(word[0]), vocabulary.TAKEN_DEED)

    def _take_commands(self) -> None:
        tokens = list(re.finditer(vocabulary.TOKEN, self._text))
        place = 0
        while place < len(tokens):
            token = tokens[place]
            name = token[0].rstrip(".,:")
            if re.match(r"--?[A-Za-z]", name):
                self._literals.append(CommandPattern(flags=[name], is_literal=True))
                self._blank(*token.span())
                place += 1
                continue
            run = self._read_run(tokens, place)
            if not run:
                place += 1
                continue
            place += len([word for word in run if word != "|"])
            if len(run) == 1:
                run += self._find_later_word(tokens[place:])
            self._add_literal(" ".join(run))

    def _find_later_word(self, tokens: "list[re.Match[str]]") -> list[str]:
        """Return the word that a Korean sentence says of a program: "terraform은 … apply는"."""
        if not re.search(r"[가-힣]", self._whole):
            return []
        words = [token[0] for token in tokens if re.fullmatch(r"[a-z][a-z-]+", token[0])]
        taken = re.compile(rf"{vocabulary.BRANCH_NAMES}|prod|production|staging|dev|stg")
        words = [
            word for word in words if word not in vocabulary.KNOWN and not taken.fullmatch(word)
        ]
        return words[-1:]

    def _read_run(self, tokens: "list[re.Match[str]]", place: int) -> list[str]:
        """Return the words of a command that begins at a token; none where none does."""
        token = tokens[place]
        first = token[0].rstrip(".,:")
        behind = [each[0].rstrip(".,:") for each in tokens[place + 1 : place + 2]]
        is_next = bool(behind) and tokens[place + 1].start() == token.end() + 1
        second = behind[0] if is_next and token[0] == first else ""
        second = "" if second.lower() in vocabulary.STOP_WORDS else second
        before = self._text[: token.start()]
        if first[:1].isupper() and before.strip():
            return []  # a name ("the Stripe API")
        lowered = first[:1].lower() + first[1:]
        if not self._begins_command(lowered, second, before):
            return []
        words = [lowered]
        end = token.end()
        for each in tokens[place + 1 :]:
            word = each[0].rstrip(".,:") if each[0] not in (".", "..") else each[0]
            if self._text[end : each.start()] == " | ":
                words += ["|", word]
                end = each.end()
                continue
            if self._text[end : each.start()] != " " or word.lower() in vocabulary.STOP_WORDS:
                break
            words.append(word)
            end = each.end()
            if each[0] != word:
                break
        self._blank(token.start(), end)
        return words

    def _begins_command(self, name: str, second: str, before: str) -> bool:
        """Return whether a program's name, the word behind it and the text before make a command.

        In a Korean sentence, words in Latin letters are one.
        """
        if second and not second.startswith("-") and re.search(r"(?ai)\bwith\s$", before):
            return False  # "with node 18" says how, and forbids nothing of its own
        has_verb = re.search(vocabulary.VERBS, before) is not None
        has_hangul = re.search(r"[가-힣]", self._whole) is not None
        if name in vocabulary.EVERYDAY or (name.startswith("./") and has_verb):
            is_run = re.search(vocabulary.RUN_VERBS, before) is not None
            return is_run or second.startswith("-") or (has_hangul and bool(second))
        if name not in vocabulary.KNOWN or second in vocabulary.NOUNS:
            return False
        if name == "git":
            return second in vocabulary.GIT_WORDS or has_verb or (has_hangul and not second)
        is_listed = re.search(r"(?ai)(?:\b(?:or|and|before|touch)|[,:])\s$", before) is not None
        return has_verb or has_hangul or bool(second) or not before.strip() or is_listed

    def _take_hosts(self) -> list[str]:
        hosts = []
        for match in re.finditer(vocabulary.HOST, self._text):
            if match[0].lower() not in vocabulary.NO_PATHS:
                hosts.append(match[1])
                self._blank(*match.span())
        for match in re.finditer(vocabulary.BRACKETED_MACHINES, self._text):
            names = re.findall(r"(?a)[\w-]*\d[\w-]*", match["names"].lower())
            if vocabulary.NO_MACHINES.isdisjoint(names):
                hosts += names
                self._blank(*match.span())
        return hosts

    def _take_machines(self) -> list[str]:
        """Take machines and clusters by their short names, behind what is done on them."""
        machines = []
        for pattern in vocabulary.MACHINES:
            for match in re.finditer(pattern, self._text):
                name = match[1].lower()
                if name not in vocabulary.KNOWN | vocabulary.NO_MACHINES:
                    machines.append(name)
                    self._blank(*match.span())
        return machines

    def _take_outside(self) -> None:
        """Take "outside this repo", which names all paths but those of the project."""
        for match in re.finditer(vocabulary.OUTSIDE_PROJECT, self._text):
            self._paths.append(OUTSIDE)
            self._blank(*match.span())

    def _take_paths(self) -> None:
        for match in re.finditer(vocabulary.TOKEN, self._text):
            name = match[0].rstrip(".,:") if not match[0].endswith("..") else match[0]
            if self._is_branch_path(name, match):
                continue
            if is_path(name):
                is_ending = self._is_ending(name, match)
                self._paths.append(f"*{name}" if is_ending else name.removeprefix("./"))
                self._blank(match.start(), match.start() + len(name))
        for match in re.finditer(vocabulary.BARE_FILES, self._text):
            self._paths.append(f"{match[1]}*" if match[1] != "Cargo.toml" else match[1])
            self._blank(*match.span())

    def _is_ending(self, name: str, match: "re.Match[str]") -> bool:
        """Return whether a word is the ending of files (".unity files"), and no file of its own."""
        if not re.fullmatch(rf"\.(?:{vocabulary.EXTENSIONS})", name) or name in _FILES_LIKE_ENDINGS:
            return False
        return re.match(vocabulary.FILE_NOUN, self._text[match.end() :]) is not None

    def _is_branch_path(self, name: str, match: "re.Match[str]") -> bool:
        behind = self._text[match.end() :]
        if name.startswith("origin/"):
            return True
        is_usual = re.match(r"(?:release|feature|hotfix|bugfix|feat|fix)/", name) is not None
        return is_usual or re.match(r"(?ai)\*?\s?(?:branch|브랜치)", behind) is not None

    def _take_scripts(self) -> None:
        """Take scripts and tasks that are named, and must not run."""
        patterns = (
            (
                r"(?ai)\b(?:run|running|execut\w+|launch\w*|start\w*|call\w*|trigger\w*) (?:the "
                r"|our |any |a )?"
                r"([a-z][\w:-]+)[ -](?:scripts?|tasks?|jobs?|targets?)\b"
            ),
            r"(?a)([A-Za-z][\w:-]+)\s?(?:스크립트|태스크|작업|잡)(?:을|를|은|는)?\s?(?:\S+\s)?(?:실행|돌리|돌려)",
        )
        for pattern in patterns:
            for match in re.finditer(pattern, self._text):
                if match[1].lower() not in vocabulary.NO_NAMES:
                    self._literals.append(CommandPattern(script=match[1].lower()))
                    self._blank(*match.span())

    def _take_folders(self) -> None:
        """Take folders and files that are named with such a noun."""
        nouns = "folder|directory|dir|subdirectory|subfolder|tree"
        patterns = (
            rf"(?ai)\b([\w.@-]+)[ -](?:{nouns}|directories|dirs|folders)\b",
            rf"(?ai)\b(?:{nouns}) (?:called |named )?([\w.@/-]+)",
            (
                r"(?ai)\b(?:anything|everything|files?|code|stuff|something"
                r"|things) (?:that (?:is|lives) )?"
                r"(?:in|under|inside|within|below) (?:the |our |my )?([\w.@-]+)"
            ),
            r"(?a)([A-Za-z][\w.@-]*|[가-힣]{2,})\s?(?:폴더|디렉터리|디렉토리)",
            r"(?a)([A-Za-z][\w.@-]*)\s?(?:안|밑|아래|하위|내부)(?=에|의|은|는|을|를|\s|쪽)",
        )
        for pattern in patterns:
            for match in re.finditer(pattern, self._text):
                before = self._text[: match.start()]
                listed = re.search(vocabulary.LIST_BEFORE, before) or re.search(
                    vocabulary.LIST_BEFORE_KO, before
                )
                self._add_names(match[1], _FOLDER_FORM, match, vocabulary.NO_NAMES)
                if listed is not None:
                    self._add_listed(listed[0], listed.start(), _FOLDER_FORM)
        modules = (
            r"(?ai)\b([\w.@-]+) (?:module|package|service|component|app|code|files?)s?\b",
            r"(?a)([A-Za-z][\w.@-]*|[가-힣]{2,})\s?(?:모듈|패키지|서비스|컴포넌트|앱|코드|파일)",
        )
        for pattern in modules:
            for match in re.finditer(pattern, self._text):
                if _is_doing(match[1]):
                    continue  # "installing packages"
                self._add_names(match[1], ("{0}/", "{0}.*"), match)

    def _add_names(
        self,
        name: str,
        forms: "tuple[str, ...]",
        match: "re.Match[str]",
        no_names: "frozenset[str]" = vocabulary.GENERIC,
    ) -> None:
        if name.lower() in no_names or vocabulary.TAKEN in name:
            return
        if _find_path_verb(name) not in ("", touched.SEND):
            return
        is_korean = re.match(r"[가-힣]", name) is not None
        names = vocabulary.KOREAN_NAMES.get(name, "").split() if is_korean else [name]
        if is_korean and forms == _FOLDER_FORM and not re.search(vocabulary.NO_KOREAN_NAME, name):
            names.append(name)
        if names:
            self._paths += [form.format(each) for each in names for form in forms]
            self._blank(*match.span())

    def _take_branches(self) -> None:
        """Take the branches that are named as such."""
        for match in re.finditer(vocabulary.BRANCH, self._text):
            if match[1].lower() != "release" or "branch" in match[0] or "브랜치" in match[0]:
                name = match[1].lower()
                self._branches += ["main", "master"] if name == "default" else [name]
        self._branches += [f"{name}*" for name in re.findall(_BRANCH_FOLDER, self._text)]
        for match in re.finditer(vocabulary.NAMED_BRANCH, self._text):
            name = _read_branch_name(match)
            self._branches += [name] if name else []
        for pattern, name in vocabulary.KOREAN_BRANCHES:
            if re.search(pattern, self._text):
                self._branches.append(name)
        if re.search(vocabulary.PROTECTED, self._text):
            self._branches += ["main", "master", "develop", "release/*"]
        if re.search(vocabulary.RELEASE_BRANCHES, self._text):
            self._branches += ["release/*", "release-*", "release"]

    def _take_environment_branches(self) -> bool:
        """Take branches that are named as environments are; return whether there are any."""
        names = [
            match[1] or match[2] for match in re.finditer(vocabulary.ENVIRONMENT_BRANCH, self._text)
        ]
        for name in names:
            self._branches += [name, "production"] if name == "prod" else [name]
        return bool(names)

    def _guess_paths(self, *, is_bound: bool) -> bool:
        """Take a bare word behind a verb for the name of a folder or file."""
        if is_bound or _find_path_verb(self._verb_text) not in (CHANGE, touched.DELETE):
            return False
        patterns = (
            (
                r"(?ai)\b(?:touch|edit|modify|change|refactor|delete|remove|rename|alter|editing"
                r"|touching"
                r"|changing|modifying|deleting|removing|near|leave|off|of) (?:the |our |my "
                r"|any )?([a-z][\w-]{2,})\b"
            ),
            (
                r"(?a)([A-Za-z][\w-]{2,})\s?(?:쪽|부분|관련)?(?:은|는|을|를|에|엔|에는)?\s(?:\S+\s){0,3}?"
                r"(?:건드|손\s?대|수정|고치|만지|바꾸|변경|삭제|지우)"
            ),
        )
        for pattern in patterns:
            for match in re.finditer(pattern, self._text):
                self._add_names(match[1], ("{0}/", "{0}.*"), match)
                listed = re.match(vocabulary.LIST_BEHIND, self._text[match.end() :])
                if listed is not None:
                    self._add_listed(listed[0], match.end(), ("{0}/", "{0}.*"))
        return bool(self._paths)

    def _add_listed(self, text: str, start: int, forms: "tuple[str, ...]") -> None:
        """Take the names of a list, which stands at a place of the text."""
        for match in re.finditer(vocabulary.LISTED_NAME, text):
            name = match[1] or ""
            if name and name.lower() not in vocabulary.GENERIC:
                self._paths += [form.format(name) for form in forms]
                self._blank(start + match.start(), start + match.end())


def _is_doing(word: str) -> bool:
    """Return whether a word is the -ing form of a deed."""
    stem = word.lower().removesuffix("ing")
    stems = {stem, f"{stem}e", stem[:-1]}
    return word.lower().endswith("ing") and not stems.isdisjoint(vocabulary.NO_NAMES)


def _is_swallowed(word: str, deed: KnownDeed) -> bool:
    """Return whether a word stands among a deed's words, and may narrow it ("old branches")."""
    stem = re.match(r"[a-z]{1,4}|[가-힣]{1,2}", word.lower())
    is_named = stem is not None and stem[0] in deed.words.lower()
    return not is_named and bool(list_unread_words(word))


def _read_branch_name(match: "re.Match[str]") -> str:
    """Return the name of a branch that a match names; '' where the words are no name."""
    name = (match[1] or match[2]).removeprefix("origin/")
    no_names = ("feature", "protected", "own", "release", "default")
    return "" if name.lower() in vocabulary.GENERIC or name.lower() in no_names else name


def _blank_branch(match: "re.Match[str]") -> str:
    return vocabulary.TAKEN if _read_branch_name(match) else match[0]


def _find_service_names(text: str) -> list[str]:
    found = [name.lower() for name in re.findall(_SERVICES, text)]
    if re.search(r"(?ai)\b(?:db|database)\b|디비|데이터베이스", text):
        found += ["db", "database", "postgres", "postgresql", "mysql", "mariadb", "mongo", "redis"]
    return found


def list_needed_options(text: str) -> list[str]:
    """Return the options with which a command is fine: "never without --limit"."""
    return [match[1] or match[2] for match in re.finditer(_NEEDED_OPTION, text)]


def is_path(name: str) -> bool:
    """Return whether a word is a path or a pattern of paths by its form."""
    if name.lower() in vocabulary.NO_PATHS or "://" in name or name in ("/", ".", "..", "*"):
        return False
    if re.fullmatch(r"\.[A-Za-z][\w.*-]*/?", name):
        return True
    if re.fullmatch(rf"(?:{vocabulary.FILES_WITH_SUFFIX})\.[\w.-]+", name):
        return True
    if re.fullmatch(rf"[\w*@.-]*[\w*]\.(?:{vocabulary.EXTENSIONS})", name) and not re.match(
        r"v?\d+\.\d", name
    ):
        return True
    if "*" in name and re.fullmatch(r"[\w*.{},/-]+", name) and ("." in name or "/" in name):
        return True
    return (
        "/" in name
        and re.fullmatch(r"~?[\w.@*{},()\[\]+/-]+", name) is not None
        and (not name.startswith("@"))
    )


def _find_path_verb(text: str) -> str:
    """Return what a text says must not happen to a path; '' where it has no such verb."""
    verbs = [
        deed for deed, words in vocabulary.PATH_VERBS if re.search(words, text, vocabulary.FLAGS)
    ]
    if touched.DELETE in verbs and re.search(r"(?ai)\bfrom\b|에서\s", text):
        return CHANGE  # a part of a file
    if re.search(f"(?ai){vocabulary.READ_ONLY}", text):
        return CHANGE
    is_reading = re.search(_READS, text) is not None
    if CHANGE in verbs or (touched.DELETE in verbs and CREATE in verbs):
        return ANY if is_reading else CHANGE
    return verbs[0] if verbs else ""
