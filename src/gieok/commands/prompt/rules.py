"""`gieok rules`: the rules about actions that ask, stop or remind when a tool is used."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import mul
from pathlib import Path
from typing import Annotated

from gieok.agents import table
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden, Omitted, Score
from gieok.commands.last_day import parse_coming_day, parse_last_day
from gieok.commands.prompt.spoken_rules import load_spoken_rules
from gieok.commands.scope_names import name_scope
from gieok.errors import BadRequest, EmbedderFailed, NotFound
from gieok.flow.gate_rules import (
    DAMAGED,
    GateChoices,
    GateRule,
    change_gate_choices,
    find_judged_action,
    load_gate_choices,
    load_gate_rules,
)
from gieok.home.call import Call
from gieok.home.withholding import find_withheld_notice
from gieok.hook import gates
from gieok.hook.rules import BindingRule
from gieok.memory.talk import gate_lines
from gieok.memory.talk.rule_sense import DescribedUse, find_broken_rules
from gieok.places.workplace import find_workplace
from gieok.ports.models import Reader
from gieok.text.gates.action import ASK, NONE, REMIND, STOP, Action
from gieok.text.gates.touched import WRITE, TouchedPath
from gieok.text.gates.verdict import ToolAttempt
from gieok.text.messages import Words

_MOST_SHOWN = 3
_FEWEST_DIGITS = 4
_EFFECTS = {STOP: Words("stops"), ASK: Words("asks"), REMIND: Words("reminds the agent")}
_NOT_READ = Words(
    "no command, file or tool is read in it, or words that may narrow it are not understood"
)
_SAID_ELSEWHERE = Words("it acts where it was said, and that is not here")


@dataclass(frozen=True, slots=True)
class RuleRow:
    """Rule about actions: the user's words, where they come from, and what the rule does.

    `outcome` is `stop`, `ask` or `remind`, `covers` what it is about in short; `by_sense`: a model
    holds against uses what it means in other words, too. `until` is the last day on which it holds.
    `source` is the handle of the memory with the words.
    """

    handle: str
    words: str
    day: str
    origin: str
    source: str
    scope: str
    outcome: str
    covers: tuple[str, ...]
    is_on: bool
    is_allowed_once: bool = False
    by_sense: bool = False
    until: Omitted[str] = None


@dataclass(frozen=True, slots=True)
class ToldRuleRow:
    """Rule that an agent is told and for which no tool is asked: the user's words."""

    handle: str
    words: str
    day: str
    scope: str
    why: Words
    is_on: bool = True


@dataclass(frozen=True, slots=True)
class RulesResult:
    """Rules that hold for the scopes of the call, newest first, and failures of the hook.

    `told_only` are rules that agents are told here and that act on no tool here.
    """

    rules: tuple[RuleRow, ...]
    failures: tuple[str, ...] = ()
    told_only: tuple[ToldRuleRow, ...] = ()
    #: Why no rule acts now: a pause, a private session, or an exclusion.
    withheld: Omitted[Words] = None

    @property
    def found(self) -> bool:
        """Return whether there is a rule."""
        return bool(self.rules or self.told_only)


@dataclass(frozen=True, slots=True)
class ActingRule:
    """Rule that acts on a tool's use beside another: how, by which words, and how surely."""

    outcome: str
    rule: str
    handle: str
    day: str
    sureness: Omitted[Score] = None


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """What would happen to a tool's use: `stop`, `ask`, `remind` or `none`.

    `rule` are the words that act, of the strongest rule; `also` are other rules that act, the
    strongest first.
    """

    outcome: str
    rule: str | None
    handle: Omitted[str] = None
    day: Omitted[str] = None
    #: Why no rule acts now: a pause, a private session, or an exclusion.
    withheld: Omitted[Words] = None
    #: How surely the reader takes the use for what the rule means, where no word of it says so.
    sureness: Omitted[Score] = None
    also: Omitted[tuple[ActingRule, ...]] = None
    found: Hidden[bool] = True


