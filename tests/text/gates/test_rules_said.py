"""What people say is read into rules that act on what it names, and on nothing wider."""

import re
from datetime import date, timedelta

import pytest
from row_tables import for_each_row
from tests.support.said_rules import CASES, HALF_READ, NO_RULES, ONLY_NOW, OTHERS_RULES

from gieok.text.gates import deeds, forms, verdict
from gieok.text.gates.action import ASK, NONE, STOP, ActionRule
from gieok.text.gates.statement import keep_holding_rules, read_action_rules
from gieok.text.gates.touched import READ, WRITE, TouchedPath
from gieok.text.gates.verdict import ToolAttempt, judge_tool_attempt, list_rule_names

_WEDNESDAY = date(2026, 11, 25)


def _attempt(use: str, day: date = _WEDNESDAY, **more: str) -> ToolAttempt:
    kind, _, name = use.partition(":")
    given = {"folder": "/w", "root": "/w", "day": day.isoformat(), **more}
    if kind in ("edit", "read"):
        deed = WRITE if kind == "edit" else READ
        paths = [TouchedPath(deed, name)]
        return ToolAttempt(tool=kind, paths=paths, weekday=day.weekday(), **given)
    if kind == "tool":
        return ToolAttempt(tool=name, weekday=day.weekday(), **given)
    return ToolAttempt(tool="Bash", command=use, weekday=day.weekday(), **given)


def _judge(*said: str, use: str, day: date = _WEDNESDAY, **more: str) -> str:
    rules = keep_holding_rules((text, _WEDNESDAY) for text in said)
    attempt = _attempt(use, day, **more)
    outcomes = {judge_tool_attempt(rule, attempt) for rule in rules}
    for rule in rules:  # what is looked at first leaves out no rule that acts
        names = list_rule_names(rule)
        if judge_tool_attempt(rule, attempt) != NONE and names and not attempt.is_unread:
            assert attempt.list_names() & set(names)
    return next((outcome for outcome in (STOP, ASK) if outcome in outcomes), NONE)


@for_each_row(CASES)
def test_a_rule_acts_on_what_it_names_and_on_nothing_beside(
    rule: str, forbidden: list[str], harmless: list[str]
) -> None:
    assert {use: _judge(rule, use=use) != NONE for use in forbidden} == dict.fromkeys(
        forbidden, True
    )
    assert {use: _judge(rule, use=use) for use in harmless} == dict.fromkeys(harmless, NONE)


@for_each_row([*NO_RULES, *OTHERS_RULES, *HALF_READ, *ONLY_NOW])
def test_what_only_looks_like_a_rule_is_none(said: str) -> None:
    assert read_action_rules(said, _WEDNESDAY) == []


@pytest.mark.parametrize(
    ("pattern", "example", "counter_example"),
    [*forms.STRICT, *forms.PLAIN, *forms.ASKING, *forms.NO_RULE],
)
def test_a_form_matches_its_example_and_not_its_counter_example(
    pattern: str, example: str, counter_example: str
) -> None:
    assert re.search(pattern, example, re.IGNORECASE | re.ASCII)
    assert not re.search(pattern, counter_example, re.IGNORECASE | re.ASCII)


@pytest.mark.parametrize("deed", deeds.DEEDS, ids=[deed.name for deed in deeds.DEEDS])
def test_a_deed_is_found_in_its_example_and_not_in_its_counter_example(
    deed: deeds.KnownDeed,
) -> None:
    assert re.search(deed.words, deed.example, re.IGNORECASE | re.ASCII)
    assert not re.search(deed.words, deed.counter_example, re.IGNORECASE | re.ASCII)


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("never push to main", STOP),
        ("main에는 절대 푸시하지 마", STOP),
        ("pushing to main is forbidden", STOP),
        ("don't push to main", ASK),
        ("main에 푸시하지 마", ASK),
        ("never push to main without asking me", ASK),
        ("ask me before you push to main", ASK),
    ],
)
def test_only_words_without_an_exception_stop(said: str, outcome: str) -> None:
    assert _judge(said, use="git push origin main") == outcome


