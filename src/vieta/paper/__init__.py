"""The paper, for comparison: baselines, Examples 1-4 with verdicts, Lemma 1, the landscape, the naive transform."""