@dataclass(frozen=True, slots=True)
class RuleChange:
    """Rule whose state changed; one that agents are told, and that acts on no tool, has `why`."""

    rule: RuleRow | ToldRuleRow
    found: Hidden[bool] = True


def render_rules(result: RulesResult, style: Style) -> str:
    """Show a rule by its handle, its words, and a line on what it does."""
    lines = [_render_rule(row, style) for row in result.rules]
    if not lines:
        lines = [style.say("No rule about actions is known here.")]
    lines += _list_withheld_lines(result.withheld, style)
    if result.told_only:
        lines.append(
            style.say("Agents are told these, but no tool is asked or stopped for them here:")
        )
    lines += [_render_told_rule(row, style) for row in result.told_only]
    lines += [
        style.say("a tool ran unjudged: {failure}", failure=printable(failure))
        for failure in result.failures
    ]
    return "\n".join(lines)


def _list_withheld_lines(withheld: Words | None, style: Style) -> list[str]:
    if withheld is None:
        return []
    return [style.say("no rule acts now: {why}", why=withheld.say(style.lang))]


def _name_rule_scope(scope: str, style: Style) -> str:
    return printable(name_scope(scope).say(style.lang))


def _render_told_rule(row: ToldRuleRow, style: Style) -> str:
    off = [] if row.is_on else [style.say("off")]
    notes = " · ".join((row.why.say(style.lang), *off, row.day, _name_rule_scope(row.scope, style)))
    return f"{row.handle}  {style.memory(row.words)}\n  {style.dim(notes)}"


def _render_rule(row: RuleRow, style: Style) -> str:
    covers = [printable(each) for each in row.covers]
    covers += [style.say("what it means in other words")] if row.by_sense else []
    notes = [f"{_EFFECTS[row.outcome].say(style.lang)}: {', '.join(covers)}"]
    notes += [] if row.is_on else [style.say("off")]
    notes += [style.say("until {until}", until=row.until)] if row.until else []
    notes += [style.say("allowed once")] if row.is_allowed_once else []
    notes += [row.day, printable(row.origin), _name_rule_scope(row.scope, style)]
    return f"{row.handle}  {style.bold(style.memory(row.words))}\n  {style.dim(' · '.join(notes))}"


@command(
    "rules list",
    Words("List the rules about actions: what is asked, stopped or reminded of when a tool runs"),
    present=render_rules,
    examples=("gieok rules", "gieok rules --json"),
)
def list_action_rules(
    call: Call,
    *,
    all_: Annotated[bool, Parameter(Words("of every project, not of this one alone"))] = False,
) -> RulesResult:
    """Return the rules that hold for the folder of the call."""
    every = _load_rules(call)
    here = gates.list_scope_rules(every, [scope.path for scope in call.scopes])
    choices = _load_choices(call)
    rows = [_build_rule_row(call, rule, choices) for rule in reversed(every if all_ else here)]
    return RulesResult(
        tuple(rows),
        tuple(_read_failures(call)),
        tuple(_list_told_rules(call, every, here, choices)),
        find_withheld_notice(call),
    )


def _list_told_rules(
    call: Call, every: Sequence[GateRule], here: Sequence[GateRule], choices: GateChoices
) -> Iterator[ToldRuleRow]:
    """Yield the rules that agents are told in the scopes of the call and that act on no tool.

    `here` are those of `every` rule that hold in these scopes.
    """
    read, acting = {rule.source for rule in every}, {rule.source for rule in here}
    for told in load_spoken_rules(call, call.scopes, with_silenced=True):
        if told.handle not in acting:
            yield _build_told_row(call, told, choices, is_read=told.handle in read)


def _build_told_row(
    call: Call, told: BindingRule, choices: GateChoices, *, is_read: bool
) -> ToldRuleRow:
    return ToldRuleRow(
        handle=told.handle,
        words=told.text,
        day=told.day,
        scope=told.scope,
        why=_SAID_ELSEWHERE if is_read else _NOT_READ,
        is_on=choices.is_on(told.handle, _find_today(call)),
    )


