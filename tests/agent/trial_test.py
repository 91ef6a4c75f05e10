"""The trim trial: only when it is asked for, once, and without harm whatever the program is at."""

from probing import library, main

NONE, DONE, NOT_POSSIBLE = 0, 2, 3
ASKED = {"PROBE_TRIM": "1"}


def nobody_trims_unasked(bench):
    assert bench.run(bench.target, "storm", 20000).only()["trial"]["state"] == NONE


def eight_threads_may_allocate_meanwhile(bench):
    process = bench.run(bench.target, "storm", 100000, environment=ASKED).only()

    trial = process["trial"]
    assert trial["state"] == DONE and trial["trim_ns"] > 0, trial
    assert trial["rss_before_bytes"] > 1 << 20 and trial["rss_after_bytes"] > 1 << 20, trial
    assert trial["inspect_ns"] == 0 or 0 < trial["free_bytes"] < trial["arena_bytes"], trial
    assert process["live"] == 0


def every_child_makes_its_own(bench):
    said = bench.run(bench.target, "forks", 30, environment=ASKED)

    assert len(said.processes) == 31
    assert sum(process["trial"]["state"] == DONE for process in said.processes) >= 2
    assert all(process["live"] == 0 for process in said.processes)


def signals_and_exiting_threads_do_not_mind(bench):
    commands = (("signals", 10), ("thread_exits",), ("dlopen",))
    states = [bench.run(bench.target, *command, environment=ASKED).only()["trial"]["state"] for command in commands]

    # On an idle machine some have ended before they could be asked.
    assert set(states) <= {NONE, DONE} and DONE in states, states


def what_an_allocator_promises_is_kept(bench):
    assert bench.run(bench.target, "promises", environment={**ASKED, "LOWTIDE_AGENT_MEAN": "64"}).only()["live"] == 0


def an_allocator_without_malloc_trim_is_not_asked(bench):
    process = bench.run(bench.target, "storm", 50000, environment=ASKED, preload=library("libjemalloc.so.2")).only()

    assert process["trial"]["state"] == NOT_POSSIBLE, process["trial"]


if __name__ == "__main__":
    main(globals())
