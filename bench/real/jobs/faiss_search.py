# REAL-JOB
#   about: a faiss index is filled once and then searched with new vectors all the time
#   label: stable
#   process: main
#   packages: faiss-cpu numpy
#   kind: c++
#   holder: index
#   library: faiss
#   never: validation, queue, callback, hook, loss, checkpoint, log, list
# END
import faiss
import numpy

from job import steps

WIDTH = 64
random = numpy.random.default_rng(0)


def make_index(count):
    index = faiss.IndexFlatL2(WIDTH)
    index.add(random.standard_normal((count, WIDTH), dtype=numpy.float32))
    return index


def search(index, count, neighbours=20):
    queries = random.standard_normal((count, WIDTH), dtype=numpy.float32)
    distances, numbers = index.search(queries, neighbours)
    return distances.mean()


faiss.omp_set_num_threads(1)
index = make_index(50_000)
for step in steps():
    search(index, 50 + step % 7 * 10)
