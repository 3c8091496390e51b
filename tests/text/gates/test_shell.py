"""Command lines are read as a shell reads them."""

import pytest

from gieok.text.gates.programs import CommandWords
from gieok.text.gates.shell import read_shell_line


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
        ("echo 'open", ["echo open"]),
        ("", []),
    ],
)
def test_a_line_is_split_into_the_programs_that_it_runs(line: str, programs: list[str]) -> None:
    assert _programs(line) == programs


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
