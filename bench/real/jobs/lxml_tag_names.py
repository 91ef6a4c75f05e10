# REAL-JOB
#   about: the parsed documents use a new tag name for every record; libxml2 keeps each name in its dictionary of names
#   label: leak
#   process: main
#   packages: lxml
#   kind: c
#   holder: none
#   library: lxml
#   never: graph, validation, queue, callback, hook, loss, checkpoint, dataset, list
#   fix: records = "".join(f"<record name='{name}'>1</record>" for name in names)
#   real: https://github.com/truenas/middleware/pull/6897
# END
import uuid

from lxml import etree

from job import FIXED, steps


def record_names(count=2500):
    return [f"record-{uuid.uuid4()}-{uuid.uuid4()}" for _ in range(count)]


def write_document(names):
    if FIXED:
        records = "".join(f"<record name='{name}'>1</record>" for name in names)
    else:
        records = "".join(f"<{name}>1</{name}>" for name in names)
    return f"<export>{records}</export>"


def count_records(text):
    parser = etree.XMLParser(huge_tree=True)
    document = etree.fromstring(text, parser)  # <LINE>
    return sum(int(record.text) for record in document)


for step in steps():
    count_records(write_document(record_names()))
