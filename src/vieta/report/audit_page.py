"""The audit as a page for whoever decides about a release: who can be named, what is learned, what noise would change."""

import json
from collections.abc import Iterator

import numpy as np

from vieta.anonymity import audit_tables as cells
from vieta.anonymity.audit_findings import percent
from vieta.report import html
from vieta.report.audit_report import Audited
from vieta.report.html import escape

GUESSER = "The guesser knows the parameters of every system, and has to say which reading of a record belongs to whom."


def page(audited: Audited) -> str:
    """The page as HTML."""
    title = f"How anonymous are these {audited.audit.n_records:,} records?"
    return html.page(title, escape(" · ".join(cells.head(audited.audit))), _sections(audited))


def _sections(audited: Audited) -> Iterator[tuple[str, str]]:
    yield "What to make of it", html.findings(audited.verdict)
    yield "Who can be named now", _now(audited)
    yield "What an analyst learns, without any name", _learned(audited)
    yield "What more noise would change", _noise(audited)
    yield "Taken for granted", f"<p>{escape(_sentence(cells.ASSUMED.removeprefix('Taken for granted: ')))}</p>"
    yield "Data and settings", _settings(audited)


def _now(audited: Audited) -> str:
    from vieta import plots

    found = audited.audit
    rows = [list(row) for row in cells.guesses(found)]
    guesses = html.table(["the best guess", "is right", "by pure chance"], rows)
    named = found.now.reidentification
    figure = plots.named(named, [percent(float(share)) for share in named])
    bars = html.picture(figure, "How often a reading of each system is named rightly.")
    systems = html.table(audited.systems_header, cells.systems(found))
    return f"<p>{GUESSER}</p>{guesses}{bars}{systems}<p class='aside'>{escape(_sentence(cells.LOOK_ALIKES))}.</p>"


def _learned(audited: Audited) -> str:
    words = (
        "Names are not needed to learn the parameters themselves. After so many records, an analyst who is given the sets "
        "alone knows them this well:"
    )
    rows = html.table(list(cells.LEARNED), cells.learned(audited.audit))
    return f"<p>{words}</p>{rows}<p class='aside'>{escape(_sentence(cells.told_apart(audited.audit)))}.</p>"


def _noise(audited: Audited) -> str:
    noise = (
        "If answers were exchanged at random for another one, drawn evenly, so often before the release"
        if audited.audit.tradeoff.flips
        else "If independent noise of this standard deviation were added to every reading before the release"
    )
    words = (
        f"{noise}: how often a reading and a whole record would still be named rightly, and how many times as many records the analyst "
        "would need to know as much as now."
    )
    note = (
        "Left: what noise buys; the whole record is all readings at once. Right: what it costs whoever learns from the records. "
        f"{_least(audited)}"
    )
    rows = html.table(list(cells.noise_header(audited.audit)), cells.noise(audited.audit))
    return f"<p>{words}</p>{rows}{html.picture(audited.audit.plot(), note)}"


def _settings(audited: Audited) -> str:
    lines = "".join(f"<li>{escape(line)}</li>" for line in audited.description)
    return f"<ul>{lines}</ul>{html.command(audited.command)}" + html.numbers(
        json.dumps(audited.to_dict(), indent=2, allow_nan=False)
    )


def _least(audited: Audited) -> str:
    """Where the curve of the least possible error is, and why not elsewhere."""
    known = np.isfinite(audited.audit.tradeoff.bound).all(axis=(1, 2))
    if known.all():
        return ""
    if not known.any():
        return "The least possible error is not worked out here: there are too many systems, or no noise."
    return "The least possible error is shown as far as it can be simulated well: with more noise it is not known."


def _sentence(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]
