# REAL-JOB
#   about: the frame of every step stays in a dict of results, although only the last ones are read
#   label: leak
#   process: main
#   packages: polars numpy
#   kind: rust
#   holder: frames
#   library: polars
#   never: graph, validation, queue, callback, hook, loss, checkpoint, list
#   fix: self.frames.pop(step - 5, None)
# END
import os

os.environ["POLARS_MAX_THREADS"] = "1"
import numpy  # noqa: E402
import polars  # noqa: E402

from job import FIXED, steps  # noqa: E402


class Results:
    def __init__(self):
        self.frames = {}

    def add(self, step, scores):
        frame = polars.DataFrame({"score": scores}).with_columns(  # <LINE>
            (polars.col("score") * 100).alias("percent"),
            polars.col("score").rank().alias("place"),
        )
        self.frames[step] = frame  # <KEPT>
        if FIXED:
            self.frames.pop(step - 5, None)

    def best(self, step):
        return self.frames[step]["percent"].max()


results = Results()
for step in steps():
    results.add(step, numpy.random.rand(30_000))  # <LINE> the frame keeps this array, and allocates the other columns
    results.best(step)
