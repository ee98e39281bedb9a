"""The likelihood over assignments does not depend on the order in a set, nor on how sets are cut."""

from numpy.testing import assert_allclose

from tests.answers.cases import THETA, data, drawn
from vieta.answers import association_likelihood
from vieta.answers.count import CountLikelihood


def test_order_and_pieces_do_not_matter(monkeypatch):
    sets, psi, b = drawn("count", 50)
    law = CountLikelihood(3, 2)
    whole = law.sums(data(sets, psi, b), THETA.ravel())
    turned = law.sums(data(sets[:, ::-1], psi, b), THETA.ravel())
    monkeypatch.setattr(association_likelihood, "PIECE", 7)
    cut = law.sums(data(sets, psi, b), THETA.ravel())
    for other in (turned, cut):
        assert_allclose(other.likelihood, whole.likelihood, rtol=1e-12)
        assert_allclose(other.information, whole.information, rtol=1e-9, atol=1e-12)
    assert_allclose(law.scores(data(sets, psi, b), THETA.ravel())[1].sum(axis=0), whole.score, rtol=1e-9)
