"""Command lines are read as a shell reads them."""

import pytest

from gieok.text.gates.programs import CommandWords
from gieok.text.gates.shell import (
    Invocation,
    LineTooLargeError,
    is_known_by_exit,
    read_shell_line,
    read_whole_line,
)

#: Lines in which a program runs another one. Before some stands a word of a time or a machine.
_WRAPPED = """
sudo ; doas ; env ; nohup ; /usr/bin/time ; timeout 9 ; gtimeout 9 ; nice ; ionice ; stdbuf ; setsid
caffeinate ; watch ; xargs ; command ; builtin ; exec ; npx ; pnpx ; bunx ; uvx ; pipx run
npm exec ; pnpm exec ; pnpm dlx ; yarn exec ; yarn dlx ; bun x ; corepack ; poetry run
pipenv run ; uv run ; uv tool run ; pdm run ; hatch run ; rye run ; pixi run ; bundle exec
rbenv exec ; mise exec ; dotenv ; dotenvx run ; doppler run ; infisical run ; op run
direnv exec . ; aws-vault exec prod ; docker exec db ; docker run db ; docker compose exec db
docker compose run db ; podman exec db ; kubectl exec db ; heroku run
"""


def _programs(line: str) -> list[str]:
    return [" ".join((step.program, *step.arguments)) for step in read_shell_line(line)]


@pytest.mark.parametrize(
    ("line", "programs"),
    [
        ("git push", ["git push"]),
        ("a && b; c || d | e & f", ["a", "b", "c", "d", "e", "f"]),
        ("git commit -m 'a && b'", ["git commit -m a && b"]),
        ('echo "a; b" \\; c', ["echo a; b ; c"]),
        ("X=1 Y='2 3' git push", ["git push"]),
        ("# git push\nls # rm", ["ls"]),
        ("(cd x; git push)", ["cd x", "git push"]),
        ("if true; then git push; fi", ["true", "git push"]),
        ("for f in a b; do rm $f; done", ["rm $f"]),
        ("echo $(git push) `ls`", ["echo $() $()", "git push", "ls"]),
        ('bash -lc "cd a && git push"', ["cd a", "git push"]),
        ("sudo -u x git push", ["sudo -u x git push", "git push"]),
        ("env -i A=1 git push", ["env -i A=1 git push", "git push"]),
        ("timeout -s KILL 10 git push", ["timeout -s KILL 10 git push", "git push"]),
        ("npx --yes supabase db reset", ["npx --yes supabase db reset", "supabase db reset"]),
        ("python3 -m pip install x", ["python3 -m pip install x", "pip install x"]),
        (
            "docker compose -f x.yml exec -T db psql",
            ["docker compose -f x.yml exec -T db psql", "psql"],
        ),
        ("ssh -p 22 host 'git push'", ["ssh -p 22 host git push", "git push"]),
        ("find a -name '*.b' -exec rm {} +", ["find a -name *.b -exec rm {} +", "rm a/*.b"]),
        ("ls | xargs -n1 rm -f", ["ls", "xargs -n1 rm -f", "rm -f"]),
        ("B=main; git push origin $B ${B}x", ["git push origin main mainx"]),
        ("cat <<'E'\nrm x\nE\ngit push", ["cat", "git push"]),
        ("cat <<E > a\n$(git push) `rm b`\nE", ["cat", "git push", "rm b"]),
        ("cat <<E\n\\$(git push) \\`rm b\\`\nE", ["cat"]),
        ("cat <<'E'\n$(git push)\nE", ["cat"]),
        ("echo 'open", ["echo open"]),
        ('echo "a \\"b\\" c" d; ls', ['echo a "b" c d', "ls"]),
        ("echo a#b; git push # now", ["echo a#b", "git push"]),
        ("A=1; echo $A$B; ls", ["echo 1$B", "ls"]),
        ("echo -e 'git push' | sh", ["echo -e git push", "sh", "git push"]),
        ("bash -x ./deploy.sh prod", ["bash -x ./deploy.sh prod", "deploy.sh prod"]),
        ("poetry -q run git push", ["poetry -q run git push", "git push"]),
        ("docker container rm x", ["docker container rm x"]),
        ("", []),
    ],
)
def test_a_line_is_split_into_the_programs_that_it_runs(line: str, programs: list[str]) -> None:
    assert _programs(line) == programs


def test_the_program_that_another_one_runs_is_read() -> None:
    wrappers = [name.strip() for row in _WRAPPED.strip().split("\n") for name in row.split(" ; ")]
    lines = [f"{wrapper} git push" for wrapper in wrappers]
    assert [line for line in lines if _programs(line)[-1] != "git push"] == []


