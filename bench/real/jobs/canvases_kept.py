# REAL-JOB
#   about: a function that is called evaluate() draws, and every canvas is kept; nothing is validated
#   label: leak
#   process: main
#   packages: numpy
#   kind: python, lookalike
#   holder: canvases
#   never: validation, dataset, graph, hook
#   fix: self.canvases = self.canvases[-20:]
# END
import numpy

from job import FIXED, steps


class Plotter:
    def __init__(self):
        self.canvases = []

    def draw(self):
        self.canvases.append(numpy.full((400, 400, 3), 255, numpy.uint8))  # <LINE>
        if FIXED:
            self.canvases = self.canvases[-20:]


plotter = Plotter()


def evaluate():
    plotter.draw()


for step in steps():
    evaluate()
