"""How anonymous unlabeled records are: re-identification, ordering of experiments, the audit."""