def test_a_step_knows_its_folder_branch_files_and_input() -> None:
    _, step = read_shell_line("cd a/b/.. && cat x 2>&1 >> out.txt")
    assert (step.folder, step.written) == ("a", ("out.txt",))
    assert read_shell_line("git checkout main && git push")[1].branch == "main"
    assert read_shell_line("git checkout -- main && git push")[1].branch == ""
    (step,) = read_shell_line("psql <<EOF\nDROP TABLE a;\nEOF\n")
    assert step.stdin == "DROP TABLE a;"
    assert read_shell_line("curl x | sh")[0].piped_into == "sh"
    assert read_shell_line("ssh prod ls")[1].hosts == ("prod",)
    assert read_shell_line("> out.txt")[0].written == ("out.txt",)


@pytest.mark.parametrize("flags", ["-rf", "-fr", "-r -f", "--recursive --force", "-Rf", "-f -R"])
def test_options_count_in_any_spelling_and_order(flags: str) -> None:
    parsed = CommandWords("rm", [*flags.split(), "x"])
    assert parsed.has_flag("-r")
    assert parsed.has_flag("-f")
    assert not parsed.has_flag("-i")
    assert parsed.words == ["x"]


def test_a_word_behind_an_option_that_takes_a_value_is_no_word() -> None:
    assert CommandWords("git", ["-C", "push", "status"]).words == ["status"]
    assert CommandWords("docker-compose", ["down"]).words == ["compose", "down"]
    assert CommandWords("npm", ["i", "x"]).words == ["install", "x"]


@pytest.mark.parametrize(
    "line",
    [
        "".join(f"v{number}=1;" for number in range(5_000)) + "echo " + "$v1 " * 5_000,
        "git push;" * 2_000,
        "git push " + ";" * 30_000,
        "$(" * 3_000 + "git push" + ")" * 3_000,
        "find " + "a " * 4_000 + "-exec rm " + "{} " * 4_000 + "+",
        "sudo " * 3_000 + "git push",
        "bash -c '" * 1_000 + "git push",
        "git push " + "x" * 30_000,
    ],
)
def test_a_line_that_is_larger_than_what_is_read_is_not_read_at_all(line: str) -> None:
    assert len(read_shell_line(line)) <= 128
    assert sum(len(step.arguments) for step in read_shell_line(line)) <= 20_000
    assert all("push" not in step.arguments for step in read_shell_line(line))


@pytest.mark.parametrize(
    "line",
    [
        "(" * 5_000 + "git push" + ")" * 5_000,
        "git push " + '"' * 9_000,
        "git push " + "'a' " * 2_000,
        "git push {a,b}" + "{a,b}" * 1_500,
        "git push " + "$x" * 4_000,
        "git push " + ";" * 5_000,
        "git push " + "`" * 9_001,
        "git push > a " * 700,
    ],
)
def test_a_long_line_of_one_kind_is_read_in_one_pass(line: str) -> None:
    first = read_shell_line(line)[0]
    assert (first.program, first.arguments[0]) == ("git", "push")


def test_a_variable_does_not_grow_without_bound() -> None:
    push = read_shell_line("a=xx;" + "a=$a$a;" * 100 + "git push $a")[-1]
    assert push.program == "git"
    assert sum(map(len, push.arguments)) < 5_000


def _is_read(line: str) -> bool:
    try:
        return bool(read_whole_line(line))
    except LineTooLargeError:
        return False


@pytest.mark.parametrize(
    ("largest", "larger"),
    [
        ("echo " + "x" * 19_995, "echo " + "x" * 19_996),
        (";".join(["a"] * 128), ";".join(["a"] * 129)),
        ("a\n" * 128, "a\n" * 129),
        ("sudo " * 6 + "a", "sudo " * 7 + "a"),
        ("eval " * 6 + "a", "eval " * 7 + "a"),
        ("echo " + "$(" * 6 + "a" + ")" * 6, "echo " + "$(" * 7 + "a" + ")" * 7),
        ("ssh a " * 6 + "b", "ssh a " * 7 + "b"),
        ("sudo " * 5 + "bash -c a", "sudo " * 6 + "bash -c a"),
        ("sudo " * 5 + "bash <<< a", "sudo " * 6 + "bash <<< a"),
        ("sudo " * 5 + "find -exec a ;", "sudo " * 6 + "find -exec a ;"),
        # 1,012 characters, 2,004 for each variable, and 3 for each y.
        (
            f"a={'x' * 1_000};echo {'${a}' * 49}{'y' * 264}",
            f"a={'x' * 1_000};echo {'${a}' * 49}{'y' * 264} ",
        ),
    ],
)
def test_the_largest_line_is_read_and_one_more_is_not(largest: str, larger: str) -> None:
    assert _is_read(largest)
    assert not _is_read(larger)


