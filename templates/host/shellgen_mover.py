# SPDX-License-Identifier: BSD-3-Clause
"""VNx's data movers behind XRT: frames between the host and the core of a card. Python 3.8 or later, numpy.

A run is one start of a mover: a number of beats, and nothing marks their end. So the core counts them, and
each run from the host has a number, 1 and 2 by turns, by which the core sees one that was too short or long.
A mover cannot be stopped or reset alone: the core's reset by CONTROL brings every run that has begun to its
end, and a run of which nothing has come gets the results of zeros.

Source: XRT, pyxrt; Xilinx/xup_vitis_network_example, Basic_kernels; docs/links.md of shellgen.
"""

import time

import numpy as np
from shellgen_bus import HostError

LOOKS, QUIET, PAUSE = 50, 0.01, 0.0002  # at movers that may bring a frame, until they count as waiting
SECONDS = 1.0  # for what the core brings to its end
FAILED = ("ERROR", "ABORT", "TIMEOUT", "NORESPONSE", "SKERROR", "SKCRASHED")
RESET = "load the bitstream again after xbutil reset"


class XrtBoard:
    """A card behind XRT.

    Args:
        entry: Of the node in the map.
        device: Number of the card, or its PCIe address, as ``xbutil examine`` shows them.
        xclbin: File that is loaded, unless the card has it already.
    """

    def __init__(self, entry, device, xclbin):
        try:
            import pyxrt  # noqa: PLC0415 - other boards have none
        except ImportError:
            raise HostError(
                "pyxrt is not there: source setup.sh of XRT, and take the Python that it is for"
            ) from None
        from shellgen_xrt import XrtBus  # noqa: PLC0415 - as above

        self._pyxrt = pyxrt
        self.bus = XrtBus(entry, device, xclbin)
        try:
            self._device = pyxrt.device(int(device) if str(device).isdigit() else str(device))
            self._uuid = self._device.load_xclbin(str(xclbin))
        except RuntimeError as error:
            raise HostError(f"{entry['name']}: device {device}, {xclbin}: {error}") from None

    def mover(self, entry):
        """Open a mover; ``entry`` is its own in the map."""
        try:
            kernel = self._pyxrt.kernel(self._device, self._uuid, entry["ip"])
        except RuntimeError as error:
            raise HostError(f"{entry['ip']}: {error}; is this the bitstream of the map?") from None
        return Mover(entry, self._pyxrt, self._device, kernel)


class _Buffer:
    """Memory of the card, and its copy in the host's."""

    def __init__(self, pyxrt, bo):
        self.bo, self._pyxrt = bo, pyxrt
        self.data = np.frombuffer(bo.map(), np.uint8)

    def flush(self):
        self.bo.sync(self._pyxrt.xclBOSyncDirection.XCL_BO_SYNC_BO_TO_DEVICE)

    def invalidate(self):
        self.bo.sync(self._pyxrt.xclBOSyncDirection.XCL_BO_SYNC_BO_FROM_DEVICE)

    def free(self):
        self.data = self.bo = None


class Mover:
    """One mover, a run at a time."""

    def __init__(self, entry, pyxrt, device, kernel):
        self._entry, self._pyxrt, self._device, self._kernel = entry, pyxrt, device, kernel
        self._arguments = entry["arguments"]
        self.stream, self.gives = entry["stream"], self._arguments["number"] is not None
        self._number = 0
        self._run = self._given = None

    def allocate(self, size):
        """Return a buffer in the memory that it reaches."""
        try:
            group = self._kernel.group_id(self._arguments["buffer"])
            bo = self._pyxrt.bo(self._device, size, self._pyxrt.bo.normal, group)
        except RuntimeError as error:
            text = "{}: no buffer of {} bytes: {}; give --batch less"
            raise HostError(text.format(self._entry["name"], size, error)) from None
        return _Buffer(self._pyxrt, bo)

    def start(self, buffer, size):
        """Begin a run; the one before must be over."""
        self._given = buffer, size
        self._run = self._pyxrt.run(self._kernel)
        self._run.set_arg(self._arguments["buffer"], buffer.bo)
        self._run.set_arg(self._arguments["size"], size)
        if self.gives:
            self._number = self._number % 2 + 1
            self._run.set_arg(self._arguments["number"], self._number)
        self._run.start()

    def again(self):
        """Begin the same run once more: what it got was nobody's."""
        self.start(*self._given)

    def fetch(self, size):
        """Begin a run of which nobody looks at the frames."""
        self.start(self.allocate(size), size)

    def zeros(self, size):
        """Begin a run of frames of zeros."""
        buffer = self.allocate(size)
        buffer.data[:] = 0
        buffer.flush()
        self.start(buffer, size)

    def again_zeros(self):
        """Send zeros as long as the last run was."""
        if self._given:
            self.zeros(self._given[1])

    @property
    def busy(self):
        """A run was begun and is not over."""
        return self._run is not None and not self.finished()

    def finished(self):
        """Tell whether the run is over; raise HostError if it failed."""
        state, known = self._run.state(), self._pyxrt.ert_cmd_state
        for name in FAILED:
            if state == getattr(known, f"ERT_CMD_STATE_{name}", None):
                raise HostError(f"{self._entry['name']}: the run ended with {name}; {RESET}")
        return state == known.ERT_CMD_STATE_COMPLETED

    def moved(self):
        """Return the bytes of a run that is over."""
        return self._given[1]

    def state(self):
        """Describe it for a message."""
        return f"{self._entry['name']} {'waits' if self.busy else 'rests'}"


