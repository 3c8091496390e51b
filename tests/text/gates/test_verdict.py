"""What a tool would do is held against rules made by hand: each row is one difference."""

import pytest

from gieok.text.gates.action import (
    ANY,
    ASK,
    CHANGE,
    CREATE,
    NONE,
    STOP,
    Action,
    ActionRule,
    CommandPattern,
)
from gieok.text.gates.touched import DELETE, READ, RUN, USE, WRITE, TouchedPath
from gieok.text.gates.verdict import (
    ToolAttempt,
    iter_patch_paths,
    judge_tool_attempt,
    list_rule_names,
    may_be_meant,
)

_WEDNESDAY = 2
_TOO_LONG = f"echo {'x' * 21_000}; "


def _run(line: str, **more: object) -> ToolAttempt:
    given = {"folder": "/w", "root": "/w", "day": "2026-11-25", "weekday": _WEDNESDAY, **more}
    return ToolAttempt(tool="Bash", command=line, **given)  # type: ignore[arg-type]


def _touch(path: str, deed: str = WRITE, *, is_tree: bool = False, **more: str) -> ToolAttempt:
    given = {"folder": "/w", "root": "/w", **more}
    return ToolAttempt(tool="Edit", paths=[TouchedPath(deed, path, is_tree=is_tree)], **given)


def _judge(use: ToolAttempt, *actions: Action, mode: str = STOP, **more: object) -> str:
    return judge_tool_attempt(ActionRule("a rule", mode, actions, **more), use)  # type: ignore[arg-type]


def _command(*given: str, **more: object) -> Action:
    program, *words = given
    return Action([CommandPattern(program, words, **more)])  # type: ignore[arg-type]


_PUSH = _command("git", "push")


@pytest.mark.parametrize(
    ("action", "names"),
    [
        (_PUSH, ["git push"]),
        (_command("git"), ["git"]),
        (_command("git", "push", "origin"), ["git push"]),
        (_command("git", "sta*"), ["git"]),
        (_command("./scripts/reset.sh"), ["reset.sh"]),
        (_command("", sql="drop table"), ["drop"]),
        (_command("", script="deploy:web"), ["deploy"]),
        (_command("", flags=["--force"]), []),
        (Action(paths=["a"], deed=CHANGE), []),
    ],
)
def test_a_rule_is_looked_at_where_a_use_has_one_of_its_names(
    action: Action, names: list[str]
) -> None:
    assert list_rule_names(ActionRule("a rule", STOP, [action])) == names


def test_one_action_without_a_name_lets_its_rule_be_looked_at_for_every_use() -> None:
    assert list_rule_names(ActionRule("a rule", STOP, [_PUSH, Action(paths=["a"])])) == []
    names = list_rule_names(ActionRule("a rule", STOP, [_PUSH, _command("npm")]))
    assert names == ["git push", "npm"]


def test_the_names_of_a_use_are_those_of_its_programs_words_and_text() -> None:
    names = _run("python3 ./a-b/ <<< 'drop it'").list_names()
    assert {"python", "python3", "python ./a-b/", "python a-b", "a", "drop", "bash"} <= names
    assert {"python3 a-b", "it"} <= names
    assert {"web", "find"} <= ToolAttempt(tool="mcp-web", text="Find x").list_names()


@pytest.mark.parametrize(
    ("use", "count"),
    [
        (_run("git push && ls"), 1),
        (_run("ls"), 0),
        (_run("ls > a"), 1),
        (_run("rm a"), 1),
        (_run("cat a"), 0),
        (_run(f"{_TOO_LONG}git push"), 0),
        (_run("git push", only_talks=True), 0),
        (_touch("a", READ), 0),
        (_touch("a"), 1),
        (ToolAttempt(tool="WebSearch"), 1),
        (ToolAttempt(tool="mcp__gieok__add", text="x"), 0),
        (ToolAttempt(), 0),
    ],
)
def test_steps_that_do_something_are_those_that_do_not_only_show(
    use: ToolAttempt, count: int
) -> None:
    assert len(use.list_doing_steps()) == count
    assert len(use.list_doing_steps()) == count


