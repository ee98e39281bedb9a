"""What every kind of finding must satisfy, given facts as the estimators give them."""

import json
import re
import string
from collections.abc import Mapping
from typing import Any

from vieta.findings import KINDS, SEVERITIES, Kind, finding
from vieta.wording import Audience

SHELL = Audience(
    lambda name, value: f"--{name} {value}".rstrip(),
    lambda name: f"--{name}",
    {"fit": "vieta fit", "filter": "vieta watch"},
    lambda name: True,
)
DECIDES = {"robust", "times", "tracks", "count"}  # facts that choose the sentence rather than stand in it


def check_kinds(kinds: Mapping[str, Kind], facts: Mapping[str, Mapping[str, Any]]) -> None:
    """Facts are given for every kind; each says something to both audiences, and its facts go into JSON and are all used."""
    assert set(facts) == set(kinds)
    assert kinds.items() <= KINDS.items()
    for code in kinds:
        _check_sentences(code, facts[code])
        _check_facts(code, facts[code])


def _check_sentences(code: str, facts: Mapping[str, Any]) -> None:
    found = finding(code, **facts)
    assert found.severity in SEVERITIES, code
    for text in (str(found), found.say(SHELL)):
        assert text[0].isupper() or text[0].isdigit(), code
        assert text.endswith("."), code
        assert "{" not in text, code
    assert not re.search(r"(?<!\w)--\w", str(found)), code
    assert not re.search(r"\b(memory|drift|robust|step|law|noise_var|prior|method)=", found.say(SHELL)), code
    assert KINDS[code].when.endswith("."), code


def _check_facts(code: str, facts: Mapping[str, Any]) -> None:
    found = finding(code, **facts)
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (again["code"], again["severity"], again["text"]) == (code, found.severity, str(found))
    text = KINDS[code].text
    template = text(facts) if callable(text) else text
    used = {name for _, name, _, _ in string.Formatter().parse(template) if name}
    assert set(facts) - DECIDES <= used, code
