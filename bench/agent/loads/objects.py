"""Python object churn: objects.py RESULT OBJECTS. Each is a Node with a string and a tuple."""
import sys

from clock import report_units

BATCH = 20_000


class Node:
    def __init__(self, number):
        self.number = number
        self.name = str(number)
        self.pair = (number, number + 1)


def make_and_drop():
    kept = [Node(number) for number in range(BATCH)]
    {node.name: node for node in kept}


def churn(objects):
    for _ in range(objects // BATCH):
        make_and_drop()


if __name__ == "__main__":
    churn(10 * BATCH)
    report_units(sys.argv[1], int(sys.argv[2]), churn)
