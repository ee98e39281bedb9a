"""The jobs that compile every kernel: on each kind of data each method has one, and no kernel is left out."""

import ast
import os
import shutil
import subprocess
import sys

import pytest

import vieta
from vieta import warm_up
from vieta.errors import InputError
from vieta.method import registry
from vieta.warm_up import Job, examples, jobs


def test_every_method_meets_every_kind_of_data():
    names = [job.name for job in jobs()]
    kinds = [example.name for example in examples()]
    assert len(set(names)) == len(names)
    for name, method in registry.every().items():
        for kind in kinds:
            assert f"{name}, {kind}" in names
            assert (f"{name} online, {kind}" in names) == method.has_engine
    assert all(f"common shock, {kind}" in names for kind in kinds)


def test_the_examples_differ_in_shape():
    shapes = [(one.sets.shape[1:], None if one.inputs is None else one.inputs.shape[1:]) for one in examples()]
    assert len(set(shapes)) == len(shapes)


def test_data_that_a_method_does_not_take_are_passed_over():
    def refuse():
        raise InputError("some-code", "No.")

    warm_up._try(refuse)
    with pytest.raises(ZeroDivisionError):  # a fault of ours is not
        warm_up._try(lambda: 1 / 0)


def test_a_job_is_run():
    job = next(one for one in jobs() if one.name == "many rows")
    assert isinstance(job, Job)
    job.run()


ASKED = """
import contextlib, io, sys
from vieta import kernel_cache
asked, file = set(), kernel_cache.KernelCache._file
def spy(self, *rest):
    asked.add(file(self, *rest))
    return file(self, *rest)
kernel_cache.KernelCache._file = spy
if sys.argv[1:]:
    from vieta.cli.commands import vieta
    with contextlib.redirect_stdout(io.StringIO()):
        vieta.main(sys.argv[1:], standalone_mode=False)
else:
    from vieta.warm_up import first_jobs
    for job in first_jobs():
        job.run()
print(sorted(asked))
"""


@pytest.mark.slow
def test_the_first_jobs_compile_what_the_demonstration_needs(tmp_path):
    def asked(*words):
        command = [sys.executable, "-c", ASKED, *words]
        for _ in range(2):  # the second does not compile, and asks for no kernel that another calls
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        return set(ast.literal_eval(done.stdout))

    shown = asked("demo", "-o", str(tmp_path))
    assert len(shown) > 3
    assert shown <= asked()


def test_the_first_jobs_need_the_core_alone():
    """They run while the rest is being installed."""
    code = (
        "import sys\nfor name in ('click', 'rich', 'polars', 'matplotlib'): sys.modules[name] = None\n"
        "from vieta.warm_up import first_jobs\nfor job in first_jobs(): job.run()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
def test_no_kernel_is_left_out(tmp_path):
    shutil.copytree(vieta.__path__[0], tmp_path / "vieta", ignore=shutil.ignore_patterns("kernels"))
    env = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    code = (
        "from vieta.installation import kernel_facts; from vieta.warm_up import jobs\n"
        "for job in jobs(): job.run()\n"
        "print(kernel_facts()['missing'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=env | {"PYTHONPATH": str(tmp_path)},
    )
    assert done.stdout.strip() == "[]"
