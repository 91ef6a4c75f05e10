# REAL-JOB
#   about: ujson 5.1.0 never releases the text that the default function returns when it has letters outside ASCII
#   label: leak
#   process: main
#   packages: ujson==5.1.0
#   kind: c
#   holder: none
#   library: ujson
#   never: graph, validation, queue, hook, loss, checkpoint, dataset, list, cache
#   fix: return ujson.dumps({"id": article.number, "article": describe(article)})
#   real: https://github.com/ultrajson/ultrajson/issues/631
# END
import ujson

from job import FIXED, steps


class Article:
    def __init__(self, number):
        self.number = number
        self.words = ["Überschrift", "größer", "naïve", "café", str(number)]


def describe(article):
    return " ".join(article.words * 8000)  # <LINE>


def encode(article):
    if FIXED:
        return ujson.dumps({"id": article.number, "article": describe(article)})
    return ujson.dumps({"id": article.number, "article": article}, default=describe)  # <KEPT>


for step in steps():
    text = encode(Article(step))
    if step % 50 == 0:
        print(len(text), "characters")
