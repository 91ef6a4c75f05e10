# REAL-JOB
#   about: the table of each step is put in a dict under the number of the step and is never removed
#   label: leak
#   process: main
#   packages: pandas numpy
#   kind: python
#   holder: reports
#   library: pandas
#   never: graph, validation, queue, callback, worker, hook, loss, checkpoint
#   fix: reports.pop(step - 10, None)
# END
import numpy
import pandas

from job import FIXED, steps

reports = {}
generator = numpy.random.default_rng(1)


def orders(count):
    return pandas.DataFrame(
        {
            "shop": generator.integers(0, 50, count),
            "price": generator.gamma(2.0, 20.0, count),
            "weight": generator.random(count),
        }
    )


def report(table):
    """Adds the share of each order in its shop."""
    total = table.groupby("shop")["price"].transform("sum")
    return table.assign(share=table["price"] / total)  # <LINE>


def change(step):
    if step - 1 not in reports:
        return 0.0
    return reports[step]["price"].sum() - reports[step - 1]["price"].sum()


for step in steps():
    reports[step] = report(orders(15_000))  # <KEPT>
    change(step)
    if FIXED:
        reports.pop(step - 10, None)
