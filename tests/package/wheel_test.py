"""What `./dev package` makes, installed into an empty environment. Every function without an underscore is a test.

usage: wheel_test.py --binary LOWTIDE [NAME...] | --list
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import zipfile

from environment import PYTHON, ROOT, Skip, folder, main


def _wheel(machine=platform.machine()):
    tag = subprocess.run([PYTHON, "-c", "import sys; print('cp%d%d' % sys.version_info[:2])"], capture_output=True, text=True).stdout
    wheels = sorted((wheel for wheel in (ROOT / "dist").glob(f"lowtide-*_{machine}.whl")
                     if f"-{tag.strip()}-" in wheel.name or "-abi3-" in wheel.name), key=os.path.getmtime)
    if not wheels:
        raise Skip(f"no wheel in dist/ for this Python on {machine}; ./dev package makes it")
    return wheels[-1]


def _installed(place):
    subprocess.run([PYTHON, "-m", "venv", place / "venv"], check=True, capture_output=True)
    subprocess.run([place / "venv" / "bin" / "pip", "install", "-q", "--no-index", "--no-deps", _wheel()], check=True, capture_output=True)
    return place / "venv" / "bin"


def _run(command, **more):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LOWTIDE") and name != "PYTHONPATH"}
    return subprocess.run([str(word) for word in command], env=clean, capture_output=True, text=True, timeout=300, **more)


def command_agent_and_package_are_in_it(_binary):
    with folder() as place:
        commands = _installed(place)
        version = _run([commands / "lowtide", "--version"])
        assert version.returncode == 0 and version.stdout == _run([commands / "python", "-m", "lowtide", "--version"]).stdout, version
        assert (commands / "lowtide").read_bytes()[:4] == b"\x7fELF"
        job = _run([commands / "lowtide", "run", "--output", place / "job.lowtide", "--", commands / "python", "-c",
                    "import time\nfor n in range(60): x = bytearray(2 << 20); time.sleep(0.02)"])
        assert job.returncode == 0, job
        report = json.loads(_run([commands / "lowtide", "report", "--json", place / "job.lowtide"]).stdout)
        assert report["overhead"]["agent"] == "on", report["overhead"]
        code = ("import lowtide, lowtide._native, json\n"
                "v = lowtide.judge([1e9 + 1e6 * n for n in range(2000)], steps=range(2000))\n"
                "with lowtide.watch('own.lowtide', quiet=True) as w: pass\n"
                "from lowtide._judge import _floor_trend, _numbers, floor_trend\n"
                "teeth = [[(n % 7) * 1e6 + n * 3e5 for n in range(length)] for length in (0, 3, 4, 20, 90, 91, 1000)]\n"
                "same = all(abs(floor_trend(one) - _floor_trend(_numbers(one))) < 1 for one in teeth)\n"
                "print(json.dumps([v.kind, v.rate.bytes, w.recording is not None, same]))")
        done = _run([commands / "python", "-c", code], cwd=place)
        assert json.loads(done.stdout) == ["leak", 1e6, True, True], done


def _unpacked(wheel, place):
    """Its files that are machine code, by name."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
        names = archive.namelist()
    assert any(name.endswith("lowtide/py.typed") for name in names) and any(name.endswith("_native.pyi") for name in names), names
    return {path.name.split(".")[0]: path for path in place.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"}


def _needs_nothing_but_libc(wheel, place):
    programs = _unpacked(wheel, place)
    assert programs.keys() == {"lowtide", "liblowtide_agent", "_native"}, programs
    for path in programs.values():
        told = subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout
        needed = {line.split("[")[1].split("]")[0] for line in told.splitlines() if "(NEEDED)" in line}
        assert needed <= {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2",
                          "ld-linux-aarch64.so.1"}, (path, needed)
    return programs


def wheel_needs_nothing_but_libc(_binary):
    with folder() as place:
        _needs_nothing_but_libc(_wheel(), place)


def wheel_of_the_other_architecture_runs_there(_binary):
    if platform.machine() != "x86_64":
        raise Skip("this is the other architecture")
    root, emulator = ROOT / "build" / "aarch64-root", shutil.which("qemu-aarch64")
    pythons = sorted(root.glob("usr/bin/python3.*"))
    if not (emulator and pythons):
        raise Skip("no qemu-aarch64, or no Python for it in build/aarch64-root; ./dev package wheel aarch64 gets them")
    with folder() as place:
        programs = _needs_nothing_but_libc(_wheel("aarch64"), place)
        programs["lowtide"].chmod(0o755)  # pip does so
        there = [emulator, "-L", root]
        version = _run([*there, programs["lowtide"], "--version"])
        assert version.returncode == 0 and version.stdout.startswith("lowtide "), version
        # Numbers that the C++ has to read and judge; nothing of the machine is in them.
        log = place / "log.csv"
        log.write_text("step,rss_mb\n" + "".join(f"{n},{1000 + n}\n" for n in range(2000)))
        judged = _run([*there, programs["lowtide"], "analyze", "--json", log])
        assert json.loads(judged.stdout)["verdict"]["kind"] == "leak", judged
        code = ("import lowtide, platform\n"
                "v = lowtide.judge([1e9 + 1e6 * n for n in range(2000)], steps=range(2000))\n"
                "print(platform.machine(), v.kind, v.rate.bytes)")
        done = _run([*there, "-E", f"PYTHONPATH={place}", pythons[0], "-B", "-c", code])
        assert done.stdout.split() == ["aarch64", "leak", "1000000.0"], done


if __name__ == "__main__":
    sys.exit(main(globals(), lambda test, words: test(words.binary), binary=str))
