"""Tasks that a worker can import: what is asked comes back, takes for ever, or fails."""

import os
import time

from vieta.errors import InputError


def echo(report, asked):
    report("half way", 0.5)
    return {"asked": asked, "folder": os.getcwd()}


def write(report, asked):
    return {"page": "<p>kept</p>", "more": 1}


def sleep(report, asked):
    report("asleep", 0.25)
    time.sleep(600)
    return {}


def refuse(report, asked):
    raise InputError("page-no-file", "no.")


def fail(report, asked):
    raise KeyError("ours")


def die(report, asked):
    os._exit(3)


def said(error):
    return str(error) if isinstance(error, InputError) else None