def test_paths_that_find_puts_in_a_command_count_as_what_is_read() -> None:
    assert _is_read(f"find {'a ' * 150}-exec rm {'{} ' * 150}+")
    assert not _is_read(f"find {'a ' * 150}-exec rm {'{} ' * 400}+")


@pytest.mark.parametrize(
    ("line", "programs"),
    [
        (f"a={'x' * 1_000}; echo $a", [f"echo {'x' * 1_000}"]),
        (f"a={'x' * 1_001}; echo $a", ["echo $a"]),
        ("a=1; echo $b ${a}", ["echo $b 1"]),
        ("a=; echo x$a", ["echo x"]),
        ("export -n a=1 b; echo $a$b", ["export -n a=1 b", "echo 1$b"]),
        ("export 1a=2; echo $1a", ["export 1a=2", "echo $1a"]),
        ("a_1=2; echo $a_1", ["echo 2"]),
        ("1=2 x", ["1=2 x"]),
        ("a.b=2 x", ["a.b=2 x"]),
        ("=2 x", ["=2 x"]),
        ("x a=1", ["x a=1"]),
        ("a\\\nb", ["ab"]),
        ("a\\ b", ["a b"]),
        ('a "b\\\\c"', ["a b\\c"]),
        ("a ''", ["a "]),
        ('a ""', ["a "]),
        ("a 'b", ["a b"]),
        ('a "b', ["a b"]),
        ('a "$(b c)" d', ["a $() d", "b c"]),
        ('a "`b c`" d', ["a $() d", "b c"]),
        ("a `b", ["a $()", "b"]),
        ("a $(b; (c); d) e", ["a $() e", "b", "c", "d"]),
        ("a $(b", ["a $()", "b"]),
        ("diff <(a) >(b)", ["diff $() $()", "a", "b"]),
        ("a # b\nc", ["a", "c"]),
        ("a #", ["a"]),
        ("a\tb\r\nc", ["a b", "c"]),
        ("a |& b", ["a", "b"]),
        ("case x in y) a b;; z) c;; esac", ["a b", "c", "esac"]),
        ("case x in (y|z) A=1 a > b;; esac", ["case x in y", "a", "esac"]),
        ("f() { a b; c; }; f", ["a b", "c", "f"]),
        ("(a; b) > c", ["a", "b"]),
        ("'if' x", ["if x"]),
        ("! a", ["a"]),
        ("a if", ["a if"]),
        ("a <<-E\n\tx\n\tE\nb", ["a", "b"]),
        ("a <<E <<'F'\n$(x)\nE\n$(y)\nF\nb", ["a", "b", "x"]),
        ("a <<E\n`x` `y`\n\\`z\nE", ["a", "x", "y"]),
        ("a <<E\n`x``y`\nE", ["a", "x", "y"]),
        ("a <<E\n$(x; (1)) $(y)", ["a", "x", "1", "y"]),
        ("eval a b", ["eval a b", "a b"]),
        ("bash -euo pipefail -c a", ["a"]),
        ("bash +o x -c a", ["a"]),
        ("bash --login a b", ["bash --login a b", "a b"]),
        ("bash --rco a", ["bash --rco a", "a"]),
        ("bash --rc -c a", ["a"]),
        ("bash -", ["bash -"]),
        ("echo a | bash -s", ["echo a", "bash -s", "a"]),
        ("cat <<E | bash\na\nE", ["cat", "bash", "a"]),
        ("cat - <<E | bash\na\nE", ["cat -", "bash", "a"]),
        ("cat b <<E | bash\na\nE", ["cat b", "bash"]),
        ("echo -n -- a | bash", ["echo -n -- a", "bash", "a"]),
        ("printf 'a\\nb' | bash", ["printf a\\nb", "bash", "a", "b"]),
        ("ls | bash", ["ls", "bash"]),
        ("echo a; bash", ["echo a", "bash"]),
        ("echo a | sudo bash", ["echo a", "sudo bash", "bash", "a"]),
        ("echo a | xargs bash", ["echo a", "xargs bash", "bash"]),
        ("echo a | bash <<< b", ["echo a", "bash", "b"]),
        ("ssh h <<< a", ["ssh h", "a"]),
        ("ssh h", ["ssh h"]),
        (
            "find a -exec b {} c \\; -ok d {} +",
            ["find a -exec b {} c ; -ok d {} +", "b a c", "d a"],
        ),
        ("find a -exec", ["find a -exec"]),
    ],
)
def test_quotes_documents_shells_and_substitutions_are_read(line: str, programs: list[str]) -> None:
    assert _programs(line) == programs


