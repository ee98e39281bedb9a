"""Packages and methods that others use for the same task, on the same data in the same run."""

from typing import Any

from studies.peers.outcome import less_time, overview, smaller_errors, table
from studies.peers.rows import NEAR, ROWS
from studies.running.study import Conclusion, Study, Task, in_blocks

BY_NAME = {row.name: row for row in ROWS}


class Peers(Study):
    """The page of the peers."""

    name = "peers"
    title = "Beside other packages"
    note = (
        "Every method ran on the same data in the same process. *MSE / labeled*: the mean square of $\\Psi(\\hat\\theta - "
        "\\theta)$ over that of least squares with labels, of means over runs, with its standard error. *Lost*: a system is "
        "farther from its truth than half of the way to the next one. *Coverage*: of 95 % intervals, where the method gives a "
        "covariance. *µs a set*: time of the processor, median over runs, a batch or all steps of a filter with one estimate at "
        "the end; kernels were compiled before, and data were in each package's form before the clock started. *Each further set*, in "
        "brackets in the first table: what a set takes beyond those of the row, from ten times as many; trackers work set by set, so that "
        "theirs is the same. *Told*: what a "
        "method has to know beside the inputs. `vieta` is told how many systems there are and nothing else: it searches for them, "
        f'and learns p, the false readings and the law of the noise; `vieta, normal noise` (`method="em"`) is told besides what all others are '
        f"told or assume, that noise is normal. A start is a draw around the truth with {NEAR:g} times the "
        f"standard errors that labels would give. Trackers are told this covariance, and so know as much as {1.0 / NEAR**2:.0%} "
        f"more labeled sets would tell: where nothing is lost they come to {1.0 / (1.0 + 1.0 / NEAR**2):.2f}. Variance, p and the "
        "density of false readings are told as they are, and noise is normal, as trackers assume. In Stone Soup the parameters "
        "are the state of a target that does not move, and each detection carries its own measurement model "
        "(`vieta.integrations.stonesoup.RegressorModel`); JPDA is its enumeration up to three systems and its hypothesis "
        "management above. PyRecEst's JPDA enumerates all events, which ten systems do not allow. Alternating assignment and "
        "mixture EM begin at the start, and take nothing else from it; the second takes each reading for one of any system, "
        "whatever else is in the set. padasip's filters need one number a reading. Trackers are made for targets that move at "
        "random, which vieta does not follow; here parameters are constant."
    )
    runs, block = 40, 2
    sources = ("studies.peers.measure", "vieta.method.efficient", "vieta.method.adaptive", "vieta.method.em")

    def tasks(self, runs: int) -> list[Task]:
        """A few runs of every row before there are more of any."""
        return sorted((task for row in ROWS for task in in_blocks(row.name, runs, self.block)), key=lambda t: t.start)

    def run(self, task: Task) -> Any:
        from studies.peers.measure import one_run

        return [one_run(BY_NAME[task.row], seed) for seed in range(task.start, task.stop)]

    def conclude(self, results: dict[Task, Any]) -> Conclusion:
        """One table of all, and one for each row."""
        runs: dict[str, list[dict[str, Any]]] = {}
        for task, found in results.items():
            runs.setdefault(task.row, []).extend(found)
        found = {row.name: runs[row.name] for row in ROWS if row.name in runs}
        parts = [text for name, own in found.items() for text in (f"## {name}", table(own))]
        said = [
            f"{what}\n\n" + "\n".join(f"- {name}: {text}" for name, texts in listed.items() for text in texts)
            for what, of in (
                ("With a smaller error than `vieta`, by more than twice that of the difference:", smaller_errors),
                ("In less time than `vieta` on the sets of a row, which has to find where to start:", less_time),
            )
            if any((listed := {name: of(own) for name, own in found.items()}).values())
        ]
        missed = tuple(
            f"{name}: {text}" for name, own in found.items() for text in smaller_errors(own) + less_time(own)
        )
        return Conclusion("\n\n".join([overview(found), *said, *parts]), missed)


STUDY = Peers()
