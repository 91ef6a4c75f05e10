# REAL-JOB
#   about: the trainer itself puts tensors into shared memory and keeps them; its workers send nothing
#   label: leak
#   process: main
#   packages: torch
#   kind: shared memory, lookalike
#   holder: averages
#   never: worker process, batch, validation, dataset, graph
#   fix: averages = averages[-20:]
# END
import multiprocessing

import torch

from job import FIXED, steps

torch.set_num_threads(1)
torch.multiprocessing.set_sharing_strategy("file_system")


def wait(stop):
    stop.wait()


def main():
    stop = multiprocessing.Event()
    workers = [multiprocessing.Process(target=wait, args=(stop,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    averages = []
    for step in steps():
        averages.append(torch.full((512, 128), float(step)).share_memory_())  # <LINE>
        if FIXED:
            averages = averages[-20:]
    stop.set()
    for worker in workers:
        worker.join()


main()
