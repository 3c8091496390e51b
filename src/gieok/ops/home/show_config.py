"""`gieok config show`: every setting, its value and where it comes from."""

from dataclasses import dataclass

from gieok.ops.context import Context, SettingRow
from gieok.ops.memory import waiting
from gieok.ops.operation import TRUST_HINT, Operation, Style, Words, waiting_words


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigRequest:
    """`gieok config show` has no parameters."""


@dataclass(frozen=True, slots=True)
class ConfigResult:
    """All settings in order."""

    rows: tuple[SettingRow, ...]
    found: bool = True

    def to_json(self) -> object:
        """Return name → value and origin."""
        return {row.name: {"value": row.value, "origin": row.origin} for row in self.rows}


def run(context: Context, request: ConfigRequest) -> ConfigResult:
    """Return the settings in force."""
    del request
    root = waiting.project_here(context)
    if root and waiting.waiting(context.home, root).settings is not None:
        context.tell(f"{waiting_words(0, has_settings=True).say(context.lang)}: {TRUST_HINT}")
    return ConfigResult(tuple(context.settings))


def present(result: ConfigResult, style: Style) -> str:
    """Show a line for each setting."""
    name_width = max(len(row.name) for row in result.rows)
    value_width = max(len(str(row.value)) for row in result.rows)
    return "\n".join(
        f"{style.bold(row.name.ljust(name_width))}  {str(row.value).ljust(value_width)}  {row.origin}  {style.dim(row.doc)}"
        for row in result.rows
    )


OPERATION = Operation(
    name="config show",
    request=ConfigRequest,
    handler=run,
    present=present,
    doc=Words("Print every setting with its value and where it comes from", "모든 설정의 값과 출처를 출력합니다"),
)
