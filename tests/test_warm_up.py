"""The jobs that compile every kernel: on each kind of data each method has one, and no kernel is left out."""

import subprocess
import sys

import pytest

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


@pytest.mark.slow
def test_no_kernel_is_left_out():
    code = (
        "from vieta.installation import kernel_facts; from vieta.warm_up import jobs\n"
        "for job in jobs(): job.run()\n"
        "print(kernel_facts()['missing'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
