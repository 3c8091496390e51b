"""Commands that only show text or a state, and change nothing.

What a program does stands in its first words: `docker rm logs` removes, `terraform apply plan`
applies. So each program has the words that show, as the first words behind its name, and a word
elsewhere says nothing. A `*` stands for one word that is the name of a group, and `.` for the end
of the words. A program that is in no table does something.
"""

from fnmatch import fnmatchcase

from gieok.text.gates.programs import CommandWords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HARMLESS_FLAGS = (
    "--help",
    "--version",
    "--dry-run",
    "--dryrun",
    "--dry",
    "--plan",
    "--check",
    "--noop",
    "--what-if",
    "--whatif",
    "--just-print",
)
#: Programs that show text and do nothing to what it names.
SHOWING = frozenset(
    """
    echo printf cat less more head tail bat grep egrep fgrep rg ag ls tree wc diff file stat which
    type man history alias export test [ cd pushd pwd true false sed awk cut sort uniq jq yq find
    ping ping6 dig nslookup host whois traceroute tracepath mtr md5sum sha256sum cksum cmp nl
    """.split()
)
#: Options with which a program that shows writes a file, runs a program or sets a value.
_DOING_FLAGS = {
    "find": "-delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls",
    "history": "-c -d -w -a -r",
    "tree": "-o",
    "less": "-o -O",
    "file": "-C",
    "rg": "--pre",
    "man": "-P --pager -H --html",
    "sort": "--output --compress-program",
    "awk": "-f --file -i --include",
    "git": "--output --open-files-in-pager",
    "docker": "-o --output",
    "helm": "--output-dir",
    "kustomize": "-o --output",
    "supabase": "-f --file",
    "railway": "--set --set-from-stdin",
}
#: Of these, options that show nothing where a value follows: `helm upgrade --version 8.5.1`.
_VALUELESS = frozenset(("--version", "--plan"))
#: Values with which an option for a trial means the deed itself: `--dry-run=none`.
_NO_TRIAL = ("false", "none", "no", "0", "off")
#: First parts of words that do something; behind the first word they are no name of a group.
_DEEDS = frozenset(
    """
    add apply attach cancel create delete deploy destroy detach disable enable execute export
    failover import install invoke kill migrate move patch promote purge put remove replace reset
    resize restart restore resume rm rollback scale set ssh start stop submit suspend undelete
    uninstall update upgrade upload write
    """.split()
)
#: What an awk program does beside showing: it writes, or runs another program.
_AWK_DOES = (">", "system(", "|")
#: Program → the first words with which it shows, separated by semicolons.
_SHOWN_BY = {
    "git": (
        "status; log; show; diff; blame; grep; ls-files; ls-tree; ls-remote; rev-parse; rev-list; "
        "shortlog; describe; cat-file; cherry; whatchanged; name-rev; merge-base; for-each-ref; "
        "show-ref; reflog show; stash list; stash show; worktree list; submodule status; "
        "remote show; remote get-url; notes show; bisect log; bisect view; config list; "
        "config get; reflog .; help; version"
    ),
    "hg": "status; log; diff; cat; annotate; heads; branches; tags; summary; identify",
    "jj": "status; st; log; diff; show; file list; file show; op log; bookmark list",
    "gh": (
        "status; auth status; pr view; pr list; pr diff; pr checks; pr status; issue view; "
        "issue list; issue status; run view; run list; run watch; repo view; repo list; "
        "release view; release list; workflow view; workflow list; gist view; gist list; "
        "secret list; variable list; label list; cache list; search *; project list; "
        "project view; ruleset list; org list; config get; config list; extension list; alias list"
    ),
    "glab": (
        "auth status; mr view; mr list; mr diff; issue view; issue list; ci view; ci list; "
        "ci status; ci trace; repo view; release view; release list"
    ),
    "docker": (
        "ps; logs; images; inspect; top; stats; port; diff; version; info; events; history; "
        "search; ls; compose ps; compose logs; compose ls; compose top; compose images; "
        "compose config; compose version; compose events; network ls; network inspect; volume ls; "
        "volume inspect; system df; system info; context ls; context show; stack ls; stack ps; "
        "stack services; service ls; service ps; service logs; service inspect; node ls; node ps; "
        "node inspect; buildx ls; buildx inspect; manifest inspect; context inspect; plugin ls; "
        "plugin inspect; config ls; config inspect; secret ls; secret inspect"
    ),
    "kubectl": (
        "get; describe; logs; top; explain; version; diff; events; api-resources; api-versions; "
        "cluster-info; auth can-i; auth whoami; rollout status; rollout history; config view; "
        "config current-context; config get-contexts; config get-clusters"
    ),
    "helm": (
        "list; ls; status; history; get; show; lint; template; version; env; search; repo list; "
        "repo ls; plugin list; plugin ls; dependency list; dependency ls; diff"
    ),
    "kustomize": "build; version",
    "argocd": "app get; app list; app diff; app history; app logs; version; proj list; repo list",
    "terraform": (
        "plan; show; validate; output; version; providers .; providers schema; graph; "
        "state list; state show; state pull; workspace list; workspace show"
    ),
    "pulumi": "preview; logs; version; whoami; about; stack ls; stack output; config get",
    "aws": (
        "s3 ls; sts get-*; * describe-*; * list-*; * get-*; * wait; logs tail; "
        "logs filter-log-events; configure list; configure get; "
        "dynamodb query; dynamodb scan"
    ),
    "gcloud": (
        "info; version; config list; config get-value; * list; * describe; * * list; "
        "* * describe; * * * list; * * * describe; logging read; "
        "builds log; app logs read; app logs tail"
    ),
    "gsutil": "ls; cat; stat; du; version",
    "az": "version; * list; * show; * * list; * * show; * * * list; * * * show; * log tail; "
    "* log show",
    "doctl": "* list; * get; * * list; * * get; auth list",
    "heroku": "ps; logs; apps .; releases; config .; status; info; *:info; *:list",
    "firebase": "*:list; *:get; projects:list",
    "fly": (
        "status; logs; info; version; releases; checks list; apps list; machine list; "
        "machine status; volumes list; secrets list; ips list; config show; config validate"
    ),
    "vercel": "ls; list; logs; inspect; whoami; env ls; domains ls; alias ls; certs ls",
    "netlify": "status; logs; sites:list; env:list; env:get; functions:list; watch",
    "wrangler": "tail; whoami; deployments list; kv namespace list; secret list; d1 list",
    "railway": "status; logs; list; whoami; variables .",
    "render": "logs; services list; deploys list; whoami",
    "supabase": "status; projects list; migration list; functions list; secrets list; db diff",
    "eb": "status; logs; list; health; events",
    "sam": "validate; logs; list",
    "cdk": "diff; ls; list; synth; doctor",
    "serverless": "info; logs; print",
    "prisma": "validate; version; migrate status; migrate diff",
    "alembic": "current; history; heads; show; branches; check",
    "flyway": "info; validate",
    "liquibase": "status; history; validate; diff; list-locks",
    "dbmate": "status",
    "rails": "routes; stats; notes; about; db:migrate:status; db:version",
    "rake": "routes .; stats .; notes .; about .; db:migrate:status .; db:version .",
    "vault": "status; read; list; kv get; kv list; policy read; policy list; token lookup; version",
    "consul": "members; info; version; kv get; catalog *; services .",
    "kamal": "logs; details; audit; version; app logs; app details",
    "nomad": "status; logs; job status; node status; alloc status; alloc logs; version",
    "istioctl": (
        "version; analyze; proxy-status; proxy-config cluster; proxy-config listener; "
        "proxy-config route; proxy-config endpoint"
    ),
    "copilot": "app ls; app show; svc ls; svc show; svc status; svc logs; env ls; env show",
    "amplify": "status; env list; diagnose",
    "redis-cli": (
        "info; get; ping; ttl; dbsize; exists; type; llen; hgetall; hget; lrange; smembers"
    ),
    "systemctl": "status; list-units; list-timers; is-active; is-enabled; show; cat",
    "npm": "ls; list; view; outdated; audit signatures; explain; why; root; prefix; whoami; search",
    "pnpm": "ls; list; why; outdated; root; view",
    "yarn": "list; why; info; outdated; npm info",
    "pip": "list; show; freeze; check; index versions; debug",
    "cargo": "tree; metadata; search; version",
    "brew": "list; info; search; outdated; deps; config; doctor",
    "apt": "list; show; search; policy",
    "stripe": "* list; * retrieve; logs tail; version",
}
_SAME = {"podman": "docker", "tofu": "terraform", "flyctl": "fly", "yarnpkg": "yarn"}


