"""The median of ratios, and how sure it is."""
import random
import statistics


def median_interval(values, resamples=10000):
    """The median, and where it would lie in 95 of 100 repetitions: a bootstrap, of one seed."""
    dice = random.Random(1)
    sample = values if len(values) <= 300 else dice.sample(list(values), 300)
    medians = sorted(statistics.median(dice.choices(sample, k=len(sample))) for _ in range(resamples))
    return statistics.median(values), medians[int(0.025 * resamples)], medians[int(0.975 * resamples)]
