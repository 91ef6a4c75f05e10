# REAL-JOB
#   about: one small title element of each parsed document is kept; it keeps the whole document of libxml2 alive
#   label: leak
#   process: main
#   packages: lxml
#   kind: c
#   holder: titles
#   library: lxml
#   never: graph, validation, queue, callback, hook, loss, checkpoint, dataset
#   fix: titles.append(find_title(document).text)
# END
from lxml import etree

from job import FIXED, steps


def download(step):
    """A catalogue of one shop, as the server would send it."""
    items = "".join(f"<item><name>thing {step}-{i}</name><price>{i * 7}</price></item>" for i in range(1200))
    return f"<catalogue><title>Shop {step}</title><items>{items}</items></catalogue>".encode()


def parse(text):
    return etree.fromstring(text)  # <LINE>


def find_title(document):
    return document.find("title")


titles = []
for step in steps():
    document = parse(download(step))
    if FIXED:
        titles.append(find_title(document).text)
    else:
        titles.append(find_title(document))  # <KEPT>
    total = sum(int(price.text) for price in document.iter("price"))