class Movers:
    """All movers of a node; see `shellgen_dma.Dmas` for what an engine is."""

    exact = True  # what is left over would go on to the next card

    def __init__(self, entry, board, timeout):
        self._movers = [board.mover(each) for each in entry["movers"]]
        self._give = [mover for mover in self._movers if mover.gives]
        self._take = [mover for mover in self._movers if not mover.gives]
        self._frame = {each["index"]: each["memory_bytes"] for each in entry["streams"]}
        self._timeout = timeout
        self.streams = {mover.stream for mover in self._movers}
        self._others = len(self.streams) < len(entry["streams"])
        # A card that only receives cannot end a run that waits for more than the next frame.
        self.most = None if self._give else 1

    def reset(self, core, set_batch, batch):
        """Leave nothing of an earlier run, however it ended: neither in the core nor in a mover.

        Where results come back, a frame of zeros goes through the network and ends the runs that fetch what
        is left; through other cards twice, since what they were working on may come late.
        What only receives is reset by `begin`, with the runs that then wait for the first frames.
        """
        set_batch(1)
        if self._give:
            for mover in self._take:
                mover.fetch(self._frame[mover.stream])
            core.ask_reset()
            self._settle(core, QUIET)
        if self._give and self._take:
            seconds = self._through(core)
            if self._others:
                for mover in self._take:
                    mover.again()
                self._settle(core, max(QUIET, 4 * seconds))
                self._through(core)
            core.clear()
        if self._give:
            set_batch(batch)

    def _through(self, core):
        """Send a frame of zeros; return the seconds until all movers rest."""
        began = time.monotonic()
        for mover in self._give:
            mover.zeros(self._frame[mover.stream])
        if not self._rest(self._timeout):
            text = "{}: no result of a frame of zeros within {:g} s: are all cards brought up? If so, {}"
            raise HostError(text.format(core.name, self._timeout, RESET))
        return time.monotonic() - began

    def channels(self, weights, allocate):  # noqa: ARG002 - no mover repeats weights
        """Return them by stream."""
        return {mover.stream: mover for mover in self._movers}

    def begin(self, core, drains):
        """See `reset`."""
        if not self._give:
            for drain in drains:
                drain.arm()
            core.ask_reset()
            self._settle(core, QUIET)

    def _settle(self, core, seconds):
        """Wait for the end of a reset, and fetch what comes, until nothing has come for so long.

        A sender of the core that has begun a run fills it with zeros. Where a receiver waits for beats that
        never come, the reset is forced.
        """
        began = last = time.monotonic()
        looks = 0
        while looks < LOOKS or time.monotonic() - last < seconds:
            looks += 1
            moved = core.resets()
            if moved and time.monotonic() - began > SECONDS:
                core.hold()
                core.release()
            for mover in self._take:
                if mover.finished():
                    mover.again()
                    moved = True
            if moved:
                looks, last = 0, time.monotonic()
            if time.monotonic() - began > SECONDS + seconds + self._timeout:
                text = "{}: it does not come to rest: do other cards send? If not, {}"
                raise HostError(text.format(core.name, RESET))
            time.sleep(PAUSE)

    def stop(self, core):
        """End runs that are under way, so that XRT has not to give the card up."""
        if self._rest(0):
            return
        core.ask_reset()
        end = time.monotonic() + SECONDS
        while core.resets():
            if time.monotonic() > end:
                core.hold()
                core.release()
        if self._rest(SECONDS):
            return
        # Movers of whose run no beat has come: they get the results of zeros.
        for mover in self._give if self._take else ():
            if not mover.busy:
                mover.again_zeros()
        rests = self._rest(SECONDS)
        core.ask_reset()
        if not rests:
            raise HostError(f"{core.name}: a mover still waits for frames; {RESET}")

    def _rest(self, seconds):
        """Wait until no run is under way; tell whether that is so."""
        end = time.monotonic() + seconds
        while any(mover.busy for mover in self._movers):
            if time.monotonic() > end:
                return False
            time.sleep(PAUSE)
        return True
