# REAL-JOB
#   about: background tasks are put in a set so that they are not collected too early, but they are never discarded; each done task keeps its result
#   label: leak
#   process: main
#   packages: numpy
#   kind: asyncio
#   holder: background
#   library: numpy
#   never: graph, validation, queue, dataset, worker, cache, hook, loss, checkpoint
#   fix: task.add_done_callback(background.discard)
#   real: https://docs.python.org/3/library/asyncio-task.html#asyncio.create_task
# END
import asyncio

import numpy

from job import FIXED, steps

background = set()


async def fetch_tile(number):
    """Stands for a download: waits a little, then returns the decoded tile."""
    await asyncio.sleep(0.005)
    generator = numpy.random.default_rng(number)
    tile = generator.random((256, 256))  # <LINE>
    return tile


def start(number):
    task = asyncio.create_task(fetch_tile(number))
    background.add(task)  # <KEPT>
    if FIXED:
        task.add_done_callback(background.discard)


async def main():
    for step in steps():
        start(2 * step)
        start(2 * step + 1)
        await asyncio.sleep(0.01)


asyncio.run(main())
