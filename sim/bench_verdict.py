# SPDX-License-Identifier: BSD-3-Clause
"""Results of the bench, as records: every comparison, and the first difference by place and value."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

# boundary: at the consumer's pins or the host, against the producer's pins or what the host sent.
# inside: behind the FIFO of a stream that leaves no board. framing: TLAST and length at the host.
# ahead: what follows the last frame. drift: what one frame more brings.
# monolith, golden: the result, against that without shells and against the vectors.
# status: frame counters and error flags of the cores, and of the DMAs between them.
Proof = Literal["boundary", "inside", "framing", "ahead", "drift", "monolith", "golden", "status"]


@dataclass(frozen=True)
class Difference:
    """The first element that is not what it should be.

    Attributes:
        frame: Counted from 0.
        index: Place in the tensor of a frame, dimensions of one left out.
        element: Place in a frame as the stream carries it.
        got: Value that was seen, or words if it has none (``unknown bits (X)``); None where the stream
            ended before it.
        expected: Value that should have been; None where nothing should follow.
        got_code: The bits of ``got``, as an unsigned number.
        expected_code: The bits of ``expected``.
        tap: Sink or monitor that saw it, a name in ``taps`` of bench.json; empty if none did.
        word: Word (or beat) that carries it there, counted from 0 since the reset.
        bit: Its lowest bit in that word.
        which: What kind of frame it is, for the text.
    """

    frame: int
    index: tuple[int, ...]
    element: int
    got: int | str | None
    expected: int | str | None
    got_code: int | None
    expected_code: int | None
    tap: str = ""
    word: int = 0
    bit: int = 0
    which: str = ""

    @property
    def text(self) -> str:
        """Say it: which element of which frame, and both values."""
        place = f"frame {self.frame}{self.which}, element [{', '.join(map(str, self.index))}]"
        if self.got == self.expected:
            return f"{place}: {self.got} at both ends"
        if self.got is None:
            return f"{place} and what follows it never came"
        if self.expected is None:
            return f"{place}: got {self.got}, and nothing should follow"
        return f"{place}: got {self.got}, expected {self.expected}"


@dataclass(frozen=True)
class Sight:
    """Resolution of a comparison: which values and positions it distinguishes.

    Attributes:
        bits: Of a word.
        still: Those that never change.
        alike: Those that change, and always as another bit of the word does.
        words: Of a frame.
        words_alike: Those that have in every frame the value of another word of it.
        frames: That were compared.
        frames_apart: Different ones among them.
        value: The one value of all elements, if there is but one.
    """

    bits: int
    still: int
    alike: int
    words: int
    words_alike: int
    frames: int
    frames_apart: int
    value: int | None


@dataclass(frozen=True)
class Verdict:
    """One comparison.

    Attributes:
        name: What was compared, for a table.
        words: Words (or beats) that crossed.
        mismatches: Elements that differ, are missing or are too many.
        detail: What is wrong first, or an empty string. A stream that runs ahead has one and passes.
        missing: Elements that had not crossed when the run was ended early, which nothing was compared with.
        proof: What kind of comparison.
        boundary: Of which boundary; empty if it is of all.
        alone: It is about the monolith's stream there, not the cluster's.
        difference: The first element that differs, where elements were compared.
        sight: What the comparison can tell apart, where that was measured.
    """

    name: str
    words: int
    mismatches: int
    detail: str = ""
    missing: int = 0
    proof: Proof = "boundary"
    boundary: str = ""
    alone: bool = False
    difference: Difference | None = None
    sight: Sight | None = None

    @property
    def passed(self) -> bool:
        """True when something was compared, all of it, and nothing differed."""
        return self.words > 0 and self.mismatches == 0 and self.missing == 0

    def about(self, proof: Proof, boundary: str, alone: bool = False) -> Verdict:
        """Return it as a comparison of this kind."""
        return replace(self, proof=proof, boundary=boundary, alone=alone)

    def at(self, tap: str, word: int, bit: int) -> Verdict:
        """Return it with the place where the first difference was recorded."""
        seen = self.difference and replace(self.difference, tap=tap, word=word, bit=bit)
        return replace(self, difference=seen)

    def record(self) -> dict[str, Any]:
        """Return plain data for the report."""
        return asdict(self) | {"passed": self.passed}
