"""Declaration of one setting: its name, default and allowed values.

Standard library that is quick to import: the hook uses this module.
"""

from collections.abc import Callable, Mapping, Sequence

from gieok.errors import BadConfig, Phrase

Value = str | int | float | bool

#: Texts that a switch may be set to.
_SWITCHES = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


class Option:
    """One setting.

    `choices` closes its values; `low` and `high` are the least and the most a number may be.
    """

    __slots__ = (
        "check",
        "choices",
        "default",
        "doc",
        "high",
        "hint",
        "in_project",
        "is_address",
        "is_list",
        "low",
        "name",
        "pattern",
        "synonyms",
        "variable",
    )

    def __init__(
        self,
        name: str,
        default: Value,
        doc: str,
        *,
        in_project: bool = False,
        choices: Sequence[str] = (),
        low: float | None = None,
        high: float | None = None,
        is_address: bool = False,
        is_list: bool = False,
        check: Callable[[str], object] | None = None,
        hint: str = "",
        pattern: str = "",
        synonyms: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        #: Environment variable, e.g. GIEOK_SEARCH_LIMIT; every process looks for each one.
        self.variable = "GIEOK_" + name.replace(".", "_").upper()
        self.default = default
        self.doc = doc
        #: Whether a project's own file may set it.
        self.in_project = in_project
        self.choices = choices
        self.low = low
        self.high = high
        #: A database's URL or connection string, in which a password may not stand in a file and is
        #: never shown.
        self.is_address = is_address
        #: The value is a list, kept as JSON.
        self.is_list = is_list
        #: Raises ValueError, which says what is wrong with a value; `hint` shows a valid value.
        self.check = check
        self.hint = hint
        #: Regular expression that the whole text of a value matches, such as that of a scope.
        self.pattern = pattern
        #: Other words for a value → the value.
        self.synonyms = synonyms or {}

    @property
    def group(self) -> str:
        """Return the part of the name before the dot, '' where there is none."""
        return self.name.rpartition(".")[0]

    def parse(self, text: str, origin: str) -> Value:
        """Return the value of a text.

        Raises BadConfig, which names the setting, the text and `origin`.
        """
        text = self.synonyms.get(text, text)
        try:
            value = self._typed(text)
            wrong = self._limit(value)
        except ValueError:
            wrong = _KINDS[type(self.default)]
        if wrong:
            raise self.bad(
                "{setting} is {text!r} in {origin!r}; {wrong}",
                origin,
                text=text,
                wrong=Phrase(wrong),
            )
        if self.pattern:
            import re  # the hook has no time for it, unless a scope is set by a variable

            if not re.fullmatch(self.pattern, text):
                hint = (
                    "a scope is `kind:name` parts joined by `/`, such as `agent:main` or "
                    "`user:kim/character:mina`"
                )
                raise self.bad(
                    "bad scope {scope!r} in {origin!r} ({setting})", origin, hint, scope=text
                )
        if self.check:
            try:
                self.check(text)
            except ValueError as error:
                raise self.bad(
                    "{setting} in {origin!r}: {error}"
                    if self.is_list
                    else "{setting} is {text!r} in {origin!r}: {error}",
                    origin,
                    self.hint,
                    text=text,
                    error=error,
                ) from None
        return value

    def _typed(self, text: str) -> Value:
        if isinstance(self.default, bool):
            if text.lower() not in _SWITCHES:
                raise ValueError
            return _SWITCHES[text.lower()]
        return type(self.default)(text)

    def _limit(self, value: Value) -> str:
        """Return the condition that a value violates; '' where the value is valid."""
        if self.choices and value not in self.choices:
            return Phrase("it must be one of {choices}", choices=", ".join(self.choices))
        if isinstance(value, float) and not abs(value) < float("inf"):
            raise ValueError
        if self.low is not None and not float(value) >= self.low:
            return Phrase("it must be at least {low:g}", low=self.low)
        if self.high is not None and not float(value) <= self.high:
            return Phrase("it must be at most {high:g}", high=self.high)
        return ""

    def bad(
        self, template: str, origin: str, hint: str | None = None, **values: object
    ) -> BadConfig:
        """Return the error for a value of this setting; see `errors.GieokError`."""
        return BadConfig(template, hint=hint, setting=self.name, origin=origin, **values)


#: Type of a setting → what its value must be.
_KINDS: dict[type, str] = {
    bool: "it must be true or false",
    int: "it must be a whole number",
    float: "it must be a number",
}