def test_a_branch_that_nobody_knows_is_asked_and_one_that_is_known_decides() -> None:
    assert _judge("never push to main", use="git push") == ASK
    assert _judge("never push to main", use="git push", branch="main") == STOP
    assert _judge("never push to main", use="git push", branch="feature") == NONE
    assert _judge("never push to main", use="cd ../other && git push", branch="feature") == ASK


def test_a_rule_holds_on_its_days_and_until_its_last_day_alone() -> None:
    friday = _WEDNESDAY + timedelta(days=2)
    assert _judge("never deploy on Fridays", use="npm run deploy", day=friday) == STOP
    assert _judge("금요일에는 배포하지 마", use="npm run deploy", day=friday) == ASK
    assert _judge("never deploy on Fridays", use="npm run deploy") == NONE
    ends = "Don't deploy until 2026-11-30"
    assert _judge(ends, use="npm run deploy", day=date(2026, 11, 29)) == ASK
    assert _judge(ends, use="npm run deploy", day=date(2026, 12, 2)) == NONE


@pytest.mark.parametrize(
    ("said", "hours"),
    [
        ("don't deploy after 6pm", (1080, 1440)),
        ("never deploy before 9:30", (0, 570)),
        ("never deploy between 9 and 5", (540, 1020)),
        ("never deploy from 10pm to 6am", (1320, 360)),
        ("never deploy outside business hours", (1080, 540)),
        ("never deploy until noon", (0, 720)),
        ("11시 전에는 배포하지 마", (0, 1380)),
        ("밤 11시부터 새벽 6시까지 배포하지 마", (1380, 360)),
        ("업무 시간에는 배포 금지", (540, 1080)),
        ("never deploy", ()),
    ],
)
def test_a_rule_holds_in_its_hours(said: str, hours: tuple[int, ...]) -> None:
    [rule] = read_action_rules(said, _WEDNESDAY)
    assert rule.hours == hours
    starts, ends = hours or (0, 1440)
    for minute, holds in ((starts, True), (ends - 1, True), (ends % 1440, not hours)):
        use = ToolAttempt(command="vercel deploy", day="2026-11-25", minute=minute)
        assert (judge_tool_attempt(rule, use) != NONE) is holds
    unknown = ToolAttempt(command="vercel deploy", day="2026-11-25")
    assert judge_tool_attempt(rule, unknown) != NONE


def test_a_rule_about_a_named_project_holds_in_that_project() -> None:
    said = "in the shop repo never force push"
    assert _judge(said, use="git push -f", root="/home/u/shop") == STOP
    assert _judge(said, use="git push -f", root="/home/u/blog") == NONE


def test_a_later_sentence_lifts_a_rule_or_takes_its_place() -> None:
    never = "never push to main"
    assert _judge(never, "you can push to main again", use="git push origin main") == NONE
    assert _judge(never, "you can push to develop again", use="git push origin main") == STOP
    assert _judge(never, "ask me before you push to main", use="git push origin main") == ASK
    assert _judge("배포하지 마", "이제 배포해도 돼", use="npm run deploy") == NONE


@pytest.mark.parametrize(
    ("rule", "permission"),
    [
        ("ask me before you commit", "it's fine to commit without asking me"),
        ("ask me before you commit", "commits are fine without asking"),
        ("ask me before you commit", "feel free to commit without asking me first"),
        ("ask me before you push", "pushing without asking is fine"),
        ("커밋하기 전에 나한테 물어봐", "커밋은 안 물어보고 해도 돼"),
        ("배포 전에 꼭 물어봐", "배포는 물어볼 필요 없어"),
    ],
)
def test_a_permission_to_ask_nothing_is_no_rule_and_ends_one(rule: str, permission: str) -> None:
    day = date(2026, 11, 25)
    assert [held.text for held in keep_holding_rules([(rule, day)])] == [rule]
    assert keep_holding_rules([(permission, day)]) == []
    assert keep_holding_rules([(rule, day), (permission, day)]) == []


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("it's fine to commit without asking me, but pushing is mine", NONE),
        ("no need to ask before you commit, just don't push", ASK),
        ("커밋은 안 물어봐도 되는데 푸시는 절대 하지 마", STOP),
        ("you can commit without asking me but never push", STOP),
        ("물어보지 않고 커밋해도 되는데 푸시는 하지 마", ASK),
        ("커밋은 물어볼 필요 없는데 푸시는 나한테 물어보고 해", ASK),
    ],
)
def test_a_permission_before_a_rule_is_no_part_of_it(said: str, outcome: str) -> None:
    assert _judge(said, use="git commit -m x") == NONE
    assert _judge(said, use="git push") == outcome


