"""Files in: unlabeled sets from CSV, NDJSON and Parquet, with every row accounted for."""