def test_a_rule_holds_on_its_last_day_and_on_its_weekdays() -> None:
    assert _judge(_run("git push"), _PUSH, until="2026-11-25") == STOP
    assert _judge(_run("git push"), _PUSH, until="2026-11-24") == NONE
    assert _judge(_run("git push"), _PUSH, days=[1, 2]) == STOP
    assert _judge(_run("git push"), _PUSH, days=[1, 3]) == NONE
    assert _judge(_run("git push"), _PUSH, days=[2], until="2026-11-24") == NONE
    assert _judge(ToolAttempt(tool="Bash", command="git push"), _PUSH, days=[0, 1]) == NONE


def test_a_project_is_the_root_or_else_the_folder_by_its_name() -> None:
    assert _judge(_run("git push", root="/home/shop", folder="/home/shop/a"), _PUSH) == STOP
    for root, folder, outcome in (
        ("/home/shop", "/home/shop/web", STOP),
        ("/home/web", "/home/web/shop", NONE),
        ("", "/home/SHOP", STOP),
    ):
        use = _run("git push", root=root, folder=folder)
        assert _judge(use, _PUSH, project="Shop") == outcome


def test_the_strongest_of_all_steps_counts_and_a_rule_that_asks_never_stops() -> None:
    unsure = Action(environments=["prod"])
    line = "kubectl --context prod apply && git push"
    assert _judge(_run(line), unsure) == ASK
    assert _judge(_run(line), unsure, _PUSH) == STOP
    assert _judge(_run(f"{line} && ls"), unsure, _PUSH, mode=ASK) == ASK
    assert _judge(_run("kubectl --context prod apply && ls"), unsure) == ASK
    assert _judge(_run("ls"), unsure, _PUSH) == NONE


def test_a_command_that_had_to_run_first_frees_what_stands_behind_it_and_no_edit() -> None:
    needed = [CommandPattern("npm", ["test"])]
    assert _judge(_run("npm test && git push"), _PUSH, needed=needed) == NONE
    assert _judge(_run("git push && npm test"), _PUSH, needed=needed) == STOP
    assert _judge(_run("git push && git push && npm test"), _PUSH, needed=needed) == STOP
    edits = Action(paths=["a"], deed=CHANGE)
    use = ToolAttempt(tool="Bash", command="npm test && ls", paths=[TouchedPath(WRITE, "a")])
    assert _judge(use, edits, needed=needed) == STOP


def test_a_command_that_had_to_run_first_may_run() -> None:
    needed = [CommandPattern("npm", ["test"])]
    assert _judge(_run("npm test"), _command("npm"), needed=needed) == NONE
    assert _judge(_run("npm test && npm publish"), _command("npm"), needed=needed) == NONE
    assert _judge(_run("npm publish"), _command("npm"), needed=needed) == STOP


def test_a_use_may_be_meant_where_the_place_of_the_rule_says_nothing_else() -> None:
    def may(line: str, *, sense: str = "pushes are mine", branch: str = "", **more: object) -> bool:
        given: dict[str, object] = {"sense": sense, **more}
        rule = ActionRule("a rule", STOP, [], **given)  # type: ignore[arg-type]
        return may_be_meant(rule, _run(line, branch=branch))

    assert may("./x")
    assert not may("./x", sense="")
    assert not may("./x", days=[0])
    assert not may("ls")
    assert may("cd api && ./x", folder="api/")
    assert not may("cd web && ./x", folder="api/")
    assert may("./x", branch="main", branches=["main"])
    assert not may("./x", branch="docs", branches=["main"])
    assert may("./x", branches=["main"])
    assert not may("git push", unless=[_PUSH])
    assert may("git push && ./x", unless=[_PUSH])