def render_trial(result: RuleTrial, style: Style) -> str:
    """Say what would happen, by which words."""
    if result.outcome == NONE:
        none = style.say("No rule acts: the tool runs.")
        return "\n".join((none, *_list_withheld_lines(result.withheld, style)))
    also = [
        style.say("Beside it: “{words}”", words=printable(one.rule)) for one in result.also or ()
    ]
    return "\n".join((_render_outcome(result, style), *also))


def _render_outcome(result: RuleTrial, style: Style) -> str:
    words = printable(result.rule or "")
    if result.outcome == STOP:
        return style.say("Stopped by: “{words}”", words=words)
    if result.outcome == REMIND:
        return style.say("It runs, and the agent is reminded of: “{words}”", words=words)
    if result.sureness is not None:
        return style.say(
            "Asked first, because this may be what you meant by: “{words}”", words=words
        )
    return style.say("Asked first, because of: “{words}”", words=words)


@command(
    "rules try",
    Words("Say which rule would act on a command or an edit, and how"),
    present=render_trial,
    examples=(
        'gieok rules try "git push origin main"',
        "gieok rules try --edit src/billing/charge.py",
        'gieok rules try "rm -rf build" --rule "never run rm -rf" --json',
    ),
)
def try_action_rules(
    call: Call,
    *,
    command_line: Annotated[
        str, Parameter(Words("the command as an agent would run it"), positional=True)
    ] = "",
    edit: Annotated[Sequence[str], Parameter(Words("a file that would be edited"))] = (),
    tool: Annotated[str, Parameter(Words("name of the tool (default: a shell or an editor)"))] = "",
    given: Annotated[
        str, Parameter(Words("what a tool that is no shell and no editor is given, as JSON"))
    ] = "",
    rule: Annotated[
        Sequence[str], Parameter(Words("a rule to try instead of those that hold"))
    ] = (),
    day: Annotated[str, Parameter(Words("the day to try it for (default: today)"))] = "",
    among: Annotated[
        str, Parameter(Words("handles of rules, joined by commas: no other one is tried"))
    ] = "",
) -> RuleTrial:
    """Compare a tool's use with the rules; nothing is changed, and no allowance is used up.

    Raises BadRequest.
    """
    if not (command_line.strip() or edit or tool or given):
        raise BadRequest(
            "there is nothing to try",
            hint='write a command: `gieok rules try "git push"`',
        )
    now = call.clock.now().astimezone(call.zone)
    today = now.date()
    when = parse_last_day(day, today) if day.strip() else today
    folder = str(call.caller.folder)
    use = ToolAttempt(
        tool=tool or ("Edit" if edit else "Bash"),
        command=command_line,
        paths=[TouchedPath(WRITE, path) for path in edit],
        folder=folder,
        root=find_workplace(folder) or folder,
        branch=gates.find_branch(folder),
        day=when.isoformat(),
        weekday=when.weekday(),
        minute=-1 if day.strip() else now.hour * 60 + now.minute,
        only_talks=table.only_talks(tool),
    )
    gates.add_script_steps(use)
    described = gates.describe_tool_use(use.tool, command_line, edit, given)
    if rule:
        # trying makes no home, in which the reader would prepare its weights
        reader = call.home.open_reader() if Path(call.home.folder).exists() else None
        held = gate_lines.hold_given_rules(rule, today, reader)
        return _try_rules(call, held, GateChoices(), use, described, reader)
    withheld = find_withheld_notice(call)
    if withheld is not None:
        return RuleTrial(NONE, None, withheld=withheld)
    if among:  # the hook knows which rules hold in its session
        rules = [one for one in _load_rules(call) if one.handle in among.split(",")]
    else:
        rules = gates.list_scope_rules(_load_rules(call), [scope.path for scope in call.scopes])
    return _try_rules(call, rules, _load_choices(call), use, described, call.home.open_reader())


