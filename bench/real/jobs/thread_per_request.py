# REAL-JOB
#   about: each request starts a thread that waits for an event that nobody sets, so the threads and their local arrays stay
#   label: leak
#   process: main
#   packages: numpy
#   kind: threads
#   holder: samples
#   library: numpy
#   never: graph, validation, dataset, cache, hook, loss, checkpoint
#   fix: confirmed.wait(timeout=1.0)
# END
import threading

import numpy

from job import FIXED, steps


def send(average):
    """Stands for a send over the network."""
    return f"{average:.3f}".encode()


def handle(number, confirmed):
    generator = numpy.random.default_rng(number)
    samples = generator.standard_normal(200_000)  # <LINE>
    send(samples.mean())
    # Wait for the client: send again if it did not get the answer.
    if FIXED:
        confirmed.wait(timeout=1.0)
    else:
        confirmed.wait()  # <KEPT>
    if not confirmed.is_set():
        send(samples.mean())


def accept(number):
    confirmed = threading.Event()
    thread = threading.Thread(target=handle, args=(number, confirmed), daemon=True)
    thread.start()


for step in steps():
    if step % 3 == 0:
        accept(step)
