# REAL-JOB
#   about: each step adds a node with an array to a networkx network, and old nodes are never removed
#   label: leak
#   process: main
#   packages: networkx numpy
#   kind: python
#   holder: scene
#   library: numpy
#   never: validation, queue, callback, dataset, worker, cache, hook, loss, checkpoint
#   fix: self.scene.remove_nodes_from([number - 20])
# END
import networkx
import numpy

from job import FIXED, steps


class Mapper:
    """Builds a map of places from the scans of a robot."""

    def __init__(self):
        self.scene = networkx.Graph()
        self.generator = numpy.random.default_rng(0)

    def scan(self):
        return self.generator.random((30_000, 3))  # <LINE>

    def add_place(self, number):
        cloud = self.scan()
        self.scene.add_node(number, cloud=cloud, center=cloud.mean(axis=0))  # <KEPT>
        if number - 1 in self.scene:
            way = self.scene.nodes[number - 1]["center"] - self.scene.nodes[number]["center"]
            self.scene.add_edge(number - 1, number, length=float(numpy.linalg.norm(way)))
        if FIXED:
            self.scene.remove_nodes_from([number - 20])


mapper = Mapper()

for step in steps():
    mapper.add_place(step)
