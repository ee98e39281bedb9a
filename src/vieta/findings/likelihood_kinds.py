"""Findings of likelihood methods with a given law of the noise."""

from vieta.findings.kind import Kind

LIKELIHOOD_KINDS: dict[str, Kind] = {
    "law-contradicted": Kind(
        "serious",
        "The likelihood estimate differs from the law-free one by more than chance (p < 0.01).",
        "The data contradict the assumed noise ({law}, sd {sd:.3g}): the estimate that needs no noise law lies farther away than chance "
        "allows (p = {p_value:.1g}). Likelihood methods are biased when the law or the variance is wrong: use method {instead!r}, or "
        "another {option.law}, or leave out {option.noise_var}.",
    ),
    "noise-size": Kind(
        "serious",
        "The noise variance that was given differs from that of the readings' sums by more than a factor of 1.5 and chance.",
        "The noise is not of the size that was given: its variance is about {ratio:.3g} times {option.noise_var}, by the sums of the "
        "readings. Standard errors and estimates rest on it: leave out {option.noise_var} to have it estimated.",
    ),
    "prior-doubtful": Kind(
        "caution",
        "A likelihood with a prior over the orders is contradicted.",
        "The prior over the orders may be what is wrong: without {option.prior} the estimate rests on the noise law alone, and the order "
        "within a set carries no meaning.",
    ),
    "em-not-converged": Kind(
        "caution",
        "EM used up its iterations.",
        "EM had not converged after {iterations} iterations: the likelihood was still rising, as it does slowly where systems nearly "
        "coincide. Use method {instead!r}, or more sets.",
    ),
    "em-halted": Kind(
        "serious",
        "EM stopped where no step raises the likelihood although it has a slope.",
        "EM stopped after {iterations} iterations where the likelihood still has a slope: the noise law has an edge or a kink that it "
        "cannot pass. Do not rely on this estimate; use method {instead!r}, or a law that fades away.",
    ),
}