def shows_only(parsed: CommandWords, arguments: "Sequence[str]") -> bool:
    """Return whether a command only shows text or a state, as its first words say."""
    if is_trial(parsed):
        return True
    if parsed.program not in SHOWING:
        return shows_state(parsed)
    if parsed.program == "awk" and any(mark in one for one in arguments for mark in _AWK_DOES):
        return False
    return not _has_doing_flag(parsed)


def is_trial(parsed: CommandWords) -> bool:
    """Return whether an option lets a command only show help, or say what it would do."""
    values = dict(parsed.values)
    return any(
        parsed.has_flag(flag)
        and values.get(flag, "").casefold() not in _NO_TRIAL
        and not (flag in _VALUELESS and flag in values)
        for flag in HARMLESS_FLAGS
    )


def shows_state(parsed: CommandWords) -> bool:
    """Return whether a program with subcommands only shows a state."""
    if is_git_listing(parsed):
        return True
    rows = _SHOWN_BY.get(_SAME.get(parsed.program, parsed.program), "")
    return not _has_doing_flag(parsed) and any(
        _begins_with(parsed, row.split()) for row in rows.split(";")
    )


def _has_doing_flag(parsed: CommandWords) -> bool:
    doing = _DOING_FLAGS.get(_SAME.get(parsed.program, parsed.program), "").split()
    return any(flag in parsed.flags for flag in doing)


def _begins_with(parsed: CommandWords, wanted: "Sequence[str]") -> bool:
    """Return whether the first words of a command are the wanted ones, each of them surely."""
    if wanted and wanted[-1] == ".":
        wanted = wanted[:-1]
        if len(parsed.words) != len(wanted):
            return False
    given = parsed.words[: len(wanted)]
    if not wanted or len(given) < len(wanted) or parsed.unsure & set(range(len(wanted))):
        return False
    groups = [word for word, one in zip(given, wanted, strict=True) if one == "*"]
    if any(word.partition("-")[0].partition(":")[0] in _DEEDS for word in groups[1:]):
        return False
    return all(map(fnmatchcase, given, wanted))


def is_git_listing(parsed: CommandWords) -> bool:
    """Return whether Git only lists its tags, branches, remotes or stashes."""
    if parsed.program == "git" and parsed.words[:1] == ["stash"]:
        return parsed.words[1:2] in (["list"], ["show"])
    if parsed.program != "git" or parsed.words[:1] not in (["tag"], ["branch"], ["remote"]):
        return False
    shows = ("-l", "--list", "-a", "-r", "-v", "-vv", "--show-current", "--contains", "--merged")
    return not (parsed.words[1:] or set(parsed.flags) - set(shows)) or any(
        flag in ("-l", "--list") for flag in parsed.flags
    )
