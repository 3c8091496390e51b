"""Stands in for the start of `gieok`: hands its streams over to a fork of a process that has the
package imported, and ends as that fork ends (`python -I -S forked_program.py SOCKET WORDS …`).

What a program is started with (streams, environment, folder, words) is the fork's. Imports nothing
of the package: a start of Python without it is a twentieth of one with it.
"""

import json
import os
import socket
import sys

#: Bytes of the length of a request, and of the status of an answer.
LENGTH_BYTES = 8


def _hand_over() -> int:
    asked = json.dumps(
        {"arguments": sys.argv[2:], "environment": dict(os.environ), "folder": os.getcwd()}  # noqa: PTH109 - pathlib takes as long to import as all else
    ).encode()
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(sys.argv[1])
        socket.send_fds(channel, [len(asked).to_bytes(LENGTH_BYTES, "big")], [0, 1, 2])
        channel.sendall(asked)
        for number in range(3):
            os.close(number)  # who reads them sees when the fork closes its own
        answer = channel.recv(LENGTH_BYTES)
    return int.from_bytes(answer, "big") if answer else 1


if __name__ == "__main__":
    os._exit(_hand_over())
