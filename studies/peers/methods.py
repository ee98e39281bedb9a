"""The methods of the table: what each has to be told, and what it can run on."""

from collections.abc import Callable
from dataclasses import dataclass

from studies.peers.rows import Problem

MOST = 5  # systems that PyRecEst's enumeration of all joint events can take


def _always(_: Problem) -> bool:
    return True


@dataclass(frozen=True)
class Method:
    """A method, what it is told beside the inputs, what it can run on, whether it has the labels, and whether it is one of vieta's."""

    name: str
    told: str
    can: Callable[[Problem], bool] = _always
    has_labels: bool = False
    is_ours: bool = False


NEEDED = "L, start, variance, p, false readings"
METHODS = (
    Method("labeled", "whose each reading is", has_labels=True),
    Method("vieta", "L", is_ours=True),
    Method("vieta, normal noise", "L, law of the noise", lambda problem: problem.is_complete, is_ours=True),
    Method("vieta, online", "L", is_ours=True),
    Method("Stone Soup JPDA", NEEDED),
    Method("Stone Soup GNN", NEEDED),
    Method("PyRecEst JPDA", NEEDED, lambda problem: len(problem.theta) <= MOST),
    Method("PyRecEst GNN", "L, start, variance"),
    Method("alternating assignment", "L, start; variance, p, false readings if sets are incomplete"),
    Method("mixture EM", "L, start, law of the noise, law of the false readings"),
    Method("padasip RLS", "whose each reading is", lambda problem: problem.psi.shape[1] == 1, has_labels=True),
)
