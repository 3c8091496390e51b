"""Runs a program under a seccomp filter and reports every network access beyond loopback, native
code included.

Linux on x86_64 and aarch64, kernel 5.5 or newer; no privileges, no package. The filter holds
`connect` and the `send` calls of the program and all its descendants until the address is read from
their memory. `strace` would see the same and may not be installed, `unshare -n` stops a packet
without telling, and an `LD_PRELOAD` shim sees no direct system call. `io_uring`, which passes by
such filters, is not there under the guard.

This file is also the launcher (`python guard.py FD PROGRAM …`), so it imports nothing of the
package: what the package sets in its own environment must not reach a guarded program through its
parent.
"""

import array
import contextlib
import ctypes
import errno
import fcntl
import ipaddress
import json
import os
import platform
import select
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

#: Machine → audit architecture, then the numbers of seccomp, socket, connect, sendto, sendmsg,
#: sendmmsg.
_MACHINES = {
    "x86_64": (0xC000003E, 317, 41, 42, 44, 46, 307),
    "aarch64": (0xC00000B7, 277, 198, 203, 206, 211, 269),
}
IS_SUPPORTED = sys.platform == "linux" and platform.machine() in _MACHINES
_IO_URING_SETUP = 425
#: The launcher passes the listener through this descriptor, whose `sendmsg` the filter lets pass;
#: closed before the program.
_PASSING = 1000
_CONTINUE = 1
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NOTICE, _VERDICT = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
_LOCAL = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, getattr(socket, "AF_NETLINK", 16))
_NAME_SERVICE_PORTS = (53, 853, 5353, 5355)
#: Services that would look a name up for the program, out of our sight. Refused, a program asks a
#: name server itself.
_NAME_SERVICES = (b"nscd", b"systemd/resolve", b"avahi")


#: Runs programs one after the other, so that what the first starts (a daemon) may serve the others
#: and be ended by the last.
_SEQUENCE = """
import json, subprocess, sys
for command, given in json.load(sys.stdin):
    done = subprocess.run(command, input=given.encode(), capture_output=True)
    print(json.dumps([done.returncode, done.stdout.decode(), done.stderr.decode()]), flush=True)
"""


class Done(NamedTuple):
    """What a program gave."""

    status: int
    out: str
    err: str


def run(
    commands: Sequence[tuple[Sequence[str], str]], environment: Mapping[str, str], folder: Path
) -> tuple[list[Done], list[str]]:
    """Run programs (command, stdin) one after the other; return what they gave, and a line for each
    access.

    Ends when all their descendants have ended.
    """
    with guarded([sys.executable, "-c", _SEQUENCE], environment, folder) as (process, accesses):
        out, err = process.communicate(json.dumps(commands).encode())
    assert process.returncode == 0, err.decode()
    return [Done(*json.loads(line)) for line in out.splitlines()], accesses