def test_a_rule_without_a_verb_is_about_what_was_allowed_before_it() -> None:
    said = "You can push without asking, just never to main"
    assert _judge(said, use="git push origin main") == STOP
    assert _judge(said, use="git push origin docs") == NONE


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("ask me before you push", "it's fine to push without asking this once"),
        ("ask me before you push", "it's fine to push without asking for this one"),
        ("배포 전에 꼭 물어봐", "오늘은 안 물어보고 배포해도 돼"),
        ("never push", "you can push again for this one"),
    ],
)
def test_what_is_allowed_for_once_ends_no_rule(rule: str, later: str) -> None:
    day = date(2026, 11, 25)
    assert [held.text for held in keep_holding_rules([(rule, day), (later, day)])] == [rule]


@pytest.mark.parametrize(
    "said",
    [
        "it's not fine to commit without asking me",
        "never commit without asking me",
        "it's fine to commit without asking me, but never push",
        "나한테 안 묻고 커밋하지 마",
    ],
)
def test_what_only_looks_like_a_permission_is_a_rule(said: str) -> None:
    assert keep_holding_rules([(said, date(2026, 11, 25))])


def test_only_the_same_actions_in_the_same_scope_end_a_rule() -> None:
    never, push = "never push", "git push origin main"
    for later in (
        "you can push to the docs branch now",
        "you can push to develop again",
        "you can push to main again",
        "you can push again if the tests pass",
        "you can pull again",
        "docs 브랜치에는 이제 푸시해도 돼",
        "forget the rule about naming",
        "never push on Fridays",
        "never push until 2026-11-26",
        'Kim says "you can push again"',
    ):
        assert _judge(never, later, use=push, day=_WEDNESDAY + timedelta(days=7)) == STOP, later
    assert _judge(never, "you can push again", use=push) == NONE
    assert _judge("never push to main", "never push to main on Fridays", use=push) == STOP


def test_a_list_of_rules_of_ones_own_is_read_line_by_line() -> None:
    for said in (
        "Rules:\n- never push to main\n- never force push",
        "앞으로:\n1. main에 푸시하지 마\n2. rm -rf 쓰지 마",
        "- never push to main\n- never force push",
        "Fix the login page.\nNever push to main.\nNever force push.",
    ):
        assert len(read_action_rules(said, _WEDNESDAY)) == 2, said


def test_a_condition_that_a_command_meets_is_met_and_one_that_nobody_sees_asks() -> None:
    said = "don't run the migrations unless ./check.sh ran before"
    assert _judge(said, use="./check.sh && npm run migrate") == NONE
    assert _judge(said, use="npm run migrate") == ASK
    assert _judge("never deploy while the backup runs", use="npm run deploy") == ASK


def test_a_rule_that_holds_on_a_branch_asks_where_nobody_knows_the_branch() -> None:
    said = "when you are on main, never upgrade dependencies"
    assert _judge(said, use="npm update", branch="main") == STOP
    assert _judge(said, use="npm update", branch="develop") == NONE
    assert _judge(said, use="npm update") == ASK
    assert _judge(said, use="git switch develop && npm update", branch="main") == NONE


def test_a_reason_narrows_and_widens_nothing() -> None:
    for said in (
        "never use sudo, you broke my .zshrc again",
        "we share this machine, so never use sudo, it locks the others out here",
        "it ran for an hour yesterday so pls never use sudo",
    ):
        assert _judge(said, use="sudo ls") == STOP, said
        assert _judge(said, use="edit:.zshrc") == NONE, said


