"""Rules are built from sentences: what they forbid, allow and need, and where they hold."""

from datetime import date

import pytest

from gieok.text.gates.action import Action, ActionRule, CommandPattern
from gieok.text.gates.deeds import DEEDS, KnownDeed, build_deed_patterns
from gieok.text.gates.statement import is_ended_by, read_action_rules

_WEDNESDAY = date(2026, 11, 25)


def _describe_action(action: Action) -> str:
    """Return the fields of an action that are filled; of more than three commands the first."""
    row = action.build_row()
    commands = [_describe_pattern(pattern) for pattern in action.commands]
    if len(commands) > 3:
        commands = [commands[0], f"+{len(commands) - 1}"]
    fields = (
        f"{name}={' '.join(value) if isinstance(value, list) else value}"
        for name, value in row.items()
        if name != "commands"
    )
    return " ".join((", ".join(commands), *fields)).strip()


def _describe_pattern(pattern: CommandPattern) -> str:
    row = pattern.build_row()
    words = " ".join((pattern.program, *pattern.words)).strip()
    fields = (
        f"{name}={' '.join(value) if isinstance(value, list) else value}"
        for name, value in row.items()
        if name not in ("program", "words", "is_literal")
    )
    return " ".join((words, *fields)).strip()


def _describe_rules(said: str) -> str:
    found = []
    for rule in read_action_rules(said, _WEDNESDAY):
        parts = [rule.mode, *(f"[{_describe_action(each)}]" for each in rule.actions)]
        parts += [f"unless [{_describe_action(each)}]" for each in rule.unless]
        parts += [f"needed {len(rule.needed)} {rule.needed[0].program}"] if rule.needed else []
        for name in ("days", "until", "folder", "project", "branches", "is_everywhere"):
            value = getattr(rule, name)
            listed = " ".join(map(str, value)) if isinstance(value, tuple) else value
            parts += [f"{name}={listed}"] if value else []
        found.append(" ".join(parts))
    return " / ".join(found)


@pytest.mark.parametrize(
    ("said", "rules"),
    [
        ("never push to main. Just kidding.", ""),
        ("never push to main. docs is fine.", ""),
        ("never push to main. Pushing to docs is fine.", ""),
        ("never push to main. It was Bob's rule last year.", ""),
        (
            "never push to main. You can rebase.",
            "stop [git push branches=main] unless [git rebase lacks=--abort --continue, git pull flags=--rebase]",
        ),
        ("fix it. never push. docs is fine", ""),
        ("never push to main (docs is fine)", ""),
        ("never push to main (docs is fine) (never)", ""),
        (
            "never edit anything outside of /tmp",
            "stop [deed=change paths=**] unless [deed=any paths=/tmp]",
        ),
        ("docs 폴더 밖은 수정하지 마", ""),
        ("change nothing but docs/", ""),
        ("in apps/web never run npm install", "stop [npm install] folder=apps/web/"),
        (
            "never touch infra/ except infra/README.md",
            "stop [deed=change paths=infra/] unless [deed=any paths=infra/README.md]",
        ),
        (
            "never push to main without running npm test",
            "ask [git push branches=main] needed 66 npm",
        ),
        (
            "never format files without running black",
            "ask [deed=change paths=format/ format.*] needed 1 black",
        ),
        ("never run git push --force", "stop [git push flags=--force]"),
        ("never push with --force", "stop [git push flags=--force]"),
        ("never commit vendor/", "stop [deed=commit paths=vendor/]"),
        ("never delete data/x.csv", "stop [deed=delete paths=data/x.csv]"),
        ("never rm -rf dist", "stop [rm dist flags=-rf]"),
        ("never rm -rf anything in dist", "stop [rm flags=-rf deed=any paths==dist]"),
        ("never run the whole test suite", "stop [npm test is_whole=True, +32]"),
        (
            "never install packages with pip",
            "stop [pip install fewest=1 lacks=-r --requirement -e --editable]",
        ),
        ("never run apt with -y", "stop [apt flags=-y]"),
        ("never touch production", "stop [environments=production]"),
        ("never use WebSearch", "stop [tools=WebSearch]"),
        ("never ssh into db.example.com", "stop [ssh, +15 hosts=db.example.com]"),
        ("never touch main", "stop [git merge lacks=--abort --continue, +6 branches=main]"),
        (
            "never edit prod.yml in production",
            "stop [deed=change environments=production paths=prod.yml]",
        ),
        ("never deploy to prod except on docs", ""),
        ("never push except to docs", ""),
        ("don't push yet", ""),
        ("don't push until 2026-11-30", "ask [git push] [tools=push+files] until=2026-11-30"),
        ("never push now", ""),
        ("could you never push?", "stop [git push] [tools=push+files]"),
        ("never push?", ""),
        ("never push, ok?", "stop [git push] [tools=push+files]"),
        ("you can commit without asking, but never push", "stop [git push] [tools=push+files]"),
        ("you can push without asking, just never to main", "stop [git push branches=main]"),
        ("it's fine to commit without asking. never push", "stop [git push] [tools=push+files]"),
        ("커밋은 안 물어봐도 되는데 푸시는 하지 마", "ask [git push] [tools=push+files]"),
        ("never create issues", "stop [gh issue create, glab issue create] [tools=create+issue]"),
        ("never drop tables", "stop [sql=drop table]"),
        ("never push to main in all projects", "stop [git push branches=main] is_everywhere=True"),
        ("never run make for the shop project", "stop [make] project=shop"),
        ("never deploy on Fridays", "stop [vercel deploy, +39] days=4"),
        ("never use -f", "stop [flags=-f]"),
        ("in infra/ never run terraform apply", "stop [terraform apply] folder=infra/"),
        (
            "on prod, never restart nginx",
            "stop [systemctl restart, +14 environments=production mentions=nginx]",
        ),
        ("for src/, ask me before you edit", "ask [deed=change paths=src/]"),
    ],
)
def test_a_message_states_these_rules_and_no_wider_ones(said: str, rules: str) -> None:
    assert _describe_rules(said) == rules