@pytest.mark.parametrize(
    ("action", "line", "outcome"),
    [
        (_PUSH, "git push", ASK),
        (_PUSH, "git pull; push", ASK),
        (_PUSH, "git pull", NONE),
        (_PUSH, "push", NONE),
        (_command("git", "push", "origin"), "git push", ASK),
        (_command("git", "sta*"), "git x", ASK),
        (_command("scripts/Reset.sh"), "./scripts/reset.sh", ASK),
        (_command("", sql="Drop Table x"), 'psql -c "DROP y"', ASK),
        (_command("", sql="Drop Table x"), 'psql -c "table x"', NONE),
        (_command("", script="Deploy"), "make deploy", ASK),
        (_command("", script="Deploy"), "make build", NONE),
        (Action([CommandPattern("rm")], paths=["dist"]), "rm x", ASK),
        (Action([CommandPattern("rm")], paths=["dist"]), "ls dist", NONE),
        (Action(paths=["src/billing/"]), "a > x/billing/b", ASK),
        (Action(paths=["src/billing/"]), "a > src/b", NONE),
        (Action(paths=["src/*.gen"]), "a > src/b", ASK),
        (Action(paths=["=dist"]), "rm dist", ASK),
        (Action(paths=["a", "dist"]), "rm dist", ASK),
        (Action(environments=["prod"]), "x prod", ASK),
        (Action(hosts=["db.example"]), "x db.example", ASK),
        (Action(hosts=["db.example"]), "x db", NONE),
    ],
)
def test_a_line_that_is_too_large_asks_where_all_names_of_an_action_stand(
    action: Action, line: str, outcome: str
) -> None:
    assert _judge(_run(_TOO_LONG + line), action) == outcome


@pytest.mark.parametrize(
    ("line", "branch", "outcome"),
    [
        ("git push", "main", STOP),
        ("git push", "docs", NONE),
        ("git push", "", ASK),
        ("git switch docs && git push", "main", NONE),
        ("git switch main && git push", "docs", STOP),
    ],
)
def test_a_rule_on_a_branch_holds_on_the_branch_of_the_step(
    line: str, branch: str, outcome: str
) -> None:
    assert _judge(_run(line, branch=branch), _PUSH, branches=["main"]) == outcome


def test_a_rule_on_a_branch_holds_for_edits_on_the_branch_of_the_folder() -> None:
    edits = Action(paths=["a"], deed=CHANGE)
    assert _judge(_touch("a", branch="main"), edits, branches=["main"]) == STOP
    assert _judge(_touch("a", branch="docs"), edits, branches=["main"]) == NONE
    assert _judge(_touch("a"), edits, branches=["main"]) == ASK


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("npm install", NONE),
        ("cd web && npm install", STOP),
        ("cd api && npm install", NONE),
        ("npm --prefix web install", STOP),
        ("npm -C web install", STOP),
        ("npm -w web install", STOP),
        ("npm --cwd web install", STOP),
        ("npm --dir web install", STOP),
        ("npm --directory web install", STOP),
        ("npm --filter web install", STOP),
        ("npm -F web install", STOP),
        ("npm --tag web install", NONE),
        ("npm install > web/log", STOP),
    ],
)
def test_a_rule_in_a_folder_holds_where_a_command_runs_or_works(line: str, outcome: str) -> None:
    assert _judge(_run(line), _command("npm", "install"), folder="web/") == outcome


def test_a_rule_in_a_folder_holds_for_what_is_edited_there() -> None:
    edits = Action(paths=["*.py"], deed=CHANGE)
    assert _judge(_touch("web/a.py"), edits, folder="web/") == STOP
    assert _judge(_touch("api/a.py"), edits, folder="web/") == NONE
    assert _judge(_touch("a.py", folder="/w/web"), edits, folder="web/") == STOP


def test_what_a_rule_allows_itself_is_free() -> None:
    edits = Action(paths=["infra/"], deed=CHANGE)
    unless = [Action(paths=["infra/README.md"], deed=ANY)]
    assert _judge(_touch("infra/README.md"), edits, unless=unless) == NONE
    assert _judge(_touch("infra/main.tf"), edits, unless=unless) == STOP


