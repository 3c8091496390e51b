"""Programs as a command line names them: wrappers, options with values, other names.

Rows of tables. A program that is in no table is read by the usual form of command lines: options
begin with a dash, everything else is a word.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Programs that run the program behind their options: the options that take a value, and how many
#: words stand before the inner program.
_WRAPPERS: "dict[str, tuple[str, int]]" = {
    "sudo": ("-u -g -p -C -h -U -D -T --user --group --prompt --host --chdir", 0),
    "doas": ("-u -C", 0),
    "env": ("-u -C --unset --chdir", 0),
    "nohup": ("", 0),
    "time": ("-f -o", 0),
    "timeout": ("-s -k --signal --kill-after", 1),
    "gtimeout": ("-s -k --signal --kill-after", 1),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p", 0),
    "stdbuf": ("-i -o -e", 0),
    "setsid": ("", 0),
    "caffeinate": ("-t -w", 0),
    "watch": ("-n --interval", 0),
    "xargs": ("-I -n -P -L -d -a -s -E --max-args --max-procs --delimiter --arg-file", 0),
    "command": ("", 0),
    "builtin": ("", 0),
    "exec": ("-a", 0),
    "npx": ("-p --package -w --workspace", 0),
    "pnpx": ("-p --package", 0),
    "bunx": ("-p --package", 0),
    "uvx": ("--from --with -p --python", 0),
    "pipx run": ("--spec", 0),
    "npm exec": ("-p --package -w --workspace -c --call", 0),
    "pnpm exec": ("-C --filter -F", 0),
    "pnpm dlx": ("--package", 0),
    "yarn exec": ("", 0),
    "yarn dlx": ("-p --package", 0),
    "bun x": ("", 0),
    "corepack": ("", 0),
    "poetry run": ("", 0),
    "pipenv run": ("", 0),
    "uv run": ("--with --extra --group -p --python --env-file --project --directory", 0),
    "uv tool run": ("--from --with", 0),
    "pdm run": ("", 0),
    "hatch run": ("", 0),
    "rye run": ("", 0),
    "pixi run": ("", 0),
    "bundle exec": ("", 0),
    "rbenv exec": ("", 0),
    "mise exec": ("", 0),
    "dotenv": ("-e -f -v", 0),
    "dotenvx run": ("-e -f", 0),
    "doppler run": ("-p -c --project --config", 0),
    "infisical run": ("--env --path", 0),
    "op run": ("--env-file", 0),
    "direnv exec": ("", 1),
    "aws-vault exec": ("", 1),
    "docker exec": ("-e -u -w --env --user --workdir --env-file", 1),
    "docker run": (
        (
            "-e -u -w -v -p --env --user --workdir --volume --publish --name --network "
            "--entrypoint "
            "--env-file --mount --platform"
        ),
        1,
    ),
    "docker compose exec": ("-e -u -w --env --user --workdir --index", 1),
    "docker compose run": ("-e -u -w -v -p --env --user --workdir --entrypoint --name", 1),
    "podman exec": ("-e -u -w", 1),
    "kubectl exec": ("-n -c --namespace --container --context", 1),
    "heroku run": ("-a --app -r --remote", 0),
}
#: Interpreters that run a script: the options that take a value, and those that name no script.
_INTERPRETERS = {
    "python": ("-W -X", "-c"),
    "node": ("-r --require --loader --import", "-e --eval -p --print"),
    "ruby": ("-r -I", "-e"),
    "perl": ("-I -M", "-e -i -n -p -pi -ne -pe"),
    "php": ("-d", "-r"),
    "tsx": ("--tsconfig", "-e"),
    "ts-node": ("-P --project", "-e"),
    "deno run": ("--config", ""),
    "bun": ("--cwd", "-e"),
    "bun run": ("--cwd", ""),
    "source": ("", ""),
    ".": ("", ""),
}
#: Names that mean another program, or another word of a program.
_OTHER_NAMES = {
    "docker-compose": "docker compose",
    "pip3": "pip",
    "python3": "python",
    "python2": "python",
    "py": "python",
    "nodejs": "node",
    "flyctl": "fly",
    "sls": "serverless",
    "apt-get": "apt",
    "gmake": "make",
    "gradlew": "gradle",
    "mvnw": "mvn",
}
_OTHER_WORDS = {
    "npm i": "install",
    "npm in": "install",
    "npm add": "install",
    "npm un": "uninstall",
    "npm rm": "uninstall",
    "npm remove": "uninstall",
    "npm r": "uninstall",
    "npm run-script": "run",
    "npm t": "test",
    "npm up": "update",
    "npm upgrade": "update",
    "pnpm i": "install",
    "pnpm rm": "remove",
    "pnpm un": "remove",
    "pnpm uninstall": "remove",
    "pnpm up": "update",
    "bun i": "install",
    "bun a": "add",
    "bun rm": "remove",
    "git stage": "add",
    "helm del": "uninstall",
    "helm delete": "uninstall",
}
#: Options that take a value, by program; "" for all.
_VALUE_OPTIONS = {
    "git": (
        "-C -c -m -F --git-dir --work-tree --namespace --message --file --author --date "
        "-b -B --push-option --repo --receive-pack --strategy --onto"
    ),
    "docker": "-H --context --config -l -f -p --file --project-name --profile --env-file",
    "kubectl": "-n --namespace --context -f --filename --kubeconfig -l -o --cluster --user -k",
    "helm": "-n --namespace --kube-context -f --values --set --version",
    "npm": "--prefix -w --workspace --registry --tag --otp -C",
    "pnpm": "-C --dir --filter -F --registry --tag",
    "yarn": "--cwd",
    "make": "-C -f --directory --file",
    "aws": "--profile --region --output --endpoint-url",
    "gcloud": "--project --region --zone --account",
    "az": "--subscription --resource-group -g -n",
    "gh": "-R --repo -t -b --title --body --base -B --head -H --label",
    "supabase": "--workdir --project-ref --db-url --profile",
    "fly": "-a --app -c --config",
    "heroku": "-a --app -r --remote",
    "vercel": "--token --scope --cwd -t -S",
    "psql": "-h -p -U -d -c -f --host --port --username --dbname --command --file -v",
    "mysql": "-h -P -u -D -e --host --port --user --database --execute",
    "redis-cli": "-h -p -a -n -u",
    "prisma": "--schema --name",
    "ssh": "-p -i -l -o -J -F -L -R -D -b -c -e -m -S -W -w -E -I -O -Q",
    "rails": "-e --environment",
    "cargo": "--manifest-path -p --package --target --features",
    "go": "-C",
    "alembic": "-c -n -x",
    "ansible-playbook": "-i -e -l -t -u --limit --tags --inventory --extra-vars",
    "pip": "-r -c -i -t --requirement --index-url --target",
    "curl": (
        "-X -H -d -o -u -F -A -b -c -e -T -w -x -m --request --header --data --output --user "
        "--form --max-time --data-raw --data-binary --url"
    ),
    "wget": "-O -P -o -U --header --post-data",
    "sed": "-e -f",
    "gieok": "--lang --scope --home --project --agent",
    "kill": "-s -n",
}
#: Programs whose options are words behind one dash.
_LONG_DASH = frozenset(("terraform", "find", "java", "go", "gcc", "tofu", "dd"))


#: Programs that take the name of a toolchain as `+NAME`.
_TOOLCHAIN_TAKERS = ("cargo", "rustc", "rustfmt", "rustdoc")


class CommandWords:
    """Program with its words and options, whatever their order.

    `words` are what is no option; the places in `unsure` hold words behind an option of which
    nobody knows whether it takes a value. `values` are pairs of an option and its value.
    """

    __slots__ = ("flags", "program", "unsure", "values", "words")

    def __init__(self, program: str, arguments: "Sequence[str]") -> None:
        self.program, *first = _OTHER_NAMES.get(program, program).split(" ") if program else [""]
        self.words: list[str] = list(first)
        self.flags: list[str] = []
        self.values: list[tuple[str, str]] = []
        self.unsure: set[int] = set()
        takes_value = _VALUE_OPTIONS.get(self.program, "").split()
        before = ""
        is_open = True
        for argument in arguments:
            if is_open and argument == "--":
                self.flags.append(argument)
                is_open, before = False, ""
            elif is_open and argument.startswith("-") and argument != "-":
                name, mark, value = argument.partition("=")
                self.flags.append(name)
                before = "" if mark else name
                if mark:
                    self.values.append((name, value))
            elif before in takes_value and before:
                self.values.append((before, argument))
                before = ""
            elif not (argument.startswith("+") and self.program in _TOOLCHAIN_TAKERS):
                if before:
                    self.unsure.add(len(self.words))
                    self.values.append((before, argument))
                self.words.append(argument)
                before = ""
        self._rename()

    def _rename(self) -> None:
        if self.words:
            self.words[0] = _OTHER_WORDS.get(f"{self.program} {self.words[0]}", self.words[0])
        if self.program == "docker" and self.words[:1] in (["container"], ["image"]):
            kind = self.words.pop(0)
            self.unsure = {place - 1 for place in self.unsure}
            if kind == "image" and self.words[:1] == ["rm"]:
                self.words[0] = "rmi"

    def has_flag(self, flag: str) -> bool:
        """Return whether an option is set, also within letters behind one dash."""
        if flag in self.flags:
            return True
        same = self._list_same_flags(flag)
        if any(other in self.flags for other in same):
            return True
        letters = [flag, *same]
        return self.program not in _LONG_DASH and any(
            _is_short(wanted) and all(self._has_letter(char) for char in wanted[1:])
            for wanted in letters
        )

    def _list_same_flags(self, flag: str) -> "tuple[str, ...]":
        """Return the other spellings of an option, for the program and for its subcommand."""
        subcommand = f"{self.program} {self.words[0]}" if self.words else ""
        return (
            *_SAME_FLAGS.get((self.program, flag), ()),
            *_SAME_FLAGS.get((subcommand, flag), ()),
        )

    def _has_letter(self, letter: str) -> bool:
        same = self._list_same_flags(f"-{letter}")
        letters = [letter, *(other[1] for other in same if len(other) == 2)]
        return any(other in self.flags for other in same) or any(
            _is_short(given) and any(each in given[1:] for each in letters) for given in self.flags
        )


#: Spellings of one option.
_SAME_FLAGS = {
    (program, flag): tuple(other for other in group if other != flag)
    for program, groups in {
        "git": (
            ("--force", "-f"),
            ("--delete", "-d"),
            ("--all", "-a", "-A"),
        ),
        "git commit": (("--no-verify", "-n"),),
        "git push": (("--dry-run", "-n"),),
        "git add": (("--dry-run", "-n"),),
        "git clean": (("--dry-run", "-n"),),
        "rm": (("--recursive", "-r", "-R"), ("--force", "-f")),
        "cp": (("--recursive", "-r", "-R", "-a"),),
        "docker": (("--volumes", "-v"), ("--force", "-f"), ("--all", "-a")),
        "pip": (("--upgrade", "-U"),),
        "npm": (("--global", "-g"), ("--force", "-f"), ("--save-dev", "-D")),
        "pnpm": (("--global", "-g"), ("--force", "-f"), ("--save-dev", "-D")),
        "make": (("--dry-run", "-n", "--just-print", "--recon"),),
        "ansible-playbook": (("--limit", "-l"), ("--check", "-C")),
        "ansible": (("--limit", "-l"), ("--check", "-C")),
        "chmod": (("--recursive", "-R"),),
        "chown": (("--recursive", "-R"),),
        "apt": (("--yes", "-y"),),
        "gh": (("--squash", "-s"), ("--rebase", "-r"), ("--delete-branch", "-d")),
    }.items()
    for group in groups
    for flag in group
}


def _is_short(flag: str) -> bool:
    return flag.startswith("-") and not flag.startswith("--") and 2 <= len(flag) <= 6


def find_inner_command(
    program: str, arguments: "Sequence[str]"
) -> "tuple[list[str], dict[str, str]] | None":
    """Return the command that a program runs, and the variables that it sets; None for none.

    `python -m NAME` runs NAME, and an interpreter runs its script.
    """
    parsed = CommandWords(program, ())
    head = [parsed.program, *parsed.words]
    rest = list(arguments)
    if parsed.program == "python" and "-m" in rest:
        return rest[rest.index("-m") + 1 :], {}
    for length in (3, 2, 1):
        taken = _take_subcommand(head, rest, length)
        if taken is None:
            continue
        name, behind = taken
        if name in _WRAPPERS:
            takes_value, skipped = _WRAPPERS[name]
            inner = _skip_options(behind, takes_value.split())
            assignments: dict[str, str] = {}
            inner = inner[skipped:]
            inner = inner[1:] if inner[:1] == ["--"] else inner
            while inner and "=" in inner[0] and not inner[0].startswith(("/", "-", ".")):
                key, _, assignments[key] = inner.pop(0).partition("=")
            return (inner, assignments) if inner else None
        if name in _INTERPRETERS:
            takes_value, no_script = _INTERPRETERS[name]
            if any(argument in no_script.split() for argument in behind):
                return None
            inner = _skip_options(behind, takes_value.split())
            is_script = bool(inner) and ("/" in inner[0] or "." in inner[0])
            return (inner, {}) if is_script else None
    return None


def is_interpreter(program: str) -> bool:
    """Return whether a program runs a script that is its argument."""
    return _OTHER_NAMES.get(program, program) in _INTERPRETERS


def _take_subcommand(
    head: "list[str]", rest: "list[str]", length: int
) -> "tuple[str, list[str]] | None":
    """Return the first words of a command as one name, and the arguments behind them."""
    words = list(head)
    at = 0
    takes_value = _VALUE_OPTIONS.get(head[0], "").split()
    while len(words) < length and at < len(rest):
        if rest[at].startswith("-"):
            at += 1 if "=" in rest[at] or rest[at] not in takes_value else 2
            continue
        words.append(rest[at])
        at += 1
    return (" ".join(words), rest[at:]) if len(words) == length else None


def _skip_options(arguments: "list[str]", takes_value: "Sequence[str]") -> "list[str]":
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "--":
        at += 2 if arguments[at] in takes_value else 1
    return arguments[at + 1 :] if arguments[at : at + 1] == ["--"] else arguments[at:]


def split_ssh_arguments(arguments: "Sequence[str]") -> "tuple[str, list[str]]":
    """Return the machine that `ssh` goes to, and the words that it runs there."""
    rest = _skip_options(list(arguments), _VALUE_OPTIONS["ssh"].split())
    return (rest[0], _skip_options(rest[1:], ())) if rest else ("", [])


def list_searched_paths(arguments: "Sequence[str]") -> "list[str]":
    """Return the paths that `find` finds: its folders, with the pattern of `-name` where it has
    one.
    """
    folders: list[str] = []
    for argument in arguments:
        if argument.startswith("-"):
            break
        folders.append(argument)
    names = [
        value
        for option, value in zip(("", *arguments), arguments, strict=False)
        if option in ("-name", "-iname")
    ]
    folders = folders or ["."]
    return [f"{folder.rstrip('/')}/{names[0]}" for folder in folders] if names else folders
