"""GPU memory on a machine without a GPU. Every function without an underscore is a test.

The functions of torch, of the CUDA driver and of NVML that lowtide calls are in stand-ins with their names (stand_in).

usage: gpu_test.py --binary LOWTIDE --cuda LIBCUDA --nvml LIBNVML [NAME...] | --list
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True
from functions import LIMIT_S, Skip, main, wait_until  # noqa: E402

PYTHON = os.environ.get("LOWTIDE_TEST_PYTHON") or ("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)
# A /dev of its own, in which the driver has a device.
ENTER_MACHINE_WITH_GPU = """
mount -t tmpfs none "$1" && mknod -m 666 "$1/null" c 1 3 && mknod -m 666 "$1/urandom" c 1 9 && mkdir -m 1777 "$1/shm" &&
touch "$1/nvidiactl" && mount --move "$1" /dev && shift && exec "$@"
"""


def _start(words, folder, job, prefix=()):
    return subprocess.Popen([*prefix, words.binary, "run", "--output", os.path.join(folder, "job.lowtide"), "--", PYTHON, *job], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=os.environ | {"LD_LIBRARY_PATH": folder, "PYTHONPATH": os.path.join(folder, "site-packages")})


def _report(words, folder):
    """What is known by now; {} before there is a recording."""
    told = subprocess.run([words.binary, "report", "--json", os.path.join(folder, "job.lowtide")], capture_output=True, text=True,
                          timeout=LIMIT_S)
    return json.loads(told.stdout or "{}")


def _report_of_failure(words, failing):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(HERE / "stand_in", folder, dirs_exist_ok=True)
        job = _start(words, folder, [os.path.join(folder, "fills_gpu.py"), failing])
        _, errors = job.communicate(timeout=180)
        report = _report(words, folder)
    assert job.returncode == 1 and "out of memory" in errors, (job.returncode, errors)
    assert report["answer"]["kind"] == "oom", report["answer"]
    return report["answer"]


def failed_cuda_allocation_has_the_line_that_asked(words):
    lines = (HERE / "stand_in" / "fills_gpu.py").read_text().splitlines()
    for failing, source in (("forward", "torch.empty(640)"), ("backward", "torch.autograd.backward(640)")):
        answer = _report_of_failure(words, failing)
        line = [text.strip() for text in lines].index(source) + 1
        assert f"CUDA allocation failed at fills_gpu.py:{line}" in answer["headline"], (failing, answer)
        assert answer["line"]["function"] == "train_step" and answer["line"]["file"].endswith("/fills_gpu.py"), answer


def failed_cuda_allocation_of_an_unknown_thread_has_no_line(words):
    answer = _report_of_failure(words, "other")
    assert answer["line"] is None and "fills_gpu.py" not in answer["headline"], answer


def _gpus_of_job(words, script, is_enough):
    """Where CUDA's device 0 is the driver's GPU 1, and the driver names no process, as in a container. The job goes on until
    `is_enough` is true of GPU 1."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        raise Skip("needs a mount namespace")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(HERE / "stand_in", folder, dirs_exist_ok=True)
        shutil.copy(words.nvml, os.path.join(folder, "libnvidia-ml.so.1"))
        os.mkdir(os.path.join(folder, "dev"))
        stop = pathlib.Path(folder, "stop")
        job = _start(words, folder, [os.path.join(folder, script), words.cuda, "/dev/nvidiactl", stop],
                     ("unshare", "--mount", "sh", "-c", ENTER_MACHINE_WITH_GPU, "sh", os.path.join(folder, "dev")))

        def gpus():
            return {gpu["index"]: gpu for gpu in _report(words, folder).get("gpus", [])}
        try:
            wait_until(lambda: job.poll() is not None or is_enough(gpus().get(1)), lambda: f"what is needed of GPU 1: {gpus()}")
        finally:
            stop.touch()
        _, errors = job.communicate(timeout=LIMIT_S)
        assert job.returncode == 0, (job.returncode, errors)
        return gpus()


def numbers_of_cuda_and_of_the_driver_are_matched_by_uuid(words):
    gpus = _gpus_of_job(words, "uses_gpu.py", lambda gpu: gpu and gpu["allocated_bytes"] == 3 << 30)
    assert gpus[1]["allocated_bytes"] == 3 << 30 and gpus[1]["framework"] == "torch", gpus
    assert 0 not in gpus or gpus[0]["allocated_bytes"] is None, gpus


def _grown_line(gpu):
    blocks = gpu and gpu.get("blocks")
    lines = blocks["lines"] if blocks else []
    return next((line for line in lines if line["growth_per_step"] and blocks["recorded_steps"] >= 10), None)


def line_that_keeps_memory_of_a_gpu_is_known_from_some_of_the_steps(words):
    gpu = _gpus_of_job(words, "keeps_blocks.py", _grown_line)[1]
    grown = _grown_line(gpu)
    source = (HERE / "stand_in" / "keeps_blocks.py").read_text().splitlines()
    assert source[grown["line"]["line"] - 1].strip() == "_C.allocate(4 << 20)" and grown["line"]["function"] == "keep", grown
    # The steps of the report and those of the script are read at two moments: on a busy machine they differ by a few.
    assert abs(grown["growth_per_step"] - (4 << 20)) < 0.05 * (4 << 20), grown
    blocks = gpu["blocks"]
    assert 8 < blocks["steps"] / blocks["recorded_steps"] < 16, "about one of twelve"
    allocated = sum(line["bytes"] for line in blocks["lines"])
    assert allocated == blocks["pools"][0]["allocated_bytes"] and blocks["no_stacks"] is None, blocks
    rest = next(line for line in blocks["lines"] if line["kind"] == "without a stack")
    assert abs(grown["bytes"] - blocks["steps"] * (4 << 20)) <= 2 * (4 << 20), (grown, blocks["steps"])
    assert abs(rest["bytes"] - (1 << 30)) <= 2 * (4 << 20), "what torch had before the first step"


def _grows_by_a_hundred_megabytes(gpu):
    floor = gpu and gpu["allocated_bytes"] and gpu["verdict"]["floor"]
    return floor and floor["last_bytes"] - floor["first_bytes"] > 100e6


def arrays_of_jax_are_judged_and_not_the_pool_that_it_takes(words):
    gpu = _gpus_of_job(words, "uses_jax.py", _grows_by_a_hundred_megabytes)[1]
    assert gpu["framework"] == "JAX" and gpu["reserved_bytes"] == 60 << 30, gpu
    assert 0 < gpu["allocated_bytes"] <= 5 << 30 and gpu["outside_torch_bytes"] is None, gpu
    assert _grows_by_a_hundred_megabytes(gpu), gpu  # the pool does not grow
    assert gpu["verdict"]["kind"] in ("inconclusive", "leak"), gpu


if __name__ == "__main__":
    main(globals(), lambda test, words: test(words), binary=str, cuda=str, nvml=str)