@contextlib.contextmanager
def guarded(
    command: Sequence[str], environment: Mapping[str, str], folder: Path
) -> Iterator[tuple[subprocess.Popen[bytes], list[str]]]:
    """Start a program with pipes; `accesses` is complete once the block was left, when all
    descendants have ended.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    pipes: dict[str, Any] = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }
    launcher = [sys.executable, "-I", __file__, str(theirs.fileno()), *command]
    accesses: list[str] = []
    with (
        ours,
        subprocess.Popen(
            launcher, cwd=folder, env=environment, pass_fds=[theirs.fileno()], **pipes
        ) as process,
    ):
        theirs.close()
        listener = _received(ours)
        watcher = threading.Thread(target=_watch, args=(listener, accesses))
        watcher.start()
        try:
            yield process, accesses
        except BaseException:
            process.kill()
            raise
        finally:
            for pipe in (process.stdin, process.stdout, process.stderr):
                pipe.close()
            watcher.join()
            os.close(listener)


def _received(channel: socket.socket) -> int:
    _, passed, _, _ = channel.recvmsg(1, socket.CMSG_SPACE(4))
    if not passed:
        raise RuntimeError("the filter could not be installed: no seccomp user notification here")
    return struct.unpack("i", passed[0][2][:4])[0]


def _watch(listener: int, accesses: list[str]) -> None:
    """Answer the filter until no filtered process is left."""
    names = dict(zip(_MACHINES[platform.machine()][2:], _CALLS, strict=True))
    waiting = select.poll()
    waiting.register(listener, select.POLLIN)
    while True:
        events = waiting.poll()[0][1]
        if not events & select.POLLIN:
            return
        notice = bytearray(_NOTICE.size)
        try:
            fcntl.ioctl(listener, _RECEIVE, notice)
        except OSError as error:  # interrupted, or the caller was killed
            if error.errno in (errno.ENOENT, errno.EINTR):
                continue
            raise
        number, process, _, call, _, _, *arguments = _NOTICE.unpack(notice)
        wrong, refused = _judged(process, names[call], arguments)
        if wrong:
            accesses.append(f"{_program(process)}: {names[call]} {wrong}")
        verdict = _VERDICT.pack(number, 0, -refused, 0 if refused else _CONTINUE)
        with contextlib.suppress(FileNotFoundError):  # killed meanwhile
            fcntl.ioctl(listener, _SEND, verdict)


_CALLS = ("socket", "connect", "sendto", "sendmsg", "sendmmsg")


def _judged(process: int, call: str, arguments: Sequence[int]) -> tuple[str, int]:
    """Return what is wrong with a call ('' for nothing), and the error to end it with (0: it goes
    on).
    """
    if call == "socket":
        family = arguments[0] & 0xFFFFFFFF
        return ("", 0) if family in _LOCAL else (f"of family {family}", errno.EAFNOSUPPORT)
    try:
        with Path(f"/proc/{process}/mem").open("rb", buffering=0) as memory:
            addresses = list(_addresses(memory, call, arguments))
    except (FileNotFoundError, ProcessLookupError):  # killed meanwhile
        return "", errno.EACCES
    except OSError as error:
        return f"with an address that cannot be read: {error}", errno.EACCES
    for address in addresses:
        if any(name in address for name in _NAME_SERVICES) and address[:2] == struct.pack(
            "=H", socket.AF_UNIX
        ):
            return "", errno.ECONNREFUSED
        if wrong := _beyond(address):
            return f"to {wrong}", errno.ENETUNREACH
    return "", 0


def _addresses(memory: Any, call: str, arguments: Sequence[int]) -> Iterator[bytes]:
    """Yield the socket addresses of a call; a connected socket sends to none."""

    def read(at: int, length: int) -> bytes:
        memory.seek(at)
        return memory.read(length)

    if call == "connect":
        yield read(arguments[1], min(arguments[2], 128))
    elif call == "sendto":
        if arguments[4]:
            yield read(arguments[4], min(arguments[5], 128))
    else:
        count, size = (1, 0) if call == "sendmsg" else (min(arguments[2], 1024), 64)
        for place in range(count):
            name, length = struct.unpack("=QI", read(arguments[1] + place * size, 12))
            if name:
                yield read(name, min(length, 128))


def _beyond(address: bytes) -> str:
    """Return an address that is not this machine's, or a name server's wherever it is; '' for a
    harmless one.
    """
    family = struct.unpack("=H", address[:2].ljust(2, b"\0"))[0]
    if family not in (socket.AF_INET, socket.AF_INET6):
        return ""
    port = struct.unpack("!H", address[2:4])[0]
    host = ipaddress.ip_address(address[4:8] if family == socket.AF_INET else address[8:24])
    mapped = getattr(host, "ipv4_mapped", None) or host
    if mapped.is_loopback and port not in _NAME_SERVICE_PORTS:
        return ""
    return f"{host} port {port}"


def _program(process: int) -> str:
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return str(process)
    return b" ".join(words)[:200].decode("utf-8", "replace").strip()


def _install() -> int:
    """Filter this process and its descendants; return the listener."""
    arch, seccomp, *calls = _MACHINES[platform.machine()]
    send_message = calls[_CALLS.index("sendmsg")]
    load_call, load_arch, load_first = (0x20, 0, 0, 0), (0x20, 0, 0, 4), (0x20, 0, 0, 16)
    allow, notify, kill = (
        (0x06, 0, 0, 0x7FFF0000),
        (0x06, 0, 0, 0x7FC00000),
        (0x06, 0, 0, 0x80000000),
    )
    missing = (0x06, 0, 0, 0x00050000 | errno.ENOSYS)
    program = [load_arch, (0x15, 1, 0, arch), kill, load_call, (0x35, 0, 1, 0x40000000), kill]
    program += [(0x15, 0, 1, _IO_URING_SETUP), missing]
    program += [(0x15, 0, 4, send_message), load_first, (0x15, 0, 1, _PASSING), allow, notify]
    for call in calls:
        program += [(0x15, 0, 1, call), notify]
    program.append(allow)
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in program))
    filtered = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    )
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_filter, new_listener = 38, 1, 8
    if libc.prctl(no_new_privileges, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
    listener = libc.syscall(seccomp, set_filter, new_listener, filtered)
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return listener


def _launch(channel: int, command: Sequence[str]) -> None:
    os.dup2(channel, _PASSING, inheritable=False)
    os.close(channel)
    passing = socket.socket(fileno=_PASSING)
    listener = _install()
    passing.sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))])
    passing.close()
    os.close(listener)
    os.execvp(command[0], command)


if __name__ == "__main__":
    _launch(int(sys.argv[1]), sys.argv[2:])
