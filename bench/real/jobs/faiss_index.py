# REAL-JOB
#   about: each step adds the vectors of a batch to a faiss index that never drops old vectors
#   label: leak
#   process: main
#   packages: faiss-cpu numpy
#   kind: c++
#   holder: index
#   library: faiss
#   never: graph, validation, queue, callback, hook, loss, checkpoint, log
#   fix: self.index.reset()
# END
import faiss
import numpy

from job import FIXED, steps


class VectorStore:
    """Finds the stored vectors that are nearest to new ones."""

    def __init__(self, width):
        self.index = faiss.IndexFlatL2(width)

    def remember(self, vectors):
        if FIXED and self.index.ntotal > 10_000:
            self.index.reset()
        self.index.add(vectors)  # <LINE>

    def nearest(self, vectors, count=5):
        return self.index.search(vectors, count)


faiss.omp_set_num_threads(1)
store = VectorStore(256)
random = numpy.random.default_rng(0)
for step in steps():
    batch = random.standard_normal((500, 256), dtype=numpy.float32)
    store.remember(batch)
    distances, numbers = store.nearest(batch[:2])
