"""Findings about incomplete sets: missed and false readings, the number of systems, the law of the noise."""

from vieta.findings.kind import Kind

INCOMPLETE_KINDS: dict[str, Kind] = {
    "number-chosen": Kind(
        "note",
        "The number of systems was not given, and was chosen by an information criterion.",
        "The number of systems was chosen: {chosen}, among {tried}. The next best, {second}, is behind by {margin:.3g} in the criterion.",
    ),
    "number-unsure": Kind(
        "serious",
        "The number of systems was chosen, and another is behind by less than 6 in the criterion.",
        "The number of systems is not sure: {chosen} was chosen among {tried}, and {second} is behind by {margin:.2g} only. Give the number "
        "if it is known; more sets can decide.",
    ),
    "rival-optimum": Kind(
        "serious",
        "Another solution of incomplete sets has a log-likelihood that is lower by less than 5.",
        "Another solution explains the sets about as well (its log-likelihood is lower by {behind:.2g}): {rival}. The sets do not tell which "
        "of the two is right. More sets, or inputs that take more different values, can decide.",
    ),
    "clutter-or-systems": Kind(
        "caution",
        "Readings may be false, and all inputs are the same.",
        "All inputs are the same, so that nothing but their density tells false readings from those of the {n_systems} systems: where false "
        "readings gather they look like a system. Inputs that vary would tell.",
    ),
    "always-seen": Kind(
        "note",
        "Misses were allowed for, and the estimate has less than two in all sets.",
        "Misses were allowed for, and hardly any was found in {n_sets:,} sets: the probability of being seen is at the end of its range, and "
        "its standard error means nothing.",
    ),
    "no-clutter": Kind(
        "note",
        "False readings were allowed for, and the estimate has less than two in all sets.",
        "False readings were allowed for, and hardly any was found in {n_sets:,} sets: their rate is at the end of its range, and its standard "
        "error means nothing.",
    ),
    "hardly-seen": Kind(
        "caution",
        "A system has fewer than 20 readings for each of its parameters, or is seen in less than 5 % of the sets.",
        "Some systems are hardly ever seen ({systems}): of one there are about {readings:.0f} readings. Its parameters rest on few numbers, "
        "and it may be made of false readings. Check the number of systems.",
    ),
    "system-not-seen": Kind(
        "serious",
        "A system of a filter is seen less than a third as often, of late, as when the filter started.",
        "Some systems are not seen any more ({systems}): in about the latest {n_sets} sets with a probability of {share:.2g}, after "
        "{usual:.2g} before. They may have gone, or have changed at once. Their values are those of earlier sets.",
    ),
    "system-new": Kind(
        "caution",
        "In a filter the number of false readings rose, or a system was not seen any more, and the sets that came then show one system more.",
        "There seems to be a system more than {n_systems}, near {place}, seen with a probability of {seen:.2g}: readings that were taken for "
        "false lie on a line (the criterion is better by {margin:.0f} with it). Fit the latest sets with {more} systems ({option.n_systems}).",
    ),
    "readings-unexplained": Kind(
        "caution",
        "No reading was to be false, and two or more are where no system can have put them.",
        "About {count:.0f} readings ({share:.2g} of all) belong to no system, and none was to be false. They were given no weight. If some "
        "may be false, allow for it: {option.clutter:True}.",
    ),
    "misses-not-modelled": Kind(
        "caution",
        "No system was to be missed, and in two or more cases one has no reading.",
        "In about {count:.0f} cases, in {n_sets:,} sets, a system has no reading, and none was to be missed. If some may be, allow for it: "
        "{option.misses:True}.",
    ),
    "sizes-unlikely": Kind(
        "caution",
        "The sizes of the sets vary more, or less, than independent misses and a Poisson number of false readings do, by 4.5 standard errors.",
        "The sizes of the sets have the variance {variance:.3g}, where misses that are independent and a Poisson number of false readings have "
        "{expected:.3g} (z = {z:.1f}). Misses or false readings come together, or exclude each other; the parameters suffer little, the rates "
        "do not mean what they say.",
    ),
    "system-not-shown": Kind(
        "serious",
        "A system that is seen rarely, or has wide noise, is worth less than 6 in the information criterion: it may be made of false readings.",
        "System {system} may be made of false readings: without it the sets are explained about as well (it is worth {margin:.2g} in the "
        "criterion). Do not rely on its parameters; give one system less, or more sets.",
    ),
    "misses-follow-value": Kind(
        "serious",
        "Whether a system is seen depends on what it would have read, by 4.5 standard errors.",
        "Misses depend on the value: systems are seen more often where their readings are smaller, or larger (z = {z:.1f}), as when high ones "
        "are cut off. Readings near the limit are no fair sample of their system, and parameters may be off by more than their errors.",
    ),
    "readings-cut-off": Kind(
        "serious",
        "No reading is false, and 15 readings or more, and 1 % of all, should lie beyond the largest or the smallest one.",
        "No reading is {side} {end:.4g}, where {expected:.0f} are expected: readings seem to be cut off there, as by a meter's range or a "
        "limit of detection. Systems near it are seen where they happen to be on this side, and parameters may be off by more than their "
        "errors. Leave out sets in which a system may be beyond the limit.",
    ),
    "curve-missing": Kind(
        "serious",
        "Systems follow functions of the inputs' ranks beside the inputs, with p < 7e-6.",
        "Systems follow the inputs by a curve that the inputs do not have (z = {z:.1f}). Parameters may be off by more than their errors: add "
        "the square of an input, or other functions of it. A solution that mixes two systems shows as a curve, too.",
    ),
    "noise-follows-input": Kind(
        "serious",
        "The deviation of the noise depends on the inputs, by functions of their ranks, with p < 7e-6.",
        "The size of the noise depends on the input (z = {z:.1f}), and sets of different sizes are told apart by it: parameters may be off by "
        "more than their errors. A curve taken for a line does this as well. Transform the readings so that their noise is even (logarithms, "
        "where it grows with the reading), or fit sets with small and with large inputs on their own.",
    ),
    "clutter-follows-input": Kind(
        "serious",
        "False readings depend on the input, by 4.5 standard errors.",
        "False readings depend on the input (z = {z:.1f}). They may be those of another system, or of something that follows the systems: try "
        "one system more. As it is, they may be taken for readings of a system that is near them.",
    ),
    "misses-last": Kind(
        "caution",
        "Whether a system is seen depends on whether it was seen in the sets before, by 4.5 standard errors.",
        "Misses last: systems that are missed in one set are missed in the next more often than by chance (z = {z:.1f}). The parameters do not "
        "suffer; the standard errors of the probability of being seen are too small.",
    ),
    "clutter-lasts": Kind(
        "caution",
        "How many readings are false depends on how many were in the sets before, by 4.5 standard errors.",
        "False readings come in stretches of time (z = {z:.1f}). The standard error of their rate is too small, and where they are many they "
        "hide more than the estimate allows for.",
    ),
    "noises-together": Kind(
        "caution",
        "The products of the noises of two systems in a set are not zero on average, by 4.5 standard errors, or 5 in a filter.",
        "The noises of different systems go together within a set (z = {z:.1f}): something disturbs them at once. Where the systems lie apart "
        "the estimate does not suffer, but the errors of a mean of parameters are larger than is said, and where they overlap it may be "
        "biased. Remove what disturbs all systems at once, if it can be measured.",
    ),
    "complete-sets-disagree": Kind(
        "serious",
        "The estimate differs from that of the complete sets alone, which assumes no law of noise, by more than chance (p < 0.001).",
        "The complete sets alone, without a law of the noise, say something else than all sets together (p = {p:.1g}). Systems are not missed "
        "by chance, some readings are false, or noises depend on each other.",
    ),
    "means-misfit": Kind(
        "serious",
        "Inputs repeat eight times or more, and means of its own under each input explain incomplete sets better than chance allows "
        "(p < 0.0001).",
        "Under each different input by itself, the sets show other means than {n_systems} systems that follow the inputs have (p = {p:.1g}). "
        "Either the search has missed the right solution, or the model does not fit: check the number of systems and the inputs.",
    ),
    "noise-law-matters": Kind(
        "note",
        "The estimate under normal noise differs from that under the law that was chosen by more than three standard errors.",
        "The law of the noise matters here: under normal noise, which fits the sets worse, a parameter would differ by {apart:.1f} standard "
        "errors.",
    ),
    "tails-hidden": Kind(
        "caution",
        "Residuals are lopsided by 4.5 standard errors, some readings are false, and the inputs have a constant part.",
        "The noise is lopsided (z = {z:.1f}), and where its long tail ends and false readings begin cannot be told. All systems "
        "may be off by the same constant, by more than their standard errors; how they differ, and what follows the inputs, is not affected.",
    ),
}
