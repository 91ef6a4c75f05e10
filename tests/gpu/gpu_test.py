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
from functions import Skip, main  # noqa: E402

PYTHON = os.environ.get("LOWTIDE_TEST_PYTHON") or ("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)
# A /dev of its own, in which the driver has a device.
ENTER_MACHINE_WITH_GPU = """
mount -t tmpfs none "$1" && mknod -m 666 "$1/null" c 1 3 && mknod -m 666 "$1/urandom" c 1 9 && mkdir -m 1777 "$1/shm" &&
touch "$1/nvidiactl" && mount --move "$1" /dev && shift && exec "$@"
"""


def _report_of(words, folder, *command):
    recording = os.path.join(folder, "job.lowtide")
    done = subprocess.run([*command[:-1], words.binary, "run", "--output", recording, "--", PYTHON, *command[-1]], text=True,
                          capture_output=True, timeout=180, env=os.environ | {"LD_LIBRARY_PATH": folder, "PYTHONPATH": os.path.join(folder, "site-packages")})
    told = subprocess.run([words.binary, "report", "--json", recording], capture_output=True, text=True, timeout=60)
    return done, json.loads(told.stdout)


def _report_of_failure(words, failing):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(HERE / "stand_in", folder, dirs_exist_ok=True)
        done, report = _report_of(words, folder, [os.path.join(folder, "fills_gpu.py"), failing])
    assert done.returncode == 1 and "out of memory" in done.stderr, done
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


def _gpus_of_job(words, script):
    """Where CUDA's device 0 is the driver's GPU 1, and the driver names no process, as in a container."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        raise Skip("needs a mount namespace")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(HERE / "stand_in", folder, dirs_exist_ok=True)
        shutil.copy(words.nvml, os.path.join(folder, "libnvidia-ml.so.1"))
        os.mkdir(os.path.join(folder, "dev"))
        done, report = _report_of(words, folder, "unshare", "--mount", "sh", "-c", ENTER_MACHINE_WITH_GPU, "sh",
                                  os.path.join(folder, "dev"), [os.path.join(folder, script), words.cuda, "/dev/nvidiactl"])
    assert done.returncode == 0, done
    return {gpu["index"]: gpu for gpu in report["gpus"]}


def numbers_of_cuda_and_of_the_driver_are_matched_by_uuid(words):
    gpus = _gpus_of_job(words, "uses_gpu.py")
    assert gpus[1]["allocated_bytes"] == 3 << 30 and gpus[1]["framework"] == "torch", gpus
    assert 0 not in gpus or gpus[0]["allocated_bytes"] is None, gpus


def arrays_of_jax_are_judged_and_not_the_pool_that_it_takes(words):
    gpu = _gpus_of_job(words, "uses_jax.py")[1]
    assert gpu["framework"] == "JAX" and gpu["reserved_bytes"] == 60 << 30, gpu
    assert 0 < gpu["allocated_bytes"] <= 5 << 30 and gpu["outside_torch_bytes"] is None, gpu
    assert gpu["verdict"]["kind"] in ("inconclusive", "leak"), gpu  # it grows, and the pool does not


if __name__ == "__main__":
    main(globals(), lambda test, words: test(words), binary=str, cuda=str, nvml=str)
