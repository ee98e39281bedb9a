"""Findings of the audit of records: how anonymous they are."""

from vieta.findings.kind import Kind

AUDIT_KINDS: dict[str, Kind] = {
    "figures-doubtful": Kind(
        "serious",
        "The estimate has a serious finding, or no covariance; systems that lie close count only where the model does not fit.",
        "Do not rely on the figures of this audit: the estimate that they rest on is doubtful ({reason}). Someone who knows the right "
        "parameters may name more readings than is said here. Settle first what is said about the estimate.",
    ),
    "noise-pooled": Kind(
        "caution",
        "The noise of some systems is not known on its own.",
        "The size of the noise is not known for each system on its own ({unknown} of {n_systems}): one that they share stands in for it. If "
        "some of them are much less noisy than others, more readings can be named than is said here.",
    ),
    "order-names-systems": Kind(
        "serious",
        "Some system stands at the same position of a record more often than by chance (z > 5).",
        "The order of the readings gives the systems away: some system is found at the same place of a record far more often than by "
        "chance (z = {z:.0f}). Shuffle every record before it is released.",
    ),
    "order-persists": Kind(
        "serious",
        "The order of the readings stays from record to record more often than by chance (z > 5).",
        "The order of the readings hardly changes from one record to the next: the readings of a system can be followed through time "
        "(z = {z:.0f}). Shuffle every record anew.",
    ),
    "order-follows-rule": Kind(
        "serious",
        "The order of the readings stays less often than by chance (z < -5).",
        "The order of the readings changes from one record to the next by a rule and not by chance: hardly any reading keeps its place "
        "(z = {z:.0f}), so that systems can be followed through time. Shuffle every record anew.",
    ),
    "column-names-systems": Kind(
        "serious",
        "A column of the file has the same values in every set, each once.",
        "Column {column!r} has the same {n_systems} values in every set: it names the systems. Remove it before release.",
    ),
    "law-excludes-records": Kind(
        "caution",
        "Records to which the given law of the noise gives no probability.",
        "{law} noise excludes {excluded:,} of the {looked:,} records looked at, whoever's their readings are. A few are no wonder where a "
        "law ends sharply and parameters are learned; more speak against the law, and against the figures that rest on it.",
    ),
    "one-system": Kind(
        "serious",
        "There is one system only.",
        "There is one system only: every reading is its own, and nothing is hidden by leaving out names.",
    ),
    "hardly-anonymous": Kind(
        "serious",
        "The best guess names 80 % of the readings or more.",
        "These records are hardly anonymous: whoever knows the parameters names the right system of a reading {right} of the time, where "
        "pure chance would do so {chance} of the time. Leaving out the names does not hide who is who; see what added noise would do.",
    ),
    "judge-single-readings": Kind(
        "note",
        "The anonymity of whole records is much higher than that of single readings.",
        "Judge by the single readings: all {n_systems} systems of a record are hardly ever named rightly at once (wrong {wrong} of the "
        "time), and yet a single one is, {single} of the way from chance to certainty.",
    ),
    "stands-out": Kind(
        "caution",
        "A system is guessed wrongly a third as often as the middle one, or less.",
        lambda facts: (
            ("System {systems} stands" if facts["count"] == 1 else "Systems {systems} stand")
            + " out: named rightly {right} of the time, where the middle one of all systems is so {middle}. Noise that hides the others may "
            + ("not hide it." if facts["count"] == 1 else "not hide them.")
        ),
    ),
    "twins-not-told-apart": Kind(
        "caution",
        "Systems come out as equal because the estimate could not separate them.",
        "Systems {systems} were not told apart by this estimate, and count as equal here. They may differ: these figures then show more "
        "anonymity than there is. Learn them from more records first.",
    ),
    "twins": Kind(
        "note",
        "Systems have the same parameters.",
        "Systems {systems} have the same parameters: nobody can tell their readings apart, from any number of records, and an analyst's "
        "standard errors for them are infinite (a small difference of two equal systems does not move a record).",
    ),
    "parameters-learned": Kind(
        "note",
        "The records tell all systems apart, by 3 standard errors or more.",
        "The parameters themselves are no secret: {records:,} records tell all of them apart, without any name. Shuffling hides whose they "
        "are, not what they are.",
    ),
    "parameters-not-learned": Kind(
        "caution",
        "Two systems are less than 3 standard errors apart.",
        "After {records:,} records two systems are not told apart yet ({apart:.1f} standard errors). The figures on anonymity rest on their "
        "estimated values, and may be off.",
    ),
    "about-estimate": Kind(
        "caution", "A finding of the estimate that an audit rests on.", "About the estimate: {finding}"
    ),
    "shape-not-kept": Kind(
        "note",
        "What added noise does is not computed for this law.",
        "What added noise would buy is not shown: {law} noise does not keep its shape when noise is added, as far as is known. Give its "
        "variance instead of the law to see it for Gaussian noise.",
    ),
    "answers-without-noise": Kind(
        "note",
        "Counts or rounded numbers were audited.",
        "Readings are {family} answers, and no noise is added to these: what would make them more anonymous is a coarser scale, fewer "
        "questions, or more systems in a set.",
    ),
    "added-noise-not-computed": Kind(
        "note",
        "What added noise does is not computed for incomplete sets with noise that is not normal, or of vectors with sizes of their own.",
        "What added noise would buy is not computed: readings are missing or false, and their noise is not normal, or of another size for each "
        "system of vectors.",
    ),
}
