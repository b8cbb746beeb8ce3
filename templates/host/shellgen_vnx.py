# SPDX-License-Identifier: BSD-3-Clause
"""A host as one end of a boundary over VNx (docs/vnx.md): frames as bytes, over UDP sockets.

`Port` puts a `Sender` or a `Receiver` behind a socket, and `serve` runs any number of them:

    receiver = Receiver(Terms(link=0x1234, frame_bytes=4096))
    port = Port(receiver, ("192.168.0.9", 50000), ("192.168.0.5", 50001))
    serve([port], lambda: receiver.frames, seconds=1)
    frame = receiver.frames.popleft()

Standard library only, Python 3.8 or later.
"""

import errno
import select
import socket
import time

from shellgen_packet import Terms
from shellgen_session import Frame, Receiver, Sender

__all__ = ["Frame", "Port", "Receiver", "Sender", "Terms", "serve"]

AT_ONCE = 256  # datagrams that are taken before anything else has its turn
# What the network says of an end that is not there yet, or not any more: its packets are as good as lost.
AWAY = {
    getattr(errno, f"E{name}") for name in ("CONNREFUSED", "HOSTUNREACH", "NETUNREACH", "NETDOWN", "NOBUFS")
}


class Port:
    """An end behind a UDP socket.

    Args:
        end: `Sender` or `Receiver`.
        here: Address and port to bind.
        there: Address and port of the other end; nobody else is listened to.
    """

    def __init__(self, end, here, there):
        self.end = end
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(here)
        self._socket.connect(there)
        self._socket.setblocking(False)

    def fileno(self):
        return self._socket.fileno()

    def pump(self, now):
        """Take what has come and send what is to be sent; return how many datagrams that were."""
        count = 0
        while count < AT_ONCE:
            try:
                datagram = self._socket.recv(65536)
            except BlockingIOError:
                break
            except OSError as error:
                if error.errno not in AWAY:
                    raise
                count += 1
                continue
            self.end.take(datagram, now)
            count += 1
        for datagram in self.end.send(now):
            try:
                self._socket.send(datagram)
            except BlockingIOError:  # as good as lost on the way
                pass
            except OSError as error:
                if error.errno not in AWAY:
                    raise
            count += 1
        return count

    def close(self):
        self._socket.close()


def serve(ports, done, seconds, tick=0.001):
    """Run ports until something is done; return whether it was, in time.

    Args:
        ports: Whatever has `fileno` and `pump(now)`.
        done: Says whether to stop, by its truth.
        seconds: When to stop in any case.
        tick: Seconds between looks at the clock while nothing comes.
    """
    end = time.monotonic() + seconds
    while not done():
        now = time.monotonic()
        if now >= end:
            return False
        if not sum(port.pump(now) for port in ports):
            select.select(ports, [], [], tick)
    return True
