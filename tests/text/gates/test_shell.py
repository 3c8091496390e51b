"""Command lines are read as a shell reads them."""

import pytest

from gieok.text.gates.programs import CommandWords
from gieok.text.gates.shell import read_shell_line

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
