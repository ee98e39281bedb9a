"""Maximum likelihood for unlabeled sets: associations by permanents, EM, recursive EM, one Fisher-scoring step."""