def _try_rules(
    call: Call,
    rules: Sequence[GateRule],
    choices: GateChoices,
    use: ToolAttempt,
    described: str,
    reader: Reader | None,
) -> RuleTrial:
    """Return what rules do about a use: by their words, or as the reader takes them.

    A rule that the grammar read acts by its words alone. Of one that the reader found, a word may
    be half understood, so that the reader judges what it names too.
    """
    hits = gates.list_gate_hits(rules, choices, use)
    sure = [hit for hit in hits if hit.is_sure]
    if not sure and reader is not None:
        held = gates.list_held_rules(rules, choices, use, hits)
        try:
            broken = find_broken_rules(
                held,
                DescribedUse(use, described),
                reader,
                partial(_measure_nearness, call, described),
            )
        except EmbedderFailed as error:
            call.tell(str(error))
        else:
            rows = [_build_acting(call, one.rule, one.outcome, one.chance) for one in broken]
            return _build_trial(rows)
    return _build_trial([_build_acting(call, hit.rule, hit.outcome) for hit in sure or hits])


def _build_acting(
    call: Call, rule: GateRule, outcome: str, sureness: float | None = None
) -> ActingRule:
    return ActingRule(
        outcome=_limit_outcome(call, outcome),
        rule=rule.rule.text,
        handle=rule.handle,
        day=rule.day,
        sureness=sureness,
    )


def _build_trial(rows: Sequence[ActingRule]) -> RuleTrial:
    """Return what the strongest rule does, with the others that act."""
    acting = [row for row in rows if row.outcome != NONE]
    if not acting:
        return RuleTrial(NONE, None)
    first, *others = acting
    return RuleTrial(
        outcome=first.outcome,
        rule=first.rule,
        handle=first.handle or None,
        day=first.day,
        sureness=first.sureness,
        also=tuple(others) or None,
    )


def _measure_nearness(call: Call, use: str, senses: Sequence[str]) -> list[float]:
    """Return how near texts are to a tool's use, as cosines; all alike where no model tells.

    No service is asked: what a tool is given may hold secrets, and stays on this machine. Raises
    EmbedderFailed.
    """
    embedder = call.home.open_bundled_embedder()
    if embedder is None:
        return [0.0] * len(senses)
    resident = call.home.resident
    vectors = (
        resident.embed_known_texts(embedder, senses)
        if resident is not None
        else embedder.embed_passages(senses)
    )
    asked = array("f", embedder.embed_query(use))
    return [sum(map(mul, asked, array("f", vector))) for vector in vectors]


def _limit_outcome(call: Call, outcome: str) -> str:
    """Return what a rule does with the settings `gates.stops` and `gates.reminds` as they are."""
    settings = call.home.hook_settings
    return gates.limit_outcome(
        outcome, may_stop=settings.is_on("gates.stops"), reminds=settings.is_on("gates.reminds")
    )


def render_rule_change(result: RuleChange, style: Style) -> str:
    """Show the rule as it is now."""
    if isinstance(result.rule, ToldRuleRow):
        return _render_told_rule(result.rule, style)
    return _render_rule(result.rule, style)


def _name_rule(example: str) -> Parameter:
    """Return the parameter that names a rule; `example` is shown where it is missing."""
    return Parameter(Words("the rule, as `gieok rules` shows it"), positional=True, needed=example)


@command(
    "rules off",
    Words("Switch a rule about actions off"),
    present=render_rule_change,
    effect=Effect.WRITE,
    examples=("gieok rules off 3fa9c01e",),
)
def switch_rule_off(
    call: Call,
    *,
    handle: Annotated[str, _name_rule("gieok rules off 3fa9c01e")] = "",
) -> RuleChange:
    """Switch a rule off, durably. Raises NotFound, BadRequest."""
    found = _find_any_rule(call, handle)

    def switch(choices: GateChoices) -> bool:
        choices.off.add(found.handle)
        return True

    return _change_rule(call, found, switch)