@pytest.mark.parametrize(
    ("commands", "line", "outcome"),
    [
        ([], "psql -h prod-db", ASK),
        ([], "psql -h localhost", NONE),
        ([], "kubectl --context prod apply -f x", ASK),
        ([], "kubectl --context prod get pods", NONE),
        ([], "kubectl --context prod apply --dry-run", NONE),
        ([], "./deploy.sh prod", ASK),
        ([], "./deploy.sh prod --help", NONE),
        ([], "./build.sh prod", NONE),
        ([], "make deploy-prod", ASK),
        ([], "make build-prod", NONE),
        ([], "npm run db:prod", ASK),
        ([CommandPattern("ls")], "ssh prod ls", NONE),
        ([CommandPattern("tar")], "ssh prod tar x", STOP),
        ([], "ssh prod rm x", ASK),
        ([], "echo prod", NONE),
        ([], "ENV=prod alembic upgrade head", ASK),
        ([], "vercel -m prod", NONE),
        ([], "vercel --title prod", NONE),
        ([], "vercel deploy live", ASK),
        ([], "vercel deploy alive", NONE),
        ([CommandPattern("psql")], "psql -h prod-db", STOP),
        ([CommandPattern("tar")], "tar x prod", NONE),
        ([CommandPattern("tar", ["x"])], "tar x prod", STOP),
        ([CommandPattern("tar", flags=["-f"])], "tar x -f prod", STOP),
        ([CommandPattern(script="load")], "./load.sh prod", STOP),
        ([CommandPattern("tar", ["x"])], "tar x dev", NONE),
        ([CommandPattern("tar"), CommandPattern("tar", ["x"])], "tar x prod", STOP),
    ],
)
def test_an_environment_alone_asks_of_what_changes_it_and_a_command_there_stops(
    commands: list[CommandPattern], line: str, outcome: str
) -> None:
    assert _judge(_run(line), Action(commands, environments=["production"])) == outcome


def test_an_environment_in_what_is_edited_or_said_is_named() -> None:
    action = Action(paths=["config/"], deed=CHANGE, environments=["production"])
    assert _judge(_touch("config/prod.yml"), action) == STOP
    assert _judge(_touch("config/dev.yml"), action) == NONE
    asked = Action(tools=["query"], paths=[], environments=["staging"])
    assert _judge(ToolAttempt(tool="query", text="on stg"), asked) == NONE


def test_all_that_an_action_gives_must_be_met() -> None:
    action = Action(
        [CommandPattern("psql")], environments=["production"], mentions=["users"], hosts=["db1"]
    )
    assert _judge(_run("psql -h db1 prod users"), action) == STOP
    for line in ("psql -h db2 prod users", "psql -h db1 dev users", "psql -h db1 prod logs"):
        assert _judge(_run(line), action) == NONE
    assert _judge(_run("mysql -h db1 prod users"), action) == NONE
    read = Action([CommandPattern("psql")], paths=["x.sql"], deed=ANY)
    assert _judge(_run("psql x.sql"), read) == STOP
    assert _judge(_run("psql y.sql"), read) == NONE
    either = Action([CommandPattern("psql"), CommandPattern("mysql")], mentions=["a", "b"])
    assert _judge(_run("mysql b"), either) == STOP
    assert _judge(_run("mysql c"), either) == NONE
    tool = Action(tools=["query"], mentions=["users"])
    assert _judge(ToolAttempt(tool="query", text="all users"), tool) == STOP
    assert _judge(ToolAttempt(tool="query", text="all logs"), tool) == NONE