def test_an_option_of_one_letter_means_what_its_subcommand_makes_of_it() -> None:
    assert _judge("never use --no-verify", use="git commit -n -m x") == STOP
    assert _judge("never use --no-verify", use="git push -n origin main") == NONE
    assert _judge("never push to main", use="git push -n origin main") == NONE
    assert _judge("Never run gh pr merge --squash", use="gh pr merge -s 12") == STOP


def test_an_environment_in_a_path_is_a_part_of_the_path() -> None:
    assert _judge(".env.production은 건드리지 마", use="edit:.env.production") == ASK
    assert _judge(".env.production은 건드리지 마", use="echo A=1 >> ./.env.production") == ASK
    assert _judge(".env.production은 건드리지 마", use="edit:.env.local") == NONE


def test_a_folder_that_must_not_be_removed_is_not_what_lies_in_it() -> None:
    assert _judge("never rm -rf dist", use="rm -rf dist") == STOP
    assert _judge("never rm -rf dist", use="rm -rf ./dist/*") == STOP
    assert _judge("never rm -rf dist", use="rm -rf dist/cache") == NONE
    assert _judge("never rm -rf anything in dist/", use="rm -rf dist/cache") == STOP


@pytest.mark.parametrize(
    "use",
    [
        "sh -c 'git push origin main'",
        "bash -lc 'cd api && git push origin main'",
        "sudo -u kim git push origin main",
        "env A=1 git push origin main",
        "A=1 nohup git push origin main",
        "echo main | xargs git push origin main",
        "npm test && git push origin main",
        "git fetch; git push origin main",
        "echo $(git push origin main)",
        'echo "`git push origin main`"',
        "cd api && git push origin main",
        "git -C api push origin main",
        "bash <<'EOF'\ngit push origin main\nEOF",
        "if true; then git push origin main; fi",
        "(git push origin main)",
        "command git push origin main",
        "timeout 10 git push origin main",
        "eval 'git push origin main'",
        "B=main; git push origin $B",
    ],
)
def test_a_deed_is_seen_in_each_form_of_the_shell(use: str) -> None:
    assert _judge("never push to main", use=use) == STOP


@pytest.mark.parametrize(
    "use",
    [
        "echo 'git push origin main'",
        "printf '%s' 'git push origin main'",
        "grep -rn 'git push origin main' .",
        "rg 'supabase db reset' docs",
        "git commit -m 'never git push origin main'",
        "git commit -F - <<'EOF'\ngit push origin main\nEOF",
        "git log --grep 'git push origin main'",
        "gh pr create --title 'git push origin main' --body 'supabase db reset'",
        "cat > deploy.sh <<'EOF'\ngit push origin main\nsupabase db reset\nEOF",
        "tee run.sh <<'EOF'\nsupabase db reset\nEOF",
        "echo 'supabase db reset' >> notes.md",
        "sed -i 's/git push/supabase db reset/' notes.md",
        "# git push origin main",
        "man git-push",
        "which supabase",
    ],
)
def test_what_only_mentions_a_deed_is_none(use: str) -> None:
    for said in ("never push to main", "never run supabase db reset", "never touch production"):
        assert _judge(said, use=use) == NONE, said


def test_names_of_a_user_are_no_patterns() -> None:
    assert _judge("never edit `app/[id]/page.tsx`", use="edit:app/[id]/page.tsx") == STOP
    assert _judge("never edit `app/[id]/page.tsx`", use="edit:app/i/page.tsx") == NONE
    for said in ("never run `DROP TABLE (a`", "never run `drop table a+`", "never touch c++/"):
        _judge(said, use="psql -c 'drop table aa'")
    assert _judge("never run `drop table a+`", use="psql -c 'drop table aaa'") == NONE


def test_a_rule_comes_back_from_its_row_as_it_was() -> None:
    for said, *_ in CASES:
        for rule in read_action_rules(said, _WEDNESDAY):
            row = rule.build_row()
            assert ActionRule.from_row(row).build_row() == row