def _find_step(line: str) -> Invocation:
    return read_shell_line(line)[-1]


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("a > b", ("b",)),
        ("a >| b", ("b",)),
        ("a &> b", ("b",)),
        ("a &>> b", ("b",)),
        ("a >& b", ("b",)),
        ("a >&2", ()),
        ("a 2>&-", ()),
        ("a 2> b", ("b",)),
        ("a2> b", ("b",)),
        ("a < b", ()),
        ("a <> b", ("b",)),
        ("a > b > c", ("b", "c")),
        ("A=1 > b", ("b",)),
        ("(a) > b", ("b",)),
        ("for x in y > b", ()),
        ("sudo a > b", ("b",)),
        ("b=c; a > $b", ("c",)),
    ],
)
def test_what_a_redirection_writes_is_a_file(line: str, written: tuple[str, ...]) -> None:
    assert _find_step(line).written == written if read_shell_line(line) else not written


def test_a_number_before_a_redirection_is_no_word_and_a_name_is_one() -> None:
    assert _programs("a 2> b") == ["a"]
    assert _programs("a x2> b") == ["a x2"]
    assert _find_step("> b").program == ":"
    assert _find_step("cd x; > b").folder == "x"


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("cd a; x", "a"),
        ("cd a; cd b; x", "a/b"),
        ("cd a; cd /b; x", "/b"),
        ("cd -P a; x", "a"),
        ("cd; x", "~"),
        ("cd a; cd ~/b; x", "~/b"),
        ("cd a; cd $HOME/b; x", "$HOME/b"),
        ("cd a; cd ${HOME}; x", "${HOME}"),
        ("pushd a; x", "a"),
        ("cd a; bash -c x", "a"),
        ("cd a; bash <<< x", "a"),
        ("cd a; bash y", "a"),
        ("cd a; ssh h x", "/"),
        ("bash -c 'cd a'; x", ""),
        ("eval cd a; x", "a"),
    ],
)
def test_a_step_runs_where_the_line_went_before(line: str, folder: str) -> None:
    assert _find_step(line).folder == folder


@pytest.mark.parametrize(
    ("line", "branch"),
    [
        ("git checkout a; x", "a"),
        ("git switch a; x", "a"),
        ("git switch -c a; x", "a"),
        ("git checkout a b; x", ""),
        ("git checkout; x", ""),
        ("git fetch a; x", ""),
        ("hg checkout a; x", ""),
        ("git switch a; git switch b; x", "b"),
        ("x; git switch a", ""),
    ],
)
def test_a_step_is_on_the_branch_that_was_checked_out(line: str, branch: str) -> None:
    assert _find_step(line).branch == branch


def test_variables_machines_scripts_and_pipes_belong_to_a_step() -> None:
    assert _find_step("A=1 B=2 x").assignments == {"A": "1", "B": "2"}
    assert _find_step("A=1 env B=2 x").assignments == {"A": "1", "B": "2"}
    assert _find_step("ssh a ssh b x").hosts == ("a", "b")
    assert _find_step("python x.py").is_script
    assert _find_step("bash x").is_script
    assert not _find_step("sudo x").is_script
    assert not _find_step("x").is_script
    assert _find_step("sudo python x.py").is_script
    assert [step.piped_into for step in read_shell_line("a | b |& c; d")] == ["b", "c", "", ""]
    assert [step.stdin for step in read_shell_line("echo a | sudo b")] == ["", "a", "a"]
    assert _find_step("/usr/bin/x").program == "x"


@pytest.mark.parametrize(
    ("line", "is_known"),
    [
        ("a", True),
        ("a && b", True),
        ("a; b", False),
        ("a || b", False),
        ("a | b", False),
        ("a &", False),
        ("if a; then b; fi", False),
        ("! a", False),
        ("a '!'", True),
        ("a $(b)", False),
        ("a \"$(cat <<'E'\nx; y\nE\n)\"", True),
        ('a "$(cat <<E\nx; y\nE\n)"', True),
        ('a "$(cat <<E\n$(x)\nE\n)"', False),
        ('a "$(cat <<E\n`x`\nE\n)"', False),
        ('a "$(cat x)"', False),
        ("bash -c 'a && b'", True),
        ("bash -c 'a; b'", False),
        ("foo bash -c 'a; b'", False),
        ("foo bash -c 'a && b'", True),
        ("foo /bin/sh -c 'a; b'", False),
        ("foo x 'a; b'", True),
        ("find . -name x", True),
        ("find . -exec x {} +", False),
        ("make x", True),
        ("make -i x", False),
        ("make -ki x", False),
        ("gmake --ignore-errors", False),
        ("make --ignore-errors-x", True),
        ("npm -i x", True),
        ("su -c a", False),
        ("a && flock x b", False),
        ("a " + "x" * 21_000, False),
    ],
)
def test_an_exit_status_tells_of_all_programs_only_where_none_hides(
    line: str, is_known: bool
) -> None:
    assert is_known_by_exit(line) is is_known
