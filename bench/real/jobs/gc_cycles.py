# REAL-JOB
#   about: trees whose nodes know their parents are dropped as reference cycles, and the garbage collector frees them after some steps
#   label: stable
#   process: main
#   packages: numpy
#   kind: python
#   holder: none
#   library: numpy
#   never: graph, queue, callback, cache, hook, loss, log
# END
import collections

import numpy

from job import steps


class Node:
    """A place in a search tree: knows its parent and its children."""

    def __init__(self, parent, board):
        self.parent = parent
        self.board = board
        self.visits = 0
        self.values = None
        self.children = []

    def expand(self, count):
        for _ in range(count):
            self.children.append(Node(self, self.board + 1))


def search(width, depth):
    root = Node(None, numpy.zeros(64, dtype=numpy.int16))
    level = [root]
    for _ in range(depth):
        for node in level:
            node.expand(width)
        level = [child for node in level for child in node.children]
    root.values = numpy.random.rand(len(level), 256)  # <LINE>
    for node in level:
        while node is not None:
            node.visits += 1
            node = node.parent
    return root


last_trees = collections.deque(maxlen=10)

for step in steps():
    last_trees.append(search(width=6, depth=4))
