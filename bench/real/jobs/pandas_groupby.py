# REAL-JOB
#   about: every 40 steps an evaluation builds a large table, groups it and pivots it, all in local variables
#   label: spikes
#   process: main
#   packages: pandas numpy
#   kind: python
#   holder: none
#   library: pandas
#   never: graph, queue, callback, cache, hook, loss, log
# END
import numpy
import pandas

from job import steps

generator = numpy.random.default_rng(5)


def play_back(count):
    """All decisions of the strategy on old data."""
    return pandas.DataFrame(  # <LINE>
        {
            "day": generator.integers(0, 365, count),
            "market": generator.integers(0, 200, count),
            "profit": generator.standard_normal(count),
        }
    )


def evaluate():
    trades = play_back(4_500_000)
    trades["share"] = trades["profit"] / trades["profit"].std()
    table = trades.pivot_table(index="day", columns="market", values="share", aggfunc="mean")
    return float(table.mean(axis=1).std())


def train(weights):
    return weights + 0.01 * generator.standard_normal(weights.shape)


weights = numpy.zeros(1000)

for step in steps():
    weights = train(weights)
    if step % 40 == 39:
        print("score", evaluate())
