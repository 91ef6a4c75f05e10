"""The callbacks in real frameworks: the leaky variant is found with line and holder, the fixed one is clean.

usage: frameworks_test.py --binary LOWTIDE [NAME...] | --list
"""

import csv
import json
import pathlib
import signal
import sys

from environment import HERE, folder, frameworks, main, run, told

JOBS = HERE / "jobs"
STEPS = 400


def _job(binary, place, name, how, *words, steps=STEPS, **more):
    done = run(binary, [frameworks(), JOBS / name, place, steps, how, *words], timeout=600, OMP_NUM_THREADS="1", cwd=place, **more)
    return told(done), done


def _leaks(job, done, line, holder):
    assert job["kind"] == "leak", job
    assert any(line in one for one in job["findings"]), job["findings"]
    assert any(holder in one for one in job["holders"]), job
    assert line in done.stderr and holder in done.stderr and "held by" in done.stderr, done.stderr[-3000:]


def _clean(job, holder):
    assert job["kind"] != "leak", job
    assert not any(holder in one for one in job["findings"]), job["findings"]


def _line(name, text):
    lines = (JOBS / name).read_text().splitlines()
    return f"{name}:{next(number for number, line in enumerate(lines, 1) if text in line)}"


def _tensorboard(place):
    """Tags and steps of all that was written to TensorBoard below the folder."""
    code = ("import sys, json, glob, collections\n"
            "from tensorboard.backend.event_processing.event_accumulator import EventAccumulator\n"
            "tags = collections.defaultdict(list)\n"
            "for path in sorted(glob.glob(sys.argv[1] + '/**/events.*', recursive=True)):\n"
            "    events = EventAccumulator(path); events.Reload()\n"
            "    for tag in events.Tags()['scalars']: tags[tag] += [event.step for event in events.Scalars(tag)]\n"
            "print(json.dumps(tags))")
    return told(run("/bin/true", [frameworks(), "-c", code, place]))


def _compiled_training_is_the_same(binary, what, steps):
    job = [frameworks(), JOBS / "compiled.py", 50, what]
    with folder() as place:
        cache = {"TORCHINDUCTOR_CACHE_DIR": place / "compiled"}
        bare = told(run(binary, job, cwd=place, **cache))
        watched = run(binary, [binary, "run", "--no-report", "--output", "job.lowtide", "--", *job], cwd=place, **cache)
        assert told(watched) == bare, (what, bare, watched)
        report = json.loads(run(binary, [binary, "report", "--json", "job.lowtide"], cwd=place, expect=None).stdout)
        assert report["source"]["steps"] == steps, (what, report["source"])


def compiled_training_has_its_steps_and_the_same_losses(binary):
    _compiled_training_is_the_same(binary, "whole", 50)


def compiled_optimizer_has_its_steps_and_the_same_losses(binary):
    _compiled_training_is_the_same(binary, "optimizer", 50)


def optimizer_without_parameters_between_its_steps_works_as_before(binary):
    _compiled_training_is_the_same(binary, "emptied", 50)


def function_that_is_compiled_twice_works_as_before(binary):
    _compiled_training_is_the_same(binary, "twice", None)  # steps in code of aot_eager are not counted


def _report_of_total(binary, place, *words):
    run(binary, [binary, "run", "--no-status", "--no-report", "--output", "total.lowtide", "--", frameworks(), JOBS / "total.py", 3000, *words],
        cwd=place, timeout=600, OMP_NUM_THREADS="1")
    return json.loads(run(binary, [binary, "report", "--json", "total.lowtide"], cwd=place, expect=None).stdout)


def tensor_that_adds_up_losses_is_named_after_3000_steps(binary):
    with folder() as place:
        report = _report_of_total(binary, place)
    assert report["verdict"]["kind"] == "leak", report["verdict"]
    assert "total" in report["findings"][0]["title"], [finding["title"] for finding in report["findings"]]


def sum_of_detached_losses_is_no_leak(binary):
    with folder() as place:
        report = _report_of_total(binary, place, "fixed")
    assert report["verdict"]["kind"] != "leak", report["verdict"]


