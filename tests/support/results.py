"""Whether a result is what its description says."""

from collections.abc import Mapping

from jsonschema import Draft202012Validator

from gieok.commands import load_command
from gieok.commands.encode import result_schema


def check_result(name: str, data: Mapping[str, object]) -> None:
    """Check the JSON of an operation's result: as described, and nothing beside it."""
    described = result_schema(load_command(name))
    Draft202012Validator(described).validate(data)
    if "properties" in described and "additionalProperties" not in described:
        assert data.keys() <= described["properties"].keys()