@pytest.mark.parametrize(
    ("pattern", "line", "is_hit"),
    [
        (CommandPattern("git", ["branch"]), "git branch", False),
        (CommandPattern("git", ["branch"]), "git branch x", True),
        (CommandPattern("git", ["branch"], ["--list"]), "git branch --list", True),
        (CommandPattern("git", ["stash", "list"]), "git stash list", True),
        (CommandPattern("git"), "git branch", True),
        (CommandPattern("curl", into="bash"), "curl x | sh", True),
        (CommandPattern("curl", into="bash"), "curl x | jq", False),
        (CommandPattern("curl", into="jq"), "curl x | sh", False),
        (CommandPattern("curl", into="jq"), "curl x | jq", True),
        (CommandPattern("pytest", is_whole=True), "pytest", True),
        (CommandPattern("pytest", is_whole=True), "pytest a/b", False),
        (CommandPattern("pytest", is_whole=True), "pytest a.py", False),
        (CommandPattern("npm", ["install"], fewest=1), "npm install", False),
        (CommandPattern("npm", ["install"], fewest=1), "npm install x", True),
        (CommandPattern("npm", ["install"], fewest=2), "npm install x", False),
        (CommandPattern("npm", ["install"], fewest=2), "npm install x y", True),
        (CommandPattern("git", ["rebase"]), "git rebase --abort", False),
        (CommandPattern("git", ["rebase"]), "git rebase --quit", False),
        (CommandPattern("jj", ["rebase"]), "jj rebase --abort", True),
        (CommandPattern("npm", ["publish"]), "npm publish --dry-run", False),
        (CommandPattern(flags=["--dry-run"]), "npm publish --dry-run", True),
        (CommandPattern("npm", lacks=["-g"]), "npm install -g x", False),
        (CommandPattern("npm", lacks=["ci"]), "npm ci", False),
        (CommandPattern("npm", lacks=["ci"]), "npm test", True),
        (CommandPattern("docker", flags=["--push"]), "docker build --push", True),
        (CommandPattern("docker", flags=["--push"]), "docker build --push=false", False),
        (CommandPattern("docker", flags=["--push"]), "docker build", False),
        (CommandPattern("scripts/x.sh"), "./scripts/x.sh", True),
        (CommandPattern("scripts/x.sh"), "cd scripts && ./x.sh", True),
        (CommandPattern("scripts/x.sh"), "./x.sh", False),
        (CommandPattern("kubectl", ["delete"]), "kubectl --to x delete y", True),
        (CommandPattern("kubectl", ["delete", "pod"]), "kubectl delete --to pod", True),
        (CommandPattern("kubectl", ["delete", "pod"]), "kubectl delete --to a pod", True),
        (CommandPattern("kubectl", ["delete", "pod"]), "kubectl delete a pod", False),
        (CommandPattern("kubectl", ["delete", "pod"]), "kubectl delete", False),
        (CommandPattern("kubectl", ["delete"]), "kubectl --to x", False),
        (CommandPattern("kubectl", ["delete"]), "kubectl", False),
        (CommandPattern("make", ["clean-*"]), "make clean-docs", True),
        (CommandPattern("make", ["clean-*"]), "make clean", False),
        (CommandPattern("rm", ["dist"]), "rm ./dist/*", True),
        (CommandPattern("rm", ["dist"]), "rm dist/", True),
        (CommandPattern("rm", ["dist"]), "rm dist/a", False),
        (CommandPattern(script="deploy"), "npm run deploy:web", True),
        (CommandPattern(script="deploy"), "npm deploy", False),
        (CommandPattern(script="deploy"), "composer deploy", False),
        (CommandPattern(script="deploy"), "pnpm deploy", False),
        (CommandPattern(script="deploy"), "bun deploy", False),
        (CommandPattern(script="deploy"), "yarn deploy", True),
        (CommandPattern(script="deploy"), "make deploy", True),
        (CommandPattern(script="deploy"), "npm run build deploy", False),
        (CommandPattern(script="deploy"), "./deploy", True),
        (CommandPattern(script="deploy"), "deploy.sh", True),
        (CommandPattern(script="deploy"), "bash deploy", True),
        (CommandPattern(script="deploy"), "deploy", False),
        (CommandPattern(script="deploy web"), "./deploy.sh", False),
        (CommandPattern(script="deploy web"), "./web_deploy.sh", True),
        (CommandPattern(script="deploy", flags=["--now"]), "./deploy.sh", False),
        (CommandPattern(script="deploy", flags=["--now"]), "./deploy.sh --now", True),
        (CommandPattern("vercel", script="deploy"), "./deploy.sh", True),
        (CommandPattern(sql="drop table"), "psql -c 'DROP  TABLE x'", True),
        (CommandPattern(sql="drop table"), "psql -c 'drop table if exists x'", True),
        (CommandPattern(sql="drop table x"), "psql -c 'drop table if exists x'", True),
        (CommandPattern(sql="drop table"), "psql -c 'drop tables'", False),
        (CommandPattern(sql="drop table"), "psql -c 'raindrop table'", False),
        (CommandPattern(sql="drop table"), "psql <<< 'drop table x'", True),
        (CommandPattern(sql="drop table"), "node 'drop table x'", False),
    ],
)
def test_a_command_is_what_a_pattern_says_and_nothing_beside(
    pattern: CommandPattern, line: str, is_hit: bool
) -> None:
    assert (_judge(_run(line), Action([pattern])) == STOP) is is_hit


