"""What a method is: a name, a line, options, an estimate from all sets, an engine for sets as they come, a prediction."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from vieta.engine import Engine
from vieta.errors import InputError
from vieta.options import Options
from vieta.predictions import Prediction, Setting
from vieta.sets import Data
from vieta.solution import Solution
from vieta.sums import Passes


class Method(ABC):
    """An estimation method.

    A method is a subclass in a module of its own that ends in ``METHOD = TheClass()``. Modules of this package are found by
    themselves; a package of yours names its method as an entry point of the group ``vieta.methods``.

    Attributes
    ----------
    name : str
        What users call it.
    line : str
        One sentence.
    Options : type
        A frozen dataclass derived from `vieta.options.Options`, each field made by `vieta.options.option`.
    default : bool
        Whether it is used when no method is named.
    takes_incomplete : bool
        Whether sets may be of different sizes.
    counts_systems : bool
        Whether it finds the number of systems where sets are of different sizes and none is given.
    for_incomplete : bool
        Whether it is used when no method is named and sets are incomplete.
    thorough : bool
        Whether its findings test what it assumes.
    has_engine : bool
        Whether it takes sets as they come.
    ascending : bool
        Whether sets reach it in ascending order; not for methods that take less time than sorting does.
    """

    name: ClassVar[str]
    line: ClassVar[str]
    Options: ClassVar[type[Options]] = Options
    default: ClassVar[bool] = False
    takes_incomplete: ClassVar[bool] = False
    for_incomplete: ClassVar[bool] = False
    counts_systems: ClassVar[bool] = False
    thorough: ClassVar[bool] = False
    has_engine: ClassVar[bool] = True
    ascending: ClassVar[bool] = True

    def suits(self, passes: Passes) -> bool:
        """Whether it is used before the default for these complete sets at once, where neither a method nor an option is named."""
        return False

    def wants_ascending(self, options: Any) -> bool:
        """Whether sets are to reach it in ascending order, so that the order in which they were given changes no result, to the last bit.

        Not where the order means something.
        """
        return self.ascending

    def fit(self, passes: Passes, options: Any) -> Solution:
        """The estimate from all sets; for a method with an engine, by default, that of its filter after the last set."""
        engine = self.engine(passes.like, options)
        state = engine.init()
        for block in passes.blocks():
            state = engine.advance(state, block)
        return engine.estimate(state)

    @abstractmethod
    def engine(self, like: Data, options: Any) -> Engine:
        """The online algorithm for sets of the shape of `like`."""

    def predict(self, setting: Setting) -> Prediction:
        """The asymptotic covariance of the estimate, times the number of sets."""
        raise InputError("no-prediction", "the error of method {method!r} is not known in advance.", method=self.name)


class BatchMethod(Method):
    """A method that needs all sets at once."""

    has_engine = False

    @abstractmethod
    def fit(self, passes: Passes, options: Any) -> Solution:
        """The estimate from all sets."""

    def engine(self, like: Data, options: Any) -> Engine:
        """None: it takes all sets at once."""
        raise InputError(
            "no-engine",
            "method {method!r} needs all sets at once, and does not take them as they come.",
            method=self.name,
        )
