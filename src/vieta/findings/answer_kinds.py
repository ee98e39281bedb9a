"""Findings about answers that are not measurements: right or wrong, levels, counts, rounded numbers."""

from vieta.findings.kind import Kind

ANSWER_KINDS: dict[str, Kind] = {
    "answers-separated": Kind(
        "caution",
        "A system's answers are all right, or all wrong, or at one end of the scale, as far as the sets tell, so that its parameter goes to "
        "infinity.",
        "The parameter of a system goes to infinity: all its answers seem to be at one end. It is at {side} {limit:.3g} with 95 % confidence, "
        "and has no other bound; the value that is shown is that at which the likelihood is half of its supremum.",
    ),
    "answers-separated-by-inputs": Kind(
        "serious",
        "The same for a system with several parameters: some of these go to infinity.",
        "Parameters of a system go to infinity, those without a standard error: its answers seem to be at one end wherever the inputs are on "
        "one side. There are no bounds that could be given for them one by one: do not use their values.",
    ),
    "answers-unbounded": Kind(
        "serious",
        "A system's parameter goes to infinity, and answers do not exclude any value of it on the other side.",
        "The parameter of a system goes to infinity, and the answers exclude no value on the other side either: do not use what is shown.",
    ),
    "scale-readings": Kind(
        "caution",
        "Readings that were fitted as measurements are few whole numbers in a row, and pile up at an end.",
        "Readings are whole numbers from {low:g} to {high:g}, and do not thin out towards an end, as measurements do: these are levels of a "
        "scale, or counts. Parameters are biased. Use {option.family:ordinal} (levels from 1 on) or "
        "{option.family:count}.",
    ),
    "step-too-fine": Kind(
        "caution",
        "The step that was given is finer than what rounded readings lie on.",
        "The step was given as {given:g}, and all readings are whole numbers of steps of {found:g}: they seem to be rounded to that, and the "
        "noise before rounding is overstated. Give that step, or none.",
    ),
    "intervals-short": Kind(
        "caution",
        "Twelve standard errors from a parameter the likelihood of answers has not fallen so far that 95 % confidence excludes it.",
        "An interval is too short, although it was made longer: {away:.2g} standard errors from the estimate of a parameter the likelihood has "
        "not fallen so far that values there are excluded. The data allow for values beyond that end.",
    ),
    "intervals-widened": Kind(
        "note",
        "The likelihood of answers falls more slowly than its curvature at the estimate says, so that a 95 % interval had to reach 1.3 times "
        "as far on one side or more to hold what it does not exclude; a caution if that, or one of 99 %, is more than 2.",
        "Away from the estimate the likelihood falls more slowly than its curvature there says: to hold all that is not excluded, intervals "
        "reach up to {times:.2g} times as far as it says on one side at 95 %, and {far:.2g} times at 99 %.",
    ),
    "one-item": Kind(
        "caution",
        "All sets have the same input and the same known number.",
        "All sets ask the same, with one input and one offset. What tells the systems apart is then only how little their sums vary, and "
        "that rests on answers that are independent within a set. Without it only the mean answer is known: {mean:.4g}.",
    ),
    "findings-of-first-sets": Kind(
        "note",
        "A filter of answers started with findings, which it keeps.",
        "What is said about answers was found in the first {count:,} sets, from which the filter started, and is not looked for in later ones.",
    ),
    "answers-changed": Kind(
        "serious",
        "The scores of the latest 500 sets, about, in a filter of answers are not those of parameters that stay (false alarms: one in 10⁶ sets "
        "or less), and all sets are remembered alike.",
        "The parameters changed, which was noticed at set {noticed:,}, and all sets are remembered alike: the estimate mixes before and after. "
        "Give {option.memory}, or begin anew.",
    ),
    "answers-changed-followed": Kind(
        "note",
        "The same in a filter that forgets old sets.",
        "The parameters changed, which was noticed at set {noticed:,}: the estimate follows as old sets are forgotten.",
    ),
    "answers-dispersed": Kind(
        "serious",
        "The sums of 100 or more sets of answers vary more or less than the family lets them, by more than 3.6 standard errors.",
        "The sums of the sets vary {ratio:.3g} times as much as the family says (z = {z:.1f}): answers of a set depend on each other, or vary "
        "more or less than the family lets them. Differences between systems may be biased, and errors are not what they seem.",
    ),
    "link-misfit": Kind(
        "caution",
        "The sums of 100 or more sets of answers miss their expected values in ten groups of these (false alarms: one in 1000 fits).",
        "The link does not fit: sums of answers miss what is expected of them where that is small, middling or large (chi-square "
        "{chi_square:.0f} with {dof} degrees of freedom). Try another link, other inputs, or another offset.",
    ),
    "ends-misfit": Kind(
        "caution",
        "Answers of 100 or more sets are at the ends of three or more levels too often, by likelihood ratios at a probability of 0.0002 "
        "(false alarms: none of 938 fits).",
        "The ends of the scale are used too often: some answers are an end in the place of their level, as from systems that like extremes or "
        "answer at random (chi-square {chi_square:.0f} with {dof} degrees of freedom). Estimates may be biased; join the outer levels.",
    ),
    "scale-not-shared": Kind(
        "caution",
        "Systems seem to have thresholds of their own: a score test, at a probability of 0.0002 (false alarms: 10 of 1,434 fits of 100 to "
        "2500 sets).",
        "Systems do not use the scale alike: some spread their answers farther, or less far, than thresholds that all share let them "
        "(chi-square {chi_square:.0f} with {dof} degrees of freedom). Leanings and slopes of such systems are biased; join levels, so that "
        "fewer thresholds are left.",
    ),
    "scale-too-short": Kind(
        "caution",
        "More than 70 % of the answers are the lowest or the highest of three or more levels.",
        "{share:.0%} of the answers are at an end of the scale, which is too short for these systems: what lies beyond, the link alone tells.",
    ),
    "noise-below-step": Kind(
        "serious",
        "The noise before rounding seems to be less than 0.12 steps.",
        "The noise is hidden by the rounding to {step:.4g}: readings hardly ever move from one value to the next, and where the inputs do not "
        "move them either, parameters are known to half a step only. Standard errors do not say so.",
    ),
    "count-law-wrong": Kind(
        "caution",
        "Counts vary less than Poisson counts, or likelihood and quasi-likelihood differ by more than chance (false alarms: one in 1000).",
        "The counts are neither Poisson nor negative binomial ones (dispersion {phi:.3g}, p = {p_value:.2g}): the estimate is that of "
        "quasi-likelihood, which needs no law, and its errors are larger for it.",
    ),
    "count-law-unchecked": Kind(
        "note",
        "Quasi-likelihood of counts has no root near the likelihood's maximum.",
        "The law of the counts could not be checked against quasi-likelihood, which needs none and has no solution near. Estimates rest on "
        "Poisson or negative binomial counts.",
    ),
    "rounded-readings": Kind(
        "caution",
        "Readings that were fitted as measurements are multiples of a step of 0.7 noise deviations or more; a note below 2.",
        "The readings are rounded to {step:.4g}, which is {ratio:.2g} times the deviation of the noise: their means may be off by up to "
        "{bias:.2g} each, and the noise has grown by a factor {growth:.3g}. {option.family:rounded} allows for it.",
    ),
    "binary-readings": Kind(
        "serious",
        "All readings that were fitted as measurements are 0 or 1.",
        "All readings are 0 or 1: these are answers, not measurements, and their noise depends on their means. Use {option.family:binary}.",
    ),
}