def test_a_statement_that_a_tool_is_given_is_read_and_a_command_pattern_is_none_of_a_tool() -> None:
    drops = Action([CommandPattern(sql="drop table")])
    assert _judge(ToolAttempt(tool="mcp__db__query", text="DROP TABLE x"), drops) == STOP
    assert _judge(ToolAttempt(tool="mcp__db__query", text="select 1"), drops) == NONE
    assert _judge(ToolAttempt(tool="mcp__db__query", text="git push"), _PUSH) == NONE
    assert _judge(ToolAttempt(tool="mcp__db__query", text="drop table x", command="ls"), drops)


@pytest.mark.parametrize(
    ("wanted", "given", "is_hit"),
    [
        (ANY, READ, True),
        (ANY, "", False),
        (CHANGE, WRITE, True),
        (CHANGE, DELETE, True),
        (CHANGE, READ, False),
        (CREATE, WRITE, True),
        (CREATE, DELETE, False),
        (DELETE, DELETE, True),
        (DELETE, WRITE, False),
        (RUN, USE, False),
    ],
)
def test_what_happens_to_a_path_is_what_must_not(wanted: str, given: str, is_hit: bool) -> None:
    assert (_judge(_touch("a", given), Action(paths=["a"], deed=wanted)) == STOP) is is_hit


@pytest.mark.parametrize(
    ("pattern", "path", "is_hit"),
    [
        ("src/old/", "src/old/a.py", True),
        ("old/", "src/old/a.py", True),
        ("old/", "src/older/a.py", False),
        ("./old/", "src/old/a.py", False),
        ("./old/", "old/a.py", True),
        ("src/old/", "x/src/old/a.py", False),
        ("src/old/", "/v/src/old/a.py", True),
        ("src/old/", "src", False),
        ("/tmp/", "tmp/x", False),
        ("/tmp/", "/tmp/x", True),
        ("/data/", "data/x", True),
        ("/data/", "x/data/y", False),
        ("**", "a", True),
        ("**", "/etc/x", False),
        ("**", "../x", False),
        ("**", "~/x", False),
        ("**/", "a", False),
        (".", "a", False),
        ("a.txt", "x/a.txt", True),
        ("a.txt", "a.txt/b", False),
        ("v1.2/", "v1.2/b", True),
        ("v1.2/**", "v1.2/b", True),
        ("src", "src/a/b", True),
        ("=dist", "dist", True),
        ("=dist", "./dist/*", True),
        ("=dist", "dist/**", True),
        ("=dist", "dist/a", False),
        ("=dist", "x/dist", True),
        ("=a/b", "b", False),
        ("=a/b", "a", False),
        ("~/.config", "~/.config/x", True),
        ("~/.config/", "~/.config", True),
        ("~/.config", "/home/kim/.config/x", True),
        ("~/.config", "/Users/kim/.config", True),
        ("~/.config", "/root/.config", True),
        ("~/.config", "/srv/kim/.config", False),
        ("~/.config", "~/.configs", False),
        ("~/.config", ".config", False),
        ("*.lock", "a/yarn.lock", True),
        ("src/{a,b}/", "src/b/x", True),
        ("src/{a,b}/", "src/c/x", False),
        ("src/{a,b}x/", "src/bx/x", True),
        ("a?c", "abc", True),
        ("a?c", "abbc", False),
        ("a[b]*", "a[b]c", True),
        ("a[b]*", "abc", False),
    ],
)
def test_a_path_is_what_a_rule_names_or_lies_below(pattern: str, path: str, is_hit: bool) -> None:
    assert (_judge(_touch(path), Action(paths=[pattern], deed=CHANGE)) == STOP) is is_hit


