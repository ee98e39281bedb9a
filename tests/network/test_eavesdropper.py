"""What is overheard: the predicted shares against regressions on simulated messages."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.errors import InputError
from vieta.network import metropolis, overheard, ring, star


def messages(C, gains, z):
    """phi (runs, N, n) by the definition, for z (runs, N, n)."""
    state, sent = np.zeros((len(z), len(C))), []
    for k, gain in enumerate(gains):
        sent.append((1 - gain) * state + gain * z[:, k])
        state = sent[-1] @ C.T
    return np.stack(sent, axis=1)


@pytest.mark.parametrize("step", [0.2, None])
@pytest.mark.parametrize("heard", [[1], [1, 2]])
def test_shares_are_those_of_regressions(step, heard):
    C, runs, N, k = metropolis(ring(5)), 4000, 12, 7
    gains = np.full(N, step) if step else 1.0 / np.arange(1, N + 1)
    z = np.random.default_rng(0).normal(size=(runs, N, 5))
    sent = messages(C, gains, z)[:, :, heard]
    found = overheard(C, 1, n_sets=N, step=step, heard=heard)
    for share, seen in ((found.up_to_then[k], sent[:, : k + 1]), (found.in_the_end[k], sent)):
        X = seen.reshape(runs, -1)
        left = z[:, k, 1] - X @ np.linalg.lstsq(X, z[:, k, 1])[0]
        measured = (left**2).sum() / (runs - X.shape[1])
        assert abs(measured - (1 - share)) < 5 * (1 - share) * np.sqrt(2 / runs) + 1e-6
        assert abs(measured - (1 - share + 0.1)) > 5 * (1 - share) * np.sqrt(2 / runs) + 1e-6


def test_who_hears_all_that_reaches_an_agent_knows_its_sets():
    C = metropolis(star(6))
    everything = overheard(C, 3, n_sets=20, step=0.1, heard=[0, 3])
    assert_allclose(everything.up_to_then, 1.0, atol=1e-6)
    one_link = overheard(C, 3, n_sets=20, step=0.1)
    assert one_link.up_to_then[0] == pytest.approx(1.0)  # the first message is of the first set alone
    assert (one_link.up_to_then[1:] < 0.999).all()
    assert (one_link.in_the_end >= one_link.up_to_then - 1e-9).all()
    elsewhere = overheard(C, 3, n_sets=20, step=0.1, heard=[5])
    assert elsewhere.in_the_end.max() < 0.05
    assert (overheard(C, 3, n_sets=20, step=0.1, heard=[5]).up_to_then < 1e-9).all()  # nothing can have arrived yet


@pytest.mark.parametrize("options", [{"agent": 9}, {"agent": 0, "heard": [7]}, {"agent": 0, "heard": []}])
def test_agents_that_are_not_there_are_refused(options):
    with pytest.raises(InputError) as caught:
        overheard(metropolis(ring(4)), n_sets=3, **options)
    assert caught.value.code == "no-such-agent"
