# REAL-JOB
#   about: each step draws a figure with pyplot and does not close it; pyplot keeps every open figure
#   label: leak
#   process: main
#   packages: matplotlib numpy
#   kind: python
#   holder: figs
#   library: matplotlib
#   never: callback, graph, queue
#   fix: plt.close(figure)
#   real: https://github.com/matplotlib/matplotlib/issues/8519
# END
import matplotlib
import numpy

from job import FIXED, steps

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def draw(losses):
    figure, axes = plt.subplots()  # <LINE>
    axes.plot(losses)
    figure.canvas.draw()  # <LINE>
    if FIXED:
        plt.close(figure)


for step in steps():
    draw(numpy.random.rand(100))