@pytest.mark.parametrize(
    ("said", "later", "is_ended"),
    [
        ("never run npm install", "you can run npm install again", True),
        ("in apps/web never run npm install", "you can run npm install again", False),
        ("never deploy on Fridays", "you can deploy again", False),
        ("never deploy from main", "you can deploy again", False),
        ("never run make for the shop project", "you can run make again", False),
        ("never run npm install", "you can run npm again", False),
        ("never run npm install", "I can run npm install again", False),
        ("never run npm install", "you can run npm install again only in docs/", False),
        ("don't deploy until 2026-11-30", "don't deploy", True),
        ("don't deploy", "don't deploy until 2026-11-30", False),
        ("don't deploy until 2026-11-30", "don't deploy until 2026-11-30", True),
    ],
)
def test_a_rule_ends_where_just_what_it_forbids_is_said_anew(
    said: str, later: str, is_ended: bool
) -> None:
    (rule,) = read_action_rules(said, _WEDNESDAY)
    assert is_ended_by(rule, later, read_action_rules(later, _WEDNESDAY)) is is_ended


def test_the_deeds_that_are_done_to_a_branch_of_git() -> None:
    assert {deed.name for deed in DEEDS if deed.is_on_branch} == {
        "amend",
        "cherry-pick",
        "commit",
        "delete branch",
        "force push",
        "merge",
        "merge request",
        "open request",
        "push",
        "rebase",
    }


def test_the_commands_of_a_deed_are_patterns() -> None:
    commands = "git tag +1 !-l !x; cap * deploy -f; git push * +*; script:load; sql:drop  table;"
    deed = KnownDeed("a deed", "", commands, "", "")
    assert [_describe_pattern(pattern) for pattern in build_deed_patterns(deed)] == [
        "git tag fewest=1 lacks=-l x",
        "cap * deploy flags=-f",
        "git push * +*",
        "script=load",
        "sql=drop table",
    ]


@pytest.mark.parametrize(
    "row",
    [
        {"mode": 1},
        {"actions": [{"paths": "a"}]},
        {"actions": [{"paths": [1]}]},
        {"actions": [{"deed": ["a"]}]},
        {"actions": [{"commands": [{"words": "ab"}]}]},
        {"actions": [{"commands": [{"words": [1]}]}]},
        {"actions": [{"commands": [{"is_literal": "yes"}]}]},
        {"actions": [{"commands": [{"fewest": "1"}]}]},
        {"actions": [{"commands": [{"program": ["a"]}]}]},
        {"days": ["1"]},
        {"days": 1},
        {"branches": "main"},
        {"allowed": [1]},
        {"is_everywhere": "yes"},
    ],
)
def test_a_row_of_other_types_is_no_rule(row: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        ActionRule.from_row({"text": "a", "mode": "ask", "actions": [], **row})
