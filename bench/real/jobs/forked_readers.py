# REAL-JOB
#   about: two forked processes read a large list of Python objects; reading changes the reference counts, so each process gets its own copy of the pages, but not more than the data
#   label: warmup
#   process: worker
#   packages: numpy
#   kind: processes
#   holder: none
#   never: graph, queue, callback, cache, hook, loss, log
#   real: https://github.com/pytorch/pytorch/issues/13246
# END
import multiprocessing

import numpy

from job import steps

PART = 1500


def load_records(count):
    ages = numpy.random.randint(18, 90, count)
    return [
        {"name": f"customer {number}", "mail": f"c{number}@example.org", "age": int(ages[number])}
        for number in range(count)
    ]


def read(records, connection):
    """Reads one part of the list for each request and sends back the average age."""
    while True:
        begin = connection.recv()
        if begin is None:
            break
        ages = []
        for record in records[begin : begin + PART]:  # <LINE>
            name, mail = record["name"], record["mail"]
            if "@" in mail and name:
                ages.append(record["age"])
        connection.send(sum(ages) / len(ages))


def main():
    records = load_records(300_000)
    readers = []
    for _ in range(2):
        ours, theirs = multiprocessing.Pipe()
        multiprocessing.Process(target=read, args=(records, theirs), daemon=True).start()
        readers.append(ours)
    count = len(records)
    for step in steps():
        for reader in readers:
            reader.send(step * PART % count)
        for reader in readers:
            reader.recv()
    for reader in readers:
        reader.send(None)


if __name__ == "__main__":
    main()
