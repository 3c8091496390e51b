"""What is missing is installed from where this copy of Gieok came from."""

import pytest

from gieok import extras

_EDITABLE = {"url": "file:///home/kim/my%20gieok", "dir_info": {"editable": True}}


@pytest.mark.parametrize(
    ("origin", "prefix", "line"),
    [
        ({}, "/usr", "pip install 'gieok[serve]'"),
        (_EDITABLE, "/home/kim/.venv", "pip install -e '/home/kim/my gieok[serve]'"),
        ({"url": "file:///src/gieok", "dir_info": {}}, "/v", "pip install '/src/gieok[serve]'"),
        (
            {"url": "https://host/gieok.whl"},
            "/v",
            "pip install 'gieok[serve] @ https://host/gieok.whl'",
        ),
        ({}, "/home/kim/.local/share/uv/tools/gieok", "uv tool install 'gieok[serve]'"),
        ({}, "/home/kim/.local/share/pipx/venvs/gieok", "pipx install --force 'gieok[serve]'"),
    ],
)
def test_the_line_says_how_this_copy_was_installed(
    origin: dict[str, object], prefix: str, line: str
) -> None:
    assert extras._format_install_command("serve", origin, prefix) == line
