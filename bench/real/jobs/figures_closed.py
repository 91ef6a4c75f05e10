# REAL-JOB
#   about: each step draws a figure with pyplot and closes it
#   label: stable
#   process: main
#   packages: matplotlib numpy
#   kind: python
#   holder: none
#   library: matplotlib
#   never: graph, queue, callback, cache, hook, loss, log
# END
import io

import matplotlib
import numpy

from job import steps

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def draw(losses):
    figure, axes = plt.subplots()
    axes.plot(losses)
    axes.set_xlabel("epoch")
    axes.set_ylabel("loss")
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=50)
    plt.close(figure)
    return len(file.getvalue())


for step in steps():
    draw(numpy.random.rand(100))
