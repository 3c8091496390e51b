"""Inclusion constraints between variables, solved by difference propagation.

The module is independent of the kinds of values. Every (variable, value) pair is handled once, in
an order that depends on the order of the constraints alone: the same files give the same answer in
any process. Source: Andersen 1994; difference propagation, Pearce et al. 2003.
"""

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

#: Maximum of values per variable: a registry or a decorator of everything holds more, and is not
#: followed.
CAP = 20
#: Where one number stands for the values of a variable, what stands for no value and for several.
NONE, SEVERAL = -1, -2
#: (function, further arguments): the function is called with a value before these arguments.
Trigger = tuple[Any, ...]


#: How often a lenient run drops the work that used up its steps, and goes on with this fraction of
#: the steps.
_RESTS = 64


class Tangled(Exception):
    """Error where values cause calls which cause values, without end."""


class Flows:
    """Variables, their values, the flows between them, and the triggers that wait for values."""

    def __init__(self, steps: int, *, is_lenient: bool = False) -> None:
        #: In a lenient run, work that causes itself without end is dropped when the steps are used
        #: up, instead of raising; the other work goes on, with fewer steps at a time. The known
        #: values only ever grow, so all of them are true.
        self._is_lenient = is_lenient
        self._rests = _RESTS if is_lenient else 0
        self._rest_steps = max(1, steps // _RESTS)
        self._is_spent = False
        #: Triggers, each with a value, to be called next: a trigger calls no other trigger itself,
        #: so nothing here recurses.
        self.due: list[tuple[Any, Trigger]] = []
        # Of millions of variables most have one value, one target or one trigger: it is held
        # without a list of its own, which would weigh more than all else.
        self._points: list[list[int] | tuple[int] | None] = []
        self._targets: list[list[int] | int | None] = []
        self._waits: list[list[Trigger] | Trigger | None] = []
        #: Value → the tuple of it alone, which all variables with this value share.
        self._alone: dict[int, tuple[int]] = {}
        self._pending: dict[int, list[int]] = {}
        self._queue: deque[int] = deque()
        self._steps = steps

    def fresh(self) -> int:
        """Return a new variable."""
        self._points.append(None)
        self._targets.append(None)
        self._waits.append(None)
        return len(self._points) - 1

    def grow(self, count: int) -> int:
        """Add variables; return the first of them."""
        first = len(self._points)
        self._points += [None] * count
        self._targets += [None] * count
        self._waits += [None] * count
        return first

    def __len__(self) -> int:
        return len(self._points)

    def held(self, variable: int) -> Iterable[int]:
        """Return the values that a variable holds."""
        return self._points[variable] or ()

    def _share_alone(self, value: int) -> tuple[int]:
        """Return the tuple of a value alone."""
        shared = self._alone.get(value)
        if shared is None:
            shared = self._alone[value] = (value,)
        return shared

    def add(self, variable: int, value: int) -> None:
        """Let a variable hold a value."""
        known = self._points[variable]
        if known is None:
            self._points[variable] = self._share_alone(value)
        elif value in known or len(known) >= CAP:
            return
        else:
            self._points[variable] = [*known, value]
        waiting = self._pending.get(variable)
        if waiting is None:
            self._pending[variable] = [value]
            self._queue.append(variable)
        else:
            waiting.append(value)

    def add_all(self, variable: int, values: list[int]) -> None:
        """Let a variable hold values, up to the cap."""
        known = self._points[variable]
        if known is None:
            fresh = values[:]
            is_one = len(values) == 1
            self._points[variable] = self._share_alone(values[0]) if is_one else values[:]
        elif len(known) >= CAP:
            return
        else:
            fresh = [value for value in values if value not in known]
            if not fresh:
                return
            self._points[variable] = [*known, *fresh]
        waiting = self._pending.get(variable)
        if waiting is None:
            self._pending[variable] = fresh
            self._queue.append(variable)
        else:
            waiting += fresh

    def flow(self, source: int, to: int) -> None:
        """Let all values of `source`, present and future, reach `to`."""
        if source == to:
            return
        targets = self._targets[source]
        if targets is None:
            self._targets[source] = to
        elif isinstance(targets, int):
            if to == targets:
                return
            self._targets[source] = [targets, to]
        elif to in targets[-4:]:
            return
        else:
            targets.append(to)
        known = self._points[source]
        if not known:
            return
        if len(known) == 1:
            self.add(to, known[0])
        else:
            self.add_all(to, [*known])

    def wait(self, variable: int, trigger: Trigger) -> None:
        """Call `trigger` with every present and future value of a variable."""
        waiting = self._waits[variable]
        if waiting is None:
            self._waits[variable] = trigger
        elif isinstance(waiting, list):
            waiting.append(trigger)
        else:
            self._waits[variable] = [waiting, trigger]
        known = self._points[variable]
        if not known:
            return
        late = self._pending.get(variable, ())
        self._spend(len(known))
        self.due += [(value, trigger) for value in reversed(known) if value not in late]

    def fire(self) -> None:
        """Call the triggers that are due, and those that become due thereby, the last first."""
        due = self.due
        while due and not self._is_spent:
            value, trigger = due.pop()
            trigger[0](value, *trigger[1:])
        if self._is_spent:
            due.clear()

    def drain(self, refresh: Callable[[], bool]) -> None:
        """Propagate until nothing changes and `refresh` finds no look-up to repeat. Raises
        Tangled.
        """
        self._go_on()
        self.fire()
        self._propagate()
        while not self._is_spent and refresh():
            self._propagate()

    def _propagate(self) -> None:
        queue, pending, flows, waits = self._queue, self._pending, self._targets, self._waits
        while queue and not self._is_spent:
            variable = queue.popleft()
            fresh = pending.pop(variable)
            targets, waiting = flows[variable], waits[variable]
            if targets is not None:
                self._hand_on(fresh, [targets] if isinstance(targets, int) else targets)
            if waiting is not None:
                # a trigger that is added meanwhile is called with all values known by then
                self._call(fresh, tuple(waiting) if isinstance(waiting, list) else (waiting,))
            if self._is_spent:
                self._go_on()

    def _hand_on(self, fresh: list[int], targets: list[int]) -> None:
        """Let variables hold the new values of another."""
        self._spend(len(targets))
        if len(fresh) == 1:
            add, value = self.add, fresh[0]
            for target in targets:
                add(target, value)
            return
        for target in targets:
            self.add_all(target, fresh)

    def _call(self, fresh: list[int], triggers: Sequence[Trigger]) -> None:
        """Call triggers with new values, and after each those that become due."""
        self._spend(len(fresh) * len(triggers))
        due = self.due
        for value in fresh:
            for trigger in triggers:
                trigger[0](value, *trigger[1:])
                if due:
                    self.fire()

    def _go_on(self) -> None:
        """Grant more steps for the remaining work, after the work that used up the steps was
        dropped.
        """
        if self._is_spent and self._rests:
            self._rests -= 1
            self._steps, self._is_spent = self._rest_steps, False

    def _spend(self, steps: int) -> None:
        """Count steps down, so that the work on any file ends. Raises Tangled."""
        self._steps -= steps
        if self._steps >= 0:
            return
        self._is_spent = True
        if not self._is_lenient:
            raise Tangled("values and calls bring about each other without end")

    # Reading

    def is_read(self, variable: int) -> bool:
        """Return whether values of a variable reach another variable or a trigger."""
        return self._targets[variable] is not None or self._waits[variable] is not None

    def is_read_inside(self, variable: int, inside: range) -> bool:
        """Return whether the values of a variable flow into some variables at most."""
        targets = self._targets[variable]
        if targets is None:
            return True
        return all(v in inside for v in ((targets,) if isinstance(targets, int) else targets))

    def count_values(self) -> bytes:
        """Return how many values each variable holds."""
        return bytes([len(held) if held else 0 for held in self._points])

    def dump_single(self) -> "array[int]":
        """Return the only value of each variable; `NONE`, or `SEVERAL`."""
        return array(
            "i",
            (NONE if not held else held[0] if len(held) == 1 else SEVERAL for held in self._points),
        )

    def dump_several(self) -> "tuple[array[int], bytes, array[int]]":
        """Return the variables with several values, how many each has, and all of these."""
        variables = array(
            "i", (v for v, held in enumerate(self._points) if held is not None and len(held) > 1)
        )
        rows = [self._points[variable] or () for variable in variables]
        return variables, bytes(map(len, rows)), array("i", chain.from_iterable(rows))

    def steps_left(self) -> int:
        """Return how many steps may still be taken."""
        return self._steps

    def let_go(self) -> None:
        """Drop the triggers and the flows.

        Triggers refer to their owners, which refer to these flows, and the garbage collector is
        off.
        """
        self._waits.clear()
        self._targets.clear()
