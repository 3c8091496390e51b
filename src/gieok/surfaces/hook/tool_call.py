"""One call of the hook before a tool: who calls, where, and what holds there.

Everything is read when it is asked for: most tools' uses need none of it.
"""

import os
import time

from gieok.agents import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gieok.settings.hook import HookSettings
    from gieok.settings.resolved import Parse


class ToolCall:
    """Agent, payload, folder and scope of a call; its settings once they are asked for.

    `parse` reads a settings file that changed since a process last read it.
    """

    def __init__(self, home: str, agent: str, payload: table.Payload, parse: "Parse") -> None:
        self.home = home
        self.payload = payload
        self._agent_name = agent
        self._parse = parse
        self._agent: table.AgentRow | None = None
        self._folder = ""
        self._workplace: str | None = None
        self._settings: HookSettings | None = None

    @property
    def agent(self) -> table.AgentRow:
        """Return the agent that calls."""
        if self._agent is None:
            self._agent = table.find_calling_agent(self._agent_name, self.payload, os.environ)
        return self._agent

    @property
    def session(self) -> str:
        """Return the session in which the tool is used."""
        return table.read_payload_session(self.payload)

    @property
    def own_scope(self) -> str:
        """Return the scope that an agent names itself; '' for that of the folder."""
        return self.agent.read_scope(self.payload)

    @property
    def folder(self) -> str:
        """Return the folder in which the tool is used. Raises OSError where it is gone."""
        if not self._folder:
            self._folder = table.folder_of(self.payload) or os.getcwd()
        return self._folder

    def is_somewhere(self) -> bool:
        """Return whether there is a folder in which the tool is used."""
        try:
            return bool(self.folder)
        except OSError:
            return False

    @property
    def workplace(self) -> str:
        """Return the folder whose conversations belong together; '' where an agent has a scope."""
        if self._workplace is None:
            from gieok.places.workplace import find_workplace

            self._workplace = "" if self.own_scope else find_workplace(self.folder)
        return self._workplace

    @property
    def settings(self) -> "HookSettings":
        """Return the settings of the place."""
        if self._settings is None:
            from gieok.places.workplace import project_root
            from gieok.settings.hook import USED, HookSettings
            from gieok.settings.resolved import resolve_settings

            root = "" if self.own_scope else project_root(self.folder)
            values, _ = resolve_settings(self.home, root, USED, os.environ, self._parse)
            self._settings = HookSettings({name: value for name, (value, _) in values.items()})
        return self._settings

    def is_withheld(self) -> bool:
        """Return whether memory is withheld from this session."""
        from gieok import private
        from gieok.surfaces.hook.withheld import find_withheld_reason

        privacy = private.open_privacy(
            self.home, self.settings.text("exclude.folders"), self.settings.text("exclude.agents")
        )
        reason = find_withheld_reason(
            privacy, self.agent.name, self.session, self.folder, self.payload, time.time()
        )
        return bool(reason)

    def list_scopes(self) -> list[str]:
        """Return the scopes whose memory holds here, the project's first."""
        from gieok.places.project import list_project_scopes

        if self.own_scope:
            return [self.own_scope]
        return list_project_scopes(self.workplace, self.settings.text("hook.scopes"))
