"""What the library says in terms of Python, in terms of the command. JSON keeps the library's words: programs read it."""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vieta.estimators import Estimate

OPTIONS = "memory|drift|step|law|noise_var|method"  # of the library and of the command alike
ABSENT = "start|transform|regularization|prior"  # of the library alone

# What to look for and what to say instead, one after the other.
PHRASES = [
    (rf"\b({ABSENT})=, ", ""),  # in lists of options
    (rf", ({ABSENT})=(?=[.,])", ""),
    (r"(About the estimate: .*)\brobust=True", r"\1vieta fit --robust"),
    (r"\brobust=True", "--robust"),
    (r"\brobust=(?!\w)", "--robust"),
    (r"(?:\bvieta\.)?\bSymmetricFilter\b", "vieta watch"),
    (r"\bvieta\.(fit|simulate)\b", r"vieta \1"),
    (r"^`variance`", "--noise-var"),
    (r", or give a law with a density", ""),
    (r"Write int\(\.\.\.\) if a round float is meant", "Write a round number without a point"),
    (r"\bn_systems=", "--systems "),
    (rf"\b({OPTIONS})=(?=[\w'\[-])", r"--\1 "),  # with a value
    (rf"\b({OPTIONS})=", r"--\1"),
    (r"--noise_var", "--noise-var"),
]
HAS_NONE = re.compile(r"has no options; (.+) came\.")
TRACKS = " If they wander all the time, give --drift or --memory."


def in_words(text: str, given: Collection[str] = ()) -> str:
    """A finding or a message as the command says it; it advises no option of those that were `given`.

    >>> in_words("Use robust=True, or another law=, or SymmetricFilter; memory=0.0 must be above 1.")
    'Use --robust, or another --law, or vieta watch; --memory 0.0 must be above 1.'
    """
    for sought, said in PHRASES:
        text = re.sub(sought, said, text)
    text = HAS_NONE.sub(lambda found: f"has no options; {_as_options(found[1])} came.", text)
    return text.replace(TRACKS, "") if {"drift", "memory"} & set(given) else text


def _as_options(names: str) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in names.split(", "))


def spoken(estimate: "Estimate", given: Collection[str] = ()) -> "Estimate":
    """An estimate whose findings are in the command's words."""
    return replace(estimate, warnings=tuple(in_words(text, given) for text in estimate.warnings))
