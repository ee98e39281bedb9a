import signal
import subprocess
import sys

CODE = "import time; from vieta.page.lifeline import hold; hold(); print('up', flush=True); time.sleep(600)"


def test_a_process_ends_when_nobody_reads_what_it_prints():
    with subprocess.Popen([sys.executable, "-c", CODE], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"up\n"
        assert process.poll() is None
        process.stdout.close()
        assert process.wait(30) == -signal.SIGTERM
