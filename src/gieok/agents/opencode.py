"""opencode: a database, `~/.local/share/opencode/opencode.db`; a plugin calls the hooks.

The log of events in the database is read. A message part is logged again as it grows (the last
version wins). For sessions older than this log (March 2026) the parts are read, and the files that
releases before 1.3 kept. A session that `opencode run` began counts as a script's: typed input
cannot be told from piped input there.

The folder is not watched: opencode keeps snapshots of projects below it, in Git repositories.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from gieok.agents.agent import URL, Agent, HookFiles, Rehearsal
from gieok.agents.install import edits
from gieok.agents.install.change import Edit, ExtraFile
from gieok.agents.install.edits import InstallPlace, OwnCommand, PluginFile
from gieok.agents.marks.mark import Speaker
from gieok.agents.transcripts.fields import (
    Line,
    list_content_parts,
    read_object_field,
    read_text_field,
)
from gieok.agents.transcripts.place import TranscriptPlace, Unread
from gieok.agents.transcripts.session import (
    Format,
    Part,
    Session,
    SpokenPart,
    ToolUse,
    build_user_part,
)
from gieok.agents.transcripts.speakers import find_line_driver, find_line_speaker
from gieok.model.conversation import Retraction, Role

NAME = "opencode"

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_OUTCOMES = {"completed": "output", "error": "error"}
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)+"', re.DOTALL)


class OpencodeFormat(Format):
    """Events of opencode's database."""

    name = NAME
    #: Host that the lines name; '' for opencode, whose lines name none.
    host = ""

    def begin_session(self, name: str, first: Line) -> Session | None:
        """Recognise an event as `machine.transcripts.opencode` gives it.

        The child of another session is a sub-agent.
        """
        del name
        data = read_object_field(first.get("data"))
        info, session = read_object_field(data.get("info")), data.get("sessionID")
        is_own = "event" in first and first.get("host", "") == self.host
        if not is_own or not isinstance(session, str):
            return None
        ruled = {**info, "permission": _read_permission_rules(info)}
        driver = find_line_driver(self.name, {**first, "data": {**data, "info": ruled}})
        ignored = "a sub-agent" if driver is Speaker.AGENT else ""
        folder = read_text_field(info.get("directory"))
        return Session(
            id=session,
            agent=self.name,
            ignored=ignored,
            cwd=folder,
            driver=driver or Speaker.PERSON,
        )

    def read_parts(self, session: Session, line: Line, fallback_id: str) -> Sequence[Part]:
        """Return the parts of an event.

        `synthetic` parts (added by opencode or a plugin) and summaries are skipped.
        """
        del fallback_id
        data, message = read_object_field(line.get("data")), read_object_field(line.get("message"))
        part = read_object_field(data.get("part"))
        kind = read_text_field(line.get("event")).rpartition(".")[0]
        if kind == "message.removed":
            removed = f"{session.id}/{read_text_field(data.get('messageID'))}"
            return (Retraction(session.id, removed),)
        if kind != "message.part.updated" or find_line_speaker(self.name, line) is Speaker.PROGRAM:
            return ()
        said_in, number = read_text_field(part.get("messageID")), read_text_field(part.get("id"))
        identity = f"{session.id}/{said_in}#{number}"
        role, at = _ROLES.get(read_text_field(message.get("role"))), data.get("time")
        match part.get("type"):
            case "text" if role:
                text = read_text_field(part.get("text"))
                if role is Role.USER:
                    return (
                        build_user_part(session, line, identity, _unquote_typed_prompt(text), at),
                    )
                return (SpokenPart(identity, role, text, at),)
            case "tool":
                return _read_tool_use(identity, part, at)
        return ()


def _read_permission_rules(info: Line) -> dict[str, str]:
    """Return what a session is allowed or denied from its beginning, by the permission's name."""
    listed = (
        rule for rule in list_content_parts(info.get("permission")) if rule.get("pattern") == "*"
    )
    return {
        read_text_field(rule.get("permission")): read_text_field(rule.get("action"))
        for rule in listed
    }


def _unquote_typed_prompt(text: str) -> str:
    """Return a prompt as it was typed.

    `opencode run "Two words"` stores the prompt within quotes, and escapes quotes inside it.
    """
    return text[1:-1].replace('\\"', '"') if " " in text and _QUOTED.fullmatch(text) else text