@pytest.mark.parametrize(
    ("pattern", "path", "is_hit"),
    [
        ("src/old/", "src", True),
        ("src/old/", ".", True),
        ("src/old/", "*", True),
        ("src/old/", "lib", False),
        ("old/", "src", False),
        ("src/old/", "/v/src", False),
        ("=a/b", "a", True),
        ("=a/b", "c", False),
    ],
)
def test_a_folder_that_is_worked_on_as_a_whole_is_what_it_holds(
    pattern: str, path: str, is_hit: bool
) -> None:
    use = _touch(path, DELETE, is_tree=True)
    assert (_judge(use, Action(paths=[pattern], deed=CHANGE)) == STOP) is is_hit


@pytest.mark.parametrize(
    ("root", "folder", "path", "is_hit"),
    [
        ("/w", "/w/api", "a", True),
        ("/w", "/w", "/w/api/a", True),
        ("/w", "/w", "/wx/api/a", False),
        ("/w", "/w", "api", True),
        ("/", "/", "/api/a", True),
        ("", "/w", "api/a", True),
        ("", "/w/api", "a", False),
        ("", "", "api/a", True),
    ],
)
def test_a_path_is_taken_from_the_root_of_the_project(
    root: str, folder: str, path: str, is_hit: bool
) -> None:
    use = _touch(path, root=root, folder=folder)
    assert (_judge(use, Action(paths=["./api"], deed=CHANGE)) == STOP) is is_hit


@pytest.mark.parametrize(
    ("tools", "name", "is_hit"),
    [
        (["websearch"], "WebSearch", True),
        (["web+search"], "WebSearch", True),
        (["web+fetch"], "WebSearch", False),
        (["mcp+github"], "mcp__github__create_issue", True),
        (["create+issue"], "mcp__github__createIssue", True),
        (["a", "web+search"], "WebSearch", True),
        (["search engine"], "WebSearch", False),
    ],
)
def test_a_tool_is_known_by_its_name_or_by_all_of_its_words(
    tools: list[str], name: str, is_hit: bool
) -> None:
    assert (_judge(ToolAttempt(tool=name), Action(tools=tools)) == STOP) is is_hit


@pytest.mark.parametrize(
    ("mention", "line", "is_hit"),
    [
        ("e2e", "npm run test:e2e", True),
        ("e2e", "npm run test", False),
        ("e2e", "./e2e/run", True),
        ("package:react", "npm install React@latest", True),
        ("package:react", "npm install react-dom", False),
        ("package:django", "pip install django>=4", True),
        ("package:@types/react", "npm install @types/react@19", True),
        ("package:react", "npm install @types/react", False),
    ],
)
def test_a_mention_is_a_word_and_a_package_is_its_whole_name(
    mention: str, line: str, is_hit: bool
) -> None:
    action = Action([CommandPattern()], mentions=[mention])
    assert (_judge(_run(line), action) == STOP) is is_hit


@pytest.mark.parametrize(
    ("line", "is_hit"),
    [
        ("psql -h db.prod.example", True),
        ("psql postgres://u@DB.prod.example/x", True),
        ("psql -h xdb.prod.example", False),
        ("psql -h db.prod.example.org", False),
        ("psql -h db.prod.example-2", False),
        ("psql -h db.prod.example.", True),
        ("grep db.prod.example .", False),
        ("HOST=db.prod.example psql", True),
        ("ssh db.prod.example 'rm x'", True),
    ],
)
def test_a_machine_is_known_by_its_whole_name(line: str, is_hit: bool) -> None:
    assert (_judge(_run(line), Action(hosts=["db.prod.example"])) == STOP) is is_hit


