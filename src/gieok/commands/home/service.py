"""`gieok service install`: make the system start the daemon when the user logs in."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from xml.sax.saxutils import escape

from gieok.commands.command import Effect, Parameter, Style, command
from gieok.commands.encode import Hidden
from gieok.home.call import Call
from gieok.text.messages import Words

_SYSTEMD = """[Unit]
Description=Gieok memory

[Service]
Environment="GIEOK_HOME={home}"
ExecStart={command}
Restart=on-failure
RestartSec=5

[Install]
WantedBy=default.target
"""
_LAUNCHD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"
  "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>Label</key><string>gieok</string>
<key>EnvironmentVariables</key><dict><key>GIEOK_HOME</key><string>{home}</string></dict>
<key>ProgramArguments</key><array>{arguments}</array>
<key>RunAtLoad</key><true/>
<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict></plist>
"""
_WINDOWS = """<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
<Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>
<Settings><ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
<StartWhenAvailable>true</StartWhenAvailable></Settings>
<Actions><Exec><Command>{program}</Command><Arguments>{rest}</Arguments></Exec></Actions>
</Task>
"""
_SYSTEMS = {"linux": "systemd", "darwin": "launchd", "win32": "windows"}
_NEXT = {
    "systemd": "systemctl --user daemon-reload && systemctl --user enable --now gieok",
    "launchd": "launchctl load -w {file}",
    "windows": 'schtasks /Create /TN gieok /XML "{file}"',
}
_FORGET = {
    "systemd": "systemctl --user daemon-reload",
    "launchd": "launchctl remove gieok",
    "windows": "schtasks /Delete /TN gieok /F",
}


@dataclass(frozen=True, slots=True)
class ServiceResult:
    """Service file, its content, and the command that enables it."""

    file: Path
    text: str
    next: str
    written: bool
    found: Hidden[bool] = True


def render_service(result: ServiceResult, style: Style) -> str:
    """Show the file and the next step."""
    head = [str(result.file)] if result.written else [result.text]
    return "\n".join([*head, style.say("now run: ") + result.next])


@command(
    "service install",
    Words("Start the daemon whenever you log in"),
    present=render_service,
    examples=("gieok service install", "gieok service install --dry-run"),
    effect=Effect.WRITE,
)
def install_service(
    call: Call,
    *,
    system: Annotated[str, Parameter(Words("for which system"), choices=("auto", *_NEXT))] = "auto",
    dry_run: Annotated[bool, Parameter(Words("print the file, write nothing"))] = False,
) -> ServiceResult:
    """Write the service file."""
    target_system = _SYSTEMS.get(sys.platform, "systemd") if system == "auto" else system
    file, text = _build_service_file(call, target_system)
    if not dry_run:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-16" if target_system == "windows" else "utf-8")
    return ServiceResult(file, text, _NEXT[target_system].format(file=file), not dry_run)


def find_installed_service(call: Call) -> list[tuple[Path, str]]:
    """Return Gieok's service files, each with the command that removes the service."""
    service_files = [
        (_build_service_file(call, system)[0], command) for system, command in _FORGET.items()
    ]
    return [
        (file, command)
        for file, command in service_files
        if file.is_file() and b"gieok" in file.read_bytes().replace(b"\0", b"")
    ]


def _build_service_file(call: Call, system: str) -> tuple[Path, str]:
    caller, home, command = (
        call.caller,
        str(call.home.folder),
        [sys.executable, "-m", "gieok.daemon"],
    )
    if system == "systemd":
        quoted = " ".join(f'"{part}"' for part in command)
        base = Path(caller.environment.get("XDG_CONFIG_HOME") or caller.user / ".config")
        return base / "systemd" / "user" / "gieok.service", _SYSTEMD.format(
            home=home, command=quoted
        )
    if system == "launchd":
        arguments = "".join(f"<string>{escape(part)}</string>" for part in command)
        file = caller.user / "Library" / "LaunchAgents" / "gieok.plist"
        return file, _LAUNCHD.format(home=escape(home), arguments=arguments)
    return call.home.folder / "gieok-task.xml", _WINDOWS.format(
        program=escape(command[0]), rest=" ".join(command[1:])
    )
