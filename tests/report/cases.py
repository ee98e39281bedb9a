"""Answers without a command: an estimate from arrays with the words that a command would add."""

from html.parser import HTMLParser

import vieta
from vieta.report.fit_report import Answer
from vieta.report.settling import settling
from vieta.sets import as_data


class Page(HTMLParser):
    """Tags that must be closed, sources, classes, and text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.sources, self.text, self.classes = [], [], "", []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.sources += [value for name, value in attributes if name in {"src", "href"}]
        self.classes += [value for name, value in attributes if name == "class"]
        if tag not in {"meta", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.text += text


def answered(sets, inputs=None, method=None, *, names=None, input_names=None, level=0.9, **more):
    """What there is to say about the estimate of a method from some sets."""
    data = as_data(sets, inputs)
    estimate = vieta.fit(sets, inputs, method=method)
    D = estimate.theta.shape[1]
    return Answer(
        estimate=estimate,
        sources="a & <b>.csv",
        description=["a & <b>.csv: long", f"{len(data)} sets used"],
        parameter_names=names or [str(j + 1) for j in range(D)],
        input_names=(["psi"] if inputs is not None else []) if input_names is None else input_names,
        level=level,
        command="vieta fit 'a & <b>.csv' --systems 3",
        **({"sample": data, "path": settling(data, estimate.method, {})} | more),
    )