def test_a_machine_in_the_text_of_a_tool_and_one_with_a_star_are_known() -> None:
    use = ToolAttempt(tool="fetch", text="https://a.prod.example/x")
    assert _judge(use, Action(hosts=["*.prod.example"])) == STOP
    assert _judge(use, Action(hosts=["*.dev.example"])) == NONE


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("git push", ASK),
        ("git push origin", ASK),
        ("git push origin main", STOP),
        ("git push origin docs", NONE),
        ("git push origin docs main", STOP),
        ("git push origin docs $X", ASK),
        ("git push origin $X main", STOP),
        ("git push origin HEAD:main", STOP),
        ("git push origin HEAD:docs", NONE),
        ("git push origin HEAD", ASK),
        ("git push origin @", ASK),
        ("git push origin $(x)", ASK),
        ("git push origin +main", STOP),
        ("git push origin :main", STOP),
        ("git push origin refs/heads/main", STOP),
        ("git push --all", STOP),
        ("git push --mirror", STOP),
        ("git push --tags", NONE),
        ("git push --tags origin main", STOP),
        ("git branch -D main", STOP),
        ("git branch -D docs main", STOP),
        ("git branch -D docs", NONE),
        ("git rebase docs main", STOP),
        ("git rebase main docs", NONE),
        ("git rebase main", ASK),
        ("git merge x", ASK),
        ("git switch main && git merge x", STOP),
        ("gh pr create", ASK),
        ("gh pr create --base main", STOP),
        ("gh pr create -B main", STOP),
        ("gh pr create --base docs", NONE),
    ],
)
def test_a_command_works_on_a_branch_surely_perhaps_or_not(line: str, outcome: str) -> None:
    action = Action([CommandPattern("git"), CommandPattern("gh")], branches=["release/*", "main"])
    assert _judge(_run(line), action) == outcome
    at_main = {"git push origin HEAD": STOP, "git push": STOP, "git merge x": STOP}
    if line in at_main:
        assert _judge(_run(line, branch="main"), action) == STOP
        assert _judge(_run(line, branch="docs"), action) == NONE
        assert _judge(_run(f"cd x && {line}", branch="docs"), action) == ASK
        assert _judge(_run(line.replace("git", "git -C x"), branch="docs"), action) == ASK


def test_a_branch_that_the_line_checked_out_is_the_one_it_works_on() -> None:
    action = Action([CommandPattern("git", ["merge"])], branches=["main"])
    assert _judge(_run("git switch docs && git merge x"), action) == NONE
    assert _judge(_run("git switch main && git merge x", branch="docs"), action) == STOP


def test_a_branch_pattern_and_a_remote_branch_name_are_branches() -> None:
    action = Action([CommandPattern("git")], branches=["release/*", "main"])
    assert _judge(_run("git push origin release/1"), action) == STOP
    assert _judge(_run("git branch -D origin/main"), action) == STOP
    assert _judge(_touch("a"), Action(branches=["main"])) == NONE
    unsure = Action(environments=["prod"], branches=["main"])
    assert _judge(_run("git push https://prod/x main"), unsure) == NONE


_PATCH = """
*** Begin Patch
*** Add File: a
*** Update File: b\x20
*** Move to: c
*** Delete File: d
*** Other: e
Add File: f
+*** Add File: g
"""


def test_a_patch_names_the_files_that_it_changes() -> None:
    patch = _PATCH.strip()
    found = [(each.deed, each.path) for each in iter_patch_paths(patch)]
    assert found == [(WRITE, "a"), (WRITE, "b"), (WRITE, "c"), (DELETE, "d")]
    line = f"apply_patch <<'E'\n{patch}\nE"
    assert _judge(_run(line), Action(paths=["d"], deed=DELETE)) == STOP
    assert _judge(_run(line), Action(paths=["g"], deed=ANY)) == NONE