def _read_tool_use(identity: str, part: Line, at: object) -> Sequence[Part]:
    """Return the use of a tool once it has ended."""
    state = read_object_field(part.get("state"))
    outcome = _OUTCOMES.get(read_text_field(state.get("status")))
    if outcome is None:
        return ()
    call, name, result = (
        read_text_field(part.get("callID")),
        read_text_field(part.get("tool")),
        read_text_field(state.get(outcome)),
    )
    answers = read_object_field(state.get("metadata")).get("answers")
    answered = {"answers": answers} if isinstance(answers, list) else None
    failed = outcome == "error"
    return (
        ToolUse(
            id=identity,
            call=call,
            name=name,
            at=at,
            arguments=state.get("input") or {},
            result=result,
            failed=failed,
            answered=answered,
        ),
    )


_UNREAD = (
    Unread("project/*/storage/session/message", "sessions of an opencode before 1.0 are not read"),
)


class OpencodeAgent(Agent):
    """opencode: its database, and its settings with a plugin, a server and a command."""

    format = OpencodeFormat()
    tried_release = "1.18.33"
    hook_files = HookFiles(("plugin/*.[jt]s", "plugins/*.[jt]s"))
    rehearsal = Rehearsal(
        "opencode",
        ("run",),
        {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        },
        {
            ".config/opencode/opencode.json": '{"model": "loopback/one", "small_model": '
            '"loopback/one", "share": "disabled", '
            '"provider": {"loopback": {"npm": "@ai-sdk/openai-compatible", "name": "loopback", '
            f'"options": {{"baseURL": "{URL}/v1", "apiKey": "loopback"}}, "models": {{"one": '
            f'{{"name": "one"}}}}}}}}}}'
        },
    )

    #: Name of the agent, of its folders and of its settings file.
    name = NAME
    schema = "https://opencode.ai/config.json"

    def find_settings_folder(self, site: InstallPlace) -> Path:
        """Return a project's hidden folder, or the agent's folder in the user's settings."""
        if site.is_project:
            return site.folder / f".{self.name}"
        configured = site.environment.get("XDG_CONFIG_HOME")
        return (Path(configured) if configured else site.folder / ".config") / self.name

    def find_own_folder(self, home: Path, environment: Mapping[str, str]) -> Path:
        """Return the agent's folder in the user's folder of data."""
        data = environment.get("XDG_DATA_HOME")
        return (Path(data) if data else home / ".local" / "share") / self.name

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        """Return the folder of the database."""
        folder = self.find_own_folder(home, environment)
        databases = f"{self.name}*.db"
        return TranscriptPlace(folder, databases=databases, is_watched=False, unread=_UNREAD)

    def find_other_places(
        self, home: Path, environment: Mapping[str, str]
    ) -> tuple[TranscriptPlace, ...]:
        """Return the place where releases before 1.3 kept one file for each message."""
        folder = self.find_own_folder(home, environment) / "storage"
        return (TranscriptPlace(folder, databases="message", is_watched=False),)

    def build_edits(self, site: InstallPlace, call: OwnCommand) -> list[Edit]:
        """Return the edits for the MCP server, the plugin and a command."""
        folder = self.find_settings_folder(site)
        server: dict[str, object] = {"type": "local", "command": [*call.words, "mcp"]}
        if call.environment:
            server["environment"] = dict(call.environment)
        # The agent adds `$schema` to a file where it is missing.
        schema = ("$schema", self.schema)
        search = edits.read_install_text("search.md")
        plugin = folder / "plugins" / "gieok.js"
        return [
            edits.JsonServer(self._find_server_file(site), server, "mcp", schema),
            PluginFile(plugin, "opencode.js", call, self.name, HOST=self.name),
            ExtraFile(folder / "commands" / "memory-search.md", search),
        ]

    def _find_server_file(self, site: InstallPlace) -> Path:
        folder = site.folder if site.is_project else self.find_settings_folder(site)
        file = folder / f"{self.name}.json"
        commented = file.with_suffix(".jsonc")
        return commented if commented.exists() and not file.exists() else file

    def parse_prompt_command(self, text: str) -> str:
        """Return the command of Gieok's prompt hook in the plugin; '' for none."""
        return edits.parse_plugin_command(text)


AGENT = OpencodeAgent()
