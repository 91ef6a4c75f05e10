# REAL-JOB
#   about: finished jobs stay in a dict; each has a small function that reports its state, and its result
#   label: leak
#   process: main
#   packages: numpy
#   kind: python, lookalike
#   holder: jobs
#   never: validation, cache, hook, graph, dataset, queue
#   fix: del self.jobs[number]
# END
import numpy as np

from job import FIXED, steps


class Job:
    def __init__(self, number):
        self.number = number
        self.result = None
        self.describe = lambda: f"job {number} {'done' if self.result is not None else 'waits'}"

    def run(self):
        self.result = np.random.default_rng(self.number).random((150, 200))  # <LINE>


class Scheduler:
    def __init__(self):
        self.jobs = {}

    def submit(self, number):
        self.jobs[number] = Job(number)  # <KEPT>

    def work(self):
        for number, job in list(self.jobs.items())[-3:]:
            if job.result is None:
                job.run()
            elif FIXED:
                del self.jobs[number]


scheduler = Scheduler()
for step in steps():
    scheduler.submit(step)
    scheduler.work()
    if step % 100 == 0:
        print(scheduler.jobs[step].describe())