@pytest.mark.parametrize(
    "said",
    [
        "you can't push to main again",
        "you may not push to main again",
        "nobody can push to main again",
        "I can push to main again",
        "이제 나는 main에 푸시해도 돼",
        "이제 팀장님만 main에 푸시해도 돼",
    ],
)
def test_a_prohibition_and_what_others_may_do_end_no_rule(said: str) -> None:
    assert _judge("never push to main", said, use="git push origin main") == STOP


@pytest.mark.parametrize(
    ("said", "allowed", "forbidden"),
    [
        ("never run rm -rf (build/ is okay)", "rm -rf build", "rm -rf src"),
        ("never run rm -rf; dist/ is an exception", "rm -rf dist", "rm -rf src"),
        ("never run rm -rf, dist/ excepted", "rm -rf dist", "rm -rf src"),
        ("never run rm -rf except in build/", "rm -rf build/x", "rm -rf src"),
        (
            "Never force push. Force pushing to the docs branch is fine.",
            "git push -f origin docs",
            "git push -f origin main",
        ),
        (
            "Never push to main, feature branches are fine",
            "git push origin feature",
            "git push origin main",
        ),
        ("Never push to main. You can open a PR instead.", "gh pr create", "git push origin main"),
        ("Never push to main. OK, now fix it.", "git push origin x", "git push origin main"),
    ],
)
def test_an_exception_beside_a_rule_is_allowed_and_nothing_more(
    said: str, allowed: str, forbidden: str
) -> None:
    assert (_judge(said, use=allowed), _judge(said, use=forbidden)) == (NONE, STOP)


@pytest.mark.parametrize(
    "said",
    [
        "rm -rf 절대 쓰지 마, build 폴더는 예외",
        "never force push. My own branches are fine though.",
        "절대 npm publish 하지 마. 단, 베타는 괜찮아",
        "never push to main, docs excepted",
        "Never run rm -rf. You may use it in build though.",
        "Never force push. It was Bob's rule last year.",
        "Never force push, it was Bob's rule last year",
        "never push to main, except when on a hotfix branch",
        "태그는 네가 푸시하지 마",
        "don't push tags",
    ],
)
def test_a_rule_with_an_exception_that_is_not_understood_is_none(said: str) -> None:
    assert read_action_rules(said, _WEDNESDAY) == []


def test_a_command_that_must_have_run_is_looked_for_once(monkeypatch) -> None:
    looked: list[object] = []
    runs = verdict._runs_command
    monkeypatch.setattr(
        verdict, "_runs_command", lambda *given: looked.append(given) or runs(*given)
    )
    said = "don't push without running the tests"
    line = " && ".join(["git push"] * 120)
    assert _judge(said, use=line) == ASK
    rules = read_action_rules(said, _WEDNESDAY)
    patterns = len(rules[0].needed) + sum(len(each.commands) for each in rules[0].actions)
    assert len(looked) <= 2 * 120 * patterns
    assert _judge(said, use=f"npm test && {line}") == NONE


@pytest.mark.parametrize(
    "line",
    [
        "echo 'git push origin main' | bash",
        "printf 'cd x\\ngit push origin main\\n' | sh -s",
        "cat <<'E' | sudo bash\ngit push origin main\nE",
        "sudo bash <<'E'\ngit push origin main\nE",
    ],
)
def test_a_literal_text_that_a_shell_is_given_is_read(line: str) -> None:
    assert _judge("never push to main", use=line) == STOP


def test_a_line_that_is_too_large_is_asked_where_it_has_the_names_of_a_rule() -> None:
    filler = f"echo {'x' * 21_000}"
    assert _judge("never push to main", use=f"{filler}; git push origin main") == ASK
    assert _judge("never push to main", use=filler) == NONE
    assert _judge("don't touch billing/", use=f"{filler} > billing/a.py") == ASK


@pytest.mark.parametrize("line", ["rm -Rf build", "rm -fR build", "rm -R -f build"])
def test_every_spelling_of_an_option_is_one(line: str) -> None:
    assert _judge("never run rm -rf", use=line) == STOP
