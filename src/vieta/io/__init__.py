"""Files in: CSV, TSV, Parquet and NDJSON to sets and inputs. Needs the `app` extra."""