def transformers_leak_is_found_and_logged_to_every_tracker(binary):
    with folder() as place:
        job, done = _job(binary, place, "hf_trainer.py", "leak", "tensorboard", "mlflow", "wandb",
                         MLFLOW_TRACKING_URI=f"sqlite:///{place}/mlflow.db", MLFLOW_EXPERIMENT_NAME="memory", WANDB_MODE="offline",
                         WANDB_DIR=str(place), WANDB_SILENT="true", HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
        tags = _tensorboard(place)
        code = ("import mlflow, json, sys\nmlflow.set_tracking_uri(sys.argv[1])\nclient = mlflow.MlflowClient()\n"
                "run, = client.search_runs([e.experiment_id for e in client.search_experiments() if e.name == 'memory'])\n"
                "print(json.dumps([m.step for m in client.get_metric_history(run.info.run_id, 'memory/process_mb')]))")
        mlflow_steps = told(run(binary, [frameworks(), "-c", code, f"sqlite:///{place}/mlflow.db"]))
        offline = list(pathlib.Path(place).rglob("*.wandb"))
        sent = offline[0].read_bytes() if offline else b""
    _leaks(job, done, _line("hf_trainer.py", "self.kept_states.append"), "kept_states")
    assert job["axis"] == "step" and job["steps"] >= STEPS - 10 and job["agent"] == "on", job
    assert len(job["history"]) >= STEPS // 25 and job["last"]["memory/leak"] == 1.0, (job["history"], job["last"])
    memory = next(steps for tag, steps in tags.items() if tag.endswith("memory/process_mb"))
    assert set(range(10, STEPS + 1, 10)) <= set(memory) and len(memory) == len(set(memory)), memory
    assert set(range(10, STEPS + 1, 10)) <= set(mlflow_steps), mlflow_steps
    assert b"memory/process_mb" in sent, offline
    assert "kept_states" in done.stderr and "tensors that grew" in done.stderr, done.stderr[-3000:]


def transformers_fixed_job_is_clean_and_nothing_of_it_is_kept(binary):
    with folder() as place:
        job, _ = _job(binary, place, "hf_trainer.py", "fixed")
    _clean(job, "kept_states")
    assert not job["model_lives"] and not any(job["seen_live"]), job
    assert job["last"]["memory/leak"] == 0.0, job["last"]


def transformers_batches_that_wait_ahead_are_reported_once(binary):
    with folder() as place:
        job, done = _job(binary, place, "hf_loader.py", 2, steps=5)
        assert done.stderr.count("8 batches of 16.0 MB wait in shared memory: 128 MB") == 1, done.stderr[-3000:]
        assert job["hooks"] == 0, job
        _, done = _job(binary, place, "hf_loader.py", 0, steps=5)
        assert "wait in shared memory" not in done.stderr, done.stderr[-3000:]


def lightning_leak_is_found_and_logged(binary):
    with folder() as place:
        job, done = _job(binary, place, "lightning_trainer.py", "leak")
        tags = _tensorboard(place)
        with open(next(place.rglob("metrics.csv"))) as file:
            rows = [row for row in csv.DictReader(file) if row.get("memory/process_mb")]
    _leaks(job, done, _line("lightning_trainer.py", "self.train_outputs.append"), "train_outputs")
    assert set(range(9, STEPS, 10)) <= set(tags["memory/process_mb"]) and len(rows) >= STEPS // 10, (tags, len(rows))


def lightning_fixed_job_is_clean(binary):
    with folder() as place:
        _clean(_job(binary, place, "lightning_trainer.py", "fixed")[0], "train_outputs")


def accelerate_leak_is_found_and_logged(binary):
    with folder() as place:
        job, done = _job(binary, place, "accelerate_loop.py", "leak")
        tags = _tensorboard(place)
    _leaks(job, done, "accelerate_loop.py:", "logits")
    assert set(range(0, STEPS, 10)) <= set(tags["memory/process_mb"]) and tags["memory/leak"], tags


def accelerate_fixed_job_is_clean(binary):
    with folder() as place:
        _clean(_job(binary, place, "accelerate_loop.py", "fixed")[0], "logits")


def accelerate_workers_that_will_copy_are_reported_once(binary):
    code = ("import torch, accelerate, lowtide.accelerate\n"
            "class Names(torch.utils.data.Dataset):\n"
            "    def __init__(self): self.names = [f'picture {n}' for n in range(1_000_000)]\n"
            "    def __len__(self): return len(self.names)\n"
            "    def __getitem__(self, number): return len(self.names[number])\n"
            "accelerator = accelerate.Accelerator(cpu=True)\n"
            "loader = accelerator.prepare(torch.utils.data.DataLoader(Names(), batch_size=8, num_workers=2))\n"
            "for _ in range(2):\n"
            "    with lowtide.accelerate.MemoryLog(accelerator, deep=False, quiet=True): pass\n")
    with folder() as place:
        done = run(binary, [frameworks(), "-W", "ignore", "-c", code], cwd=place)
    assert done.stderr.count("2 DataLoader workers will copy the Python objects of Names.names") == 1, done.stderr


def keras_leak_is_found_and_logged(binary):
    with folder() as place:
        job, done = _job(binary, place, "keras_fit.py", "leak")
        with open(place / "log.csv") as file:
            columns = next(csv.reader(file))
    _leaks(job, done, _line("keras_fit.py", "activations.append"), "activations")
    assert "memory/process_mb" in job["history"] and "memory/process_mb" in columns, (job["history"], columns)


def keras_fixed_job_is_clean(binary):
    with folder() as place:
        _clean(_job(binary, place, "keras_fit.py", "fixed")[0], "activations")


FINAL = {"memory/leak", "memory/floor_growth_mb", "memory/train_growth_mb", "memory/eval_growth_mb"}


def transformers_evaluations_and_phases_are_logged(binary):
    with folder() as place:
        job, done = _job(binary, place, "evaluated.py", "transformers", steps=60)
        tags = _tensorboard(place)
    evaluations = [line for line in job["history"] if "eval_memory/process_mb" in line]
    assert [line["step"] for line in evaluations] == [30, 60] and all("eval_loss" in line and "eval_memory/growth_mb" in line
                                                                       for line in evaluations), job["history"]
    readings = [line for line in job["history"] if "memory/process_mb" in line]
    assert [line["step"] for line in readings] == [10, 20, 30, 40, 50, 60] and not any("eval_loss" in line for line in readings), job["history"]
    assert FINAL | {"memory/init_growth_mb"} <= set(job["history"][-1]), job["history"][-1]
    # The trainer adds these words to the keys (docs/python.md).
    assert tags["eval/memory/process_mb"] == [30, 60] and tags["train/memory/process_mb"] == [10, 20, 30, 40, 50, 60], tags
    assert tags["train/memory/leak"] == [60], tags
    assert done.stderr.count("cleanup took") == 1, done.stderr[-3000:]


def lightning_memory_is_logged_at_the_steps_of_the_loss(binary):
    with folder() as place:
        _, done = _job(binary, place, "evaluated.py", "lightning", steps=60)
        with open(next(place.rglob("metrics.csv"))) as file:
            rows = list(csv.DictReader(file))
    at = {key: [int(row["step"]) for row in rows if row.get(key)] for key in rows[0]}
    assert at["loss"] == at["memory/process_mb"] == [9, 19, 29, 39, 49, 59], at
    assert at["val_loss"] == at["eval_memory/process_mb"] == at["eval_memory/growth_mb"] == [29, 59], at
    assert all(at[key] == [59] for key in FINAL), at
    assert done.stderr.count("cleanup took") == 1, done.stderr[-3000:]


def keras_history_has_the_result_and_validations(binary):
    with folder() as place:
        job, _ = _job(binary, place, "evaluated.py", "keras", steps=60)
        with open(place / "log.csv") as file:
            columns = next(csv.reader(file))
    history = job["history"]
    assert all(len(history[key]) == 1 for key in FINAL), history
    assert len(history["val_memory/process_mb"]) == len(history["val_loss"]) == 2, history
    assert {"memory/process_mb", "val_memory/growth_mb"} <= set(columns), columns


def _assert_summary_after_an_exception(binary, trainer, interrupted=-signal.SIGINT):
    """The summary comes once, and neither the exception nor the exit status changes."""
    for how, expect, words in (("error", 1, "RuntimeError: the training is broken"), ("interrupt", interrupted, "KeyboardInterrupt"),
                               ("caught", 0, "the script goes on")):
        with folder() as place:
            done = run(binary, [frameworks(), "-W", "ignore", JOBS / "interrupted.py", place, 60, trainer, how], expect=expect, cwd=place,
                       OMP_NUM_THREADS="1")
            path = f"recording: {place / 'job.lowtide'}"
        assert words in done.stderr and done.stderr.count(path) == 1 and done.stderr.count("lowtide: ") == 1, done.stderr
        if how == "caught":
            assert done.stderr.index(path) < done.stderr.index(words), done.stderr


def transformers_exception_ends_with_a_summary(binary):
    _assert_summary_after_an_exception(binary, "transformers")


def keras_exception_ends_with_a_summary(binary):
    _assert_summary_after_an_exception(binary, "keras")


def lightning_exception_ends_with_a_summary(binary):
    _assert_summary_after_an_exception(binary, "lightning", interrupted=1)  # Lightning itself exits with 1


def accelerate_exception_ends_with_a_summary(binary):
    _assert_summary_after_an_exception(binary, "accelerate")


if __name__ == "__main__":
    sys.exit(main(globals(), lambda test, words: test(words.binary), binary=str))
