"""Files of known sets, in every kind and layout."""

import gzip

import numpy as np
import polars as pl


def records(n=200, L=3, seed=0):
    """Sets (n, L) and inputs (n,)."""
    rng = np.random.default_rng(seed)
    psi = rng.uniform(0.5, 2.0, n)
    return rng.permuted(psi[:, None] * (1.0 + 2.0 * np.arange(L)) + 0.1 * rng.standard_normal((n, L)), axis=1), psi


def vectors(n=100, L=2, p=2, D=3, seed=0):
    """Sets (n, L, p) and inputs (n, p, D)."""
    rng = np.random.default_rng(seed)
    psi = rng.standard_normal((n, p, D))
    theta = rng.standard_normal((L, D)) + 3.0 * np.arange(L)[:, None]
    return np.einsum("npd,ld->nlp", psi, theta) + 0.05 * rng.standard_normal((n, L, p)), psi


def long_frame(sets, psi, name="set"):
    n, L = sets.shape
    return pl.DataFrame({name: np.repeat(np.arange(n), L), "y": sets.ravel(), "psi": np.repeat(psi, L)})


def wide_frame(sets, psi, name="time"):
    columns = {f"y{i + 1}": sets[:, i] for i in range(sets.shape[1])}
    return pl.DataFrame({name: np.arange(len(sets)), **columns, "psi": psi})


def long_vectors(sets, psi):
    n, L, p = sets.shape
    values = {f"y{i + 1}": sets[:, :, i].ravel() for i in range(p)}
    inputs = {f"psi_{i + 1}_{j + 1}": np.repeat(psi[:, i, j], L) for i, j in np.ndindex(*psi.shape[1:])}
    return pl.DataFrame({"t": np.repeat(np.arange(n), L), **values, **inputs})


def wide_vectors(sets, psi):
    values = {f"y{l + 1}_{i + 1}": sets[:, l, i] for l, i in np.ndindex(*sets.shape[1:])}
    inputs = {f"psi_{i + 1}_{j + 1}": psi[:, i, j] for i, j in np.ndindex(*psi.shape[1:])}
    return pl.DataFrame({**values, **inputs})


def shuffled(frame, seed=1):
    return frame.sample(fraction=1.0, shuffle=True, seed=seed)


def write(frame, path):
    """By the ending of the name."""
    name = str(path)
    if name.endswith(".parquet"):
        frame.write_parquet(path)
        return path
    text = (
        frame.write_ndjson().encode()
        if ".ndjson" in name
        else frame.write_csv(separator="\t" if ".tsv" in name else ",").encode()
    )
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return path
