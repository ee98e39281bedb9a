"""A very long stream, and a watch that is killed again and again: the same end, flat memory, sound covariances throughout."""

from typing import Any

from studies.running.study import Conclusion, Study, Task
from studies.soak import updates, watching

UPDATES = {f"updates, {name}": options for name, options in updates.OPTIONS.items()}
WHOLE, KILLED = "watch, in one piece", "watch, killed"
A_RUN = 1_000_000  # updates
LINES = 200_000  # lines of a watch that go with them, and one kill
MOST_GROWTH = 4.0  # megabytes, after the first tenth
MOST_ERRORS = 5.0  # standard errors from the truth
HEADER = (
    "| stream | sets | memory grew by | least eigenvalue over the largest | sets a second | kills |\n"
    + "|---" * 6
    + "|"
)


class Soak(Study):
    """What wears out only in the long run."""

    name = "soak"
    title = "In the long run"
    note = (
        "Three systems, (-2, 5, 8) in noise of standard deviation 1. Updates go to one filter, 10⁵ at a time. A watch reads lines "
        "from a pipe into `vieta watch --state`; the killed one is ended by SIGKILL at random moments and started again on the "
        "same input, and its state ends equal to that of the other, to the last bit. Memory is that of the process after the first tenth; "
        "the eigenvalues are those of the covariance, the least ratio of all that were looked at. Sets a second are those of one machine, "
        "with every restart counted."
    )
    runs = 100
    unit = "million updates, and a fifth as many lines"
    sources = ("studies.soak.updates", "studies.soak.watching", "vieta.cli.watch", "vieta.method.efficient")

    def tasks(self, runs: int) -> list[Task]:
        return [Task(row, 0, runs) for row in (*UPDATES, WHOLE, KILLED)]

    def run(self, task: Task) -> Any:
        if task.row in UPDATES:
            return updates.soak(UPDATES[task.row], task.stop * A_RUN)
        return watching.soak(task.stop * LINES, task.stop if task.row == KILLED else 0)

    def conclude(self, results: dict[Task, Any]) -> Conclusion:
        found = {task.row: result for task, result in results.items()}
        missed = [f"{row}: {text}" for row, result in found.items() for text in faults(result)]
        if found[WHOLE]["state"] != found[KILLED]["state"]:
            missed.append(f"{KILLED}: its state differs from that of a watch in one piece")
        return Conclusion("\n".join([HEADER, *(line(row, result) for row, result in found.items())]), tuple(missed))


def faults(result: dict[str, Any]) -> list[str]:
    """What is wrong with a stream, in words."""
    found = []
    if result["growth"] is not None and result["growth"] > MOST_GROWTH:
        found.append(f"memory grew by {result['growth']:.1f} MB")
    if not result["eigenvalues"] > 0.0:
        found.append(
            f"a covariance is not positive definite: its eigenvalues have the ratio {result['eigenvalues']:.1e}"
        )
    if not result["errors"] < MOST_ERRORS:
        found.append(f"the estimate ends {result['errors']:.1f} standard errors from the truth")
    return found


def line(row: str, result: dict[str, Any]) -> str:
    """A row of the table."""
    growth = "" if result["growth"] is None else f"{result['growth']:.1f} MB"
    kills = result.get("kills") or ""
    rate = result["sets"] / result["seconds"]
    return f"| {row} | {result['sets']:,} | {growth} | {result['eigenvalues']:.2f} | {rate:,.0f} | {kills} |"


STUDY = Soak()
