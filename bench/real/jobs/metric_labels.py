# REAL-JOB
#   about: a histogram of latencies has the number of the request as a label, so prometheus_client keeps a new set of buckets for each request
#   label: leak
#   process: main
#   packages: prometheus-client
#   kind: python
#   holder: LATENCY
#   library: prometheus_client
#   never: graph, validation, queue, callback, dataset, worker, cache, hook, loss, checkpoint
#   fix: LATENCY.labels(route=route, request="any").observe(seconds)
#   real: https://prometheus.io/docs/practices/naming/#labels
# END
import random
import uuid

from prometheus_client import Counter, Histogram

from job import FIXED, steps

BUCKETS = [0.001 * 1.2**power for power in range(60)]
REQUESTS = Counter("requests", "Requests that were answered", ["route"])
LATENCY = Histogram("latency_seconds", "Time to answer", ["route", "request"], buckets=BUCKETS)
ROUTES = ["/search", "/item", "/basket"]


def answer(route, request):
    seconds = random.expovariate(10)
    REQUESTS.labels(route=route).inc()
    if FIXED:
        LATENCY.labels(route=route, request="any").observe(seconds)
    else:
        LATENCY.labels(route=route, request=request).observe(seconds)  # <LINE>


for step in steps():
    for _ in range(20):
        answer(random.choice(ROUTES), str(uuid.uuid4()))