@command(
    "rules on",
    Words("Switch a rule about actions on again, without an end that was given to it"),
    present=render_rule_change,
    effect=Effect.WRITE,
    examples=("gieok rules on 3fa9c01e",),
)
def switch_rule_on(
    call: Call,
    *,
    handle: Annotated[str, _name_rule("gieok rules on 3fa9c01e")] = "",
) -> RuleChange:
    """Switch a rule on, durably. Raises NotFound, BadRequest."""
    found = _find_any_rule(call, handle)

    def switch(choices: GateChoices) -> bool:
        choices.off.discard(found.handle)
        choices.until.pop(found.handle, None)
        return True

    return _change_rule(call, found, switch)


@command(
    "rules until",
    Words("Give a rule about actions a last day"),
    present=render_rule_change,
    effect=Effect.WRITE,
    examples=("gieok rules until 3fa9c01e friday",),
)
def give_rule_end(
    call: Call,
    *,
    handle: Annotated[str, _name_rule("gieok rules until 3fa9c01e friday")] = "",
    day: Annotated[
        str,
        Parameter(
            Words("the last day on which it holds, such as `friday`"),
            positional=True,
            needed="gieok rules until 3fa9c01e friday",
        ),
    ] = "",
) -> RuleChange:
    """Give a rule its last day, durably. Raises NotFound, BadRequest."""
    found = _find_any_rule(call, handle)
    today = call.clock.now().astimezone(call.zone).date()
    last = parse_coming_day(day, today)

    def give(choices: GateChoices) -> bool:
        choices.until[found.handle] = last.isoformat()
        return True

    return _change_rule(call, found, give)


@dataclass(frozen=True, slots=True)
class RuleAllowance:
    """Action that a rule lets pass once: `action` is what the tool was given, as JSON."""

    rule: RuleRow
    action: str
    found: Hidden[bool] = True


def render_allowance(result: RuleAllowance, style: Style) -> str:
    """Show the rule, and what it lets pass."""
    allowed = style.say("allowed once: {action}", action=printable(result.action))
    return f"{_render_rule(result.rule, style)}\n{allowed}"


@command(
    "rules allow",
    Words("Let pass, once, an action that a rule about actions asked for or stopped"),
    present=render_allowance,
    effect=Effect.WRITE,
    examples=("gieok rules allow 3fa9c01e 7d02be41 --once",),
)
def allow_rule_once(
    call: Call,
    *,
    handle: Annotated[str, _name_rule("gieok rules allow 3fa9c01e 7d02be41")] = "",
    code: Annotated[
        str,
        Parameter(
            Words("the action, as the agent was told"),
            positional=True,
            needed="gieok rules allow 3fa9c01e 7d02be41",
        ),
    ] = "",
    once: Annotated[
        bool, Parameter(Words("for the next time alone; for good: `gieok rules off`"))
    ] = False,
) -> RuleAllowance:
    """Allow an action that the rule acted on, once, durably. Raises NotFound, BadRequest."""
    if not once:
        raise BadRequest(
            "say for how long",
            hint="`gieok rules allow HANDLE CODE --once`, or `gieok rules off HANDLE` for good",
        )
    found = _find_rule(call, handle)
    action = find_judged_action(str(call.home.folder), found.handle, code.strip().lower())
    if action is None:
        raise BadRequest(
            "this rule has asked for no action {code!r} and stopped none",
            code=code,
            hint="the agent is told the code with the reason",
        )
    key = action.key

    def allow(choices: GateChoices) -> bool:
        choices.once[found.handle] = key
        return True

    change_gate_choices(str(call.home.folder), allow)
    return RuleAllowance(_build_rule_row(call, found, _load_choices(call)), action.shown)


def _load_rules(call: Call) -> list[GateRule]:
    """Return the compiled rules. Raises BadRequest where their file is damaged."""
    try:
        return load_gate_rules(str(call.home.folder))
    except DAMAGED as error:
        raise BadRequest(
            "the file of the rules is damaged: {error}",
            error=error,
            hint="`gieok index` writes it again",
        ) from error


