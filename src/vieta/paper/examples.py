"""The paper's Examples 1-4, run again: each of its figures beside ours, with a verdict."""

from collections.abc import Callable, Iterable

from vieta.errors import InputError
from vieta.paper import example1, example2, example3, example4
from vieta.paper.verdicts import Report, Row

__all__ = ["EXAMPLES", "Report", "Row", "reproduce"]

EXAMPLES: dict[int, Callable[[int], Report]] = {
    1: example1.run,
    2: example2.run,
    3: example3.run,
    4: example4.run,
}


def reproduce(examples: int | Iterable[int] = (1, 2, 3, 4), seed: int = 0) -> list[Report]:
    """Run one Example or several and report on each."""
    wanted = [examples] if isinstance(examples, int) else list(examples)
    unknown = [example for example in wanted if example not in EXAMPLES]
    if unknown:
        raise InputError(
            "unknown-example", "there is no Example {example}; the paper has Examples 1 to 4.", example=unknown[0]
        )
    return [EXAMPLES[example](seed) for example in wanted]
