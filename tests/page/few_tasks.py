"""Tasks that a worker can import: what is asked comes back, takes for ever, or fails; and the address of the page in tests."""

import os
import time

from vieta.errors import InputError

NEEDED = "the page is behind the extra `page`: pip install '.[page]', and httpx2 for its test client"
PORT = 8384
TOKEN = "the-right-token"
HOME = f"http://127.0.0.1:{PORT}"


def echo(report, asked):
    report("half way", 0.5)
    return {"asked": asked, "folder": os.getcwd()}


def write(report, asked):
    return {"page": "<p>kept</p>", "more": 1}


def count(report, asked):
    for k in range(asked["upto"]):
        report.part({"k": k})
        time.sleep(asked.get("pause", 0.0))
    return {}


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
