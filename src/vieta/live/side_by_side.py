"""Several live inputs at once: whole lines of whichever has some, in turn, as from one."""

import select
from collections.abc import Sequence

from vieta.live.feed import Feed, is_whole


class Feeds:
    """Several feeds in the place of one.

    Attributes
    ----------
    number : int
        Which of the inputs was read last.
    """

    def __init__(self, feeds: Sequence[Feed], interruption: int) -> None:
        """Read all feeds until they end or something can be read from `interruption`."""
        self.feeds, self._interruption, self.number = feeds, interruption, 0

    @property
    def ended(self) -> bool:
        """Whether all inputs have ended."""
        return all(feed.ended for feed in self.feeds)

    @property
    def rest(self) -> bytes:
        """What has arrived and was not handed on of one of the inputs: the beginning of a line."""
        return next((feed.rest for feed in self.feeds if feed.rest), b"")

    def take_rest(self) -> bytes:
        """Hand on that of the input that was read last."""
        return self.feeds[self.number].take_rest()

    def give_back(self, text: bytes) -> None:
        """Take back the end of what was handed on last."""
        self.feeds[self.number].give_back(text)

    def read(self, seconds: float | None) -> bytes | None:
        """Whole lines of one input; nothing if none arrive within so many seconds (None: however long); None at the end of all."""
        text = self._next()
        if text == b"":
            going = [feed.descriptor for feed in self.feeds if not feed.ended]
            select.select([*going, self._interruption], [], [], seconds)
            text = self._next()
        return text

    def _next(self) -> bytes | None:
        """What there is, beginning with the input after the one that was read last."""
        count = len(self.feeds)
        for i in range(self.number + 1, self.number + 1 + count):
            feed = self.feeds[i % count]
            if feed.ended:
                continue
            text = feed.read(0.0)
            if text is None and not feed.ended:
                return None  # interrupted
            if text is None and is_whole(feed.rest):
                text = feed.take_rest()
            if text:
                self.number = i % count
                return text
        return None if self.ended else b""
