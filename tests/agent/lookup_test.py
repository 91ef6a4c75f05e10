"""Functions that are asked for by name: who asks libc gets what is seen, and everybody else what he got before."""

from probing import MMAP, Skip, library, live_bytes_of, main, pythons, sites_of

CTYPES = """\
import ctypes, os
libc = ctypes.CDLL({name!r})
libc.malloc.restype = libc.calloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
for i in range(400):
    block = libc.malloc(100_000)  # line 6
    other = libc.calloc(10, 10_000)  # line 7
    ctypes.memset(block, 1, 100_000)
    libc.free(other)
os._exit(0)
"""


def _program(bench):
    return bench.programs / "agent_lookups"


def _same_as_without(bench, *words, preload=None):
    command = (_program(bench), *words)
    plain = bench.without(*command, preload=preload)
    said = bench.run(*command, preload=preload)

    assert plain.returncode == 0, plain.stderr
    assert said.output == plain.stdout, f"with:\n{said.output}\nwithout:\n{plain.stdout}"
    assert said.errors == plain.stderr
    return said


def every_way_of_asking_gives_what_it_gave(bench):
    said = _same_as_without(bench, "names")

    assert "malloc is malloc" in said.output


def what_dlerror_says_stays_the_same(bench):
    _same_as_without(bench, "errors")


def threads_may_ask_while_libraries_come_and_go(bench):
    said = _same_as_without(bench, "storm")

    assert said.only()["samples"] > 0 and said.only()["live"] <= 2  # the loader keeps a little


def memory_of_libcs_own_functions_is_seen(bench):
    process = bench.run(_program(bench), "keeps").only()

    # 122 samples of 512 KiB are expected. Five standard deviations (5 * sqrt(122)) are 45% of that.
    assert 35e6 < process["live_bytes"] - (16 << 20) < 93e6, process["live_bytes"]
    assert [MMAP, 1] in process["by_source"], process["by_source"]


def and_so_is_its_end(bench):
    for how in ("frees", "frees_by_name"):
        process = bench.run(_program(bench), how).only()

        assert process["samples"] > 0 and process["live"] == 0, process


def a_library_in_the_middle_of_the_chain_gets_what_is_behind_it(bench):
    for name in ("plain", "wraps"):
        middle = bench.programs / f"libagent_middle_{name}.so"

        said = _same_as_without(bench, "middle", preload=middle)

        assert "middle_next_malloc: libc.so.6" in said.output, said.output


def another_allocator_is_not_stood_in_for(bench):
    beside, in_charge = bench.programs / "libagent_middle_wraps.so", library("libjemalloc.so.2")

    asked_beside = _same_as_without(bench, "names", beside)
    asked_in_charge = bench.run(_program(bench), "names", in_charge, preload=in_charge)

    assert "malloc: handle libagent_middle_wraps.so" in asked_beside.output, asked_beside.output
    assert "malloc: handle libjemalloc.so.2" in asked_in_charge.output, asked_in_charge.output


def libcs_own_malloc_is_left_alone_where_another_allocator_is_in_charge(bench):
    process = bench.run(_program(bench), "keeps", preload=library("libjemalloc.so.2")).only()

    assert process["live_bytes"] < 20 << 20, process["live_bytes"]  # the mapping alone


def without_a_socket_nobody_is_stood_in_for(bench):
    plain = bench.without(_program(bench), "names")
    asleep = bench.without(_program(bench), "names", preload=bench.agent)

    assert asleep.returncode == 0
    assert asleep.stdout == plain.stdout.replace("malloc is malloc", "malloc is another"), asleep.stdout


def ctypes_is_blamed_by_its_line(bench):
    for python in pythons().values():
        for name in ("libc.so.6", None):
            process = bench.run(python, bench.script("native.py", CTYPES.format(name=name))).only()

            assert 20e6 < live_bytes_of(process, "native.py:6") < 60e6, sites_of(process, "native.py")
            assert live_bytes_of(process, "native.py:7") == 0, sites_of(process, "native.py")
    if not pythons():
        raise Skip("no Python")


if __name__ == "__main__":
    main(globals())