def _load_choices(call: Call) -> GateChoices:
    """Return what a person chose. Raises BadRequest where the file is damaged."""
    try:
        return load_gate_choices(str(call.home.folder))
    except DAMAGED as error:
        raise BadRequest(
            "the file of the choices is damaged: {error}",
            error=error,
            hint="the next `gieok rules on`, `off` or `until` moves it aside and begins anew",
        ) from error


def _find_rule(call: Call, handle: str) -> GateRule:
    typed = handle.strip().lower()
    rules = _load_rules(call)
    named = [
        rule for rule in rules if len(typed) >= _FEWEST_DIGITS and rule.handle.startswith(typed)
    ]
    if not named:
        raise NotFound("no rule {handle!r}", handle=handle, hint="`gieok rules` lists them")
    if len(named) > 1:
        raise BadRequest(
            "{count} rules begin with {handle!r}",
            count=len(named),
            handle=handle,
            hint="write more of it",
        )
    return named[0]


def _find_any_rule(call: Call, handle: str) -> GateRule | BindingRule:
    """Return the rule about actions, or the rule that agents are told, of a handle."""
    typed = handle.strip().lower()
    told = load_spoken_rules(call, call.scopes, with_silenced=True) if "." in typed else []
    named = next((rule for rule in told if rule.handle == typed), None)
    if named is None:
        return _find_rule(call, handle)
    acting = [rule.handle for rule in _load_rules(call) if rule.source == named.handle]
    if acting:
        raise BadRequest(
            "{handle!r} states rules that have names of their own",
            handle=handle,
            acting=", ".join(acting),
            hint="name one of them: {acting}",
        )
    return named


def _change_rule(
    call: Call, found: GateRule | BindingRule, change: Callable[[GateChoices], bool]
) -> RuleChange:
    home = str(call.home.folder)
    change_gate_choices(home, change)
    choices = load_gate_choices(home)
    if isinstance(found, BindingRule):
        return RuleChange(_build_told_row(call, found, choices, is_read=False))
    return RuleChange(_build_rule_row(call, found, choices))


def _find_today(call: Call) -> str:
    return call.clock.now().astimezone(call.zone).date().isoformat()


def _build_rule_row(call: Call, found: GateRule, choices: GateChoices) -> RuleRow:
    today = _find_today(call)
    ends = [found.rule.until, choices.until.get(found.handle, "")]
    until = min(filter(None, ends), default="")
    return RuleRow(
        handle=found.handle,
        words=found.rule.text,
        day=found.day,
        origin=found.origin,
        source=found.source,
        scope=found.scope,
        outcome=_limit_outcome(call, found.rule.mode),
        covers=tuple(_describe_actions(found.rule.actions)),
        by_sense=bool(found.sense),
        is_on=choices.is_on(found.handle, today) and today <= (found.rule.until or today),
        is_allowed_once=found.handle in choices.once,
        until=until or None,
    )


def _describe_actions(actions: Sequence[Action]) -> list[str]:
    """Return what a rule is about in the words of commands and paths."""
    texts: list[str] = []
    for action in actions:
        names = [
            " ".join(
                (pattern.program or pattern.script or pattern.sql, *pattern.words, *pattern.flags)
            )
            for pattern in action.commands[:_MOST_SHOWN]
        ]
        names += ["…"] if len(action.commands) > _MOST_SHOWN else []
        where = [*action.paths, *action.branches, *action.environments, *action.hosts]
        texts.append(" ".join((" / ".join(name.strip() for name in names), *where)).strip())
        texts += action.tools
    return list(dict.fromkeys(filter(None, texts)))


def _read_failures(call: Call) -> list[str]:
    """Return the last lines of the hook's log on tools whose use could not be judged."""
    log = call.home.folder / "logs" / "hook.log"
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if " pre-tool: " in line][-_MOST_SHOWN:]
