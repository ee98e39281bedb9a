"""Streams of sets for tests of a watch."""

import json
from functools import cache

import numpy as np

import vieta
from tests.test_contract import snapshot
from vieta.live.schedule import Rhythm
from vieta.live.watcher import Watch


class Pieces:
    """A feed of given pieces."""

    number = 0

    def __init__(self, *pieces, ended=True):
        self.pieces, self.rest, self.ended = list(pieces), b"", ended

    def read(self, _):
        text = self.rest + (self.pieces.pop(0) if self.pieces else b"")
        if not self.pieces and b"\n" not in text:
            self.rest = text
            return None
        whole, end, self.rest = text.rpartition(b"\n")
        return whole + end

    def take_rest(self):
        rest, self.rest = self.rest, b""
        return rest

    def give_back(self, text):
        self.rest = text + self.rest


def lines_of(n=600, change=None, seed=0):
    """Two systems, with a change after so many sets."""
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=n)
    theta = np.where(np.arange(n)[:, None] < (n if change is None else change), [1.0, 2.0], [1.0, 3.0])
    sets = psi[:, None] * theta + 0.05 * rng.normal(size=(n, 2))
    text = [json.dumps({"y": y, "psi": c, "t": k}) for k, (y, c) in enumerate(zip(sets.tolist(), psi.tolist()))]
    return sets, psi, text


def made(method="rls", rhythm=None, save=lambda *_: None, **options):
    def make(form):
        return vieta.SymmetricFilter(form.n_systems, form.dim, method=method)

    return Watch(make, save, rhythm or Rhythm(), **options)


def run(watch, *pieces):
    return list(watch.events(Pieces(*pieces)))


SETS, PSI, LINES = lines_of()
MIXED = "\n".join([*LINES[:100], "x", "", *LINES[100:300], "[1]", *LINES[300:], "", '{"y": 1}']).encode()


@cache
def expected():
    """What a filter holds after all the sets."""
    return snapshot(vieta.SymmetricFilter(2, method="rls").partial_fit(SETS, PSI))
