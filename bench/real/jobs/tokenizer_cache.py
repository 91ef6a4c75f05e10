# REAL-JOB
#   about: whole documents are encoded without a pre-tokenizer; the BPE model caches each document and all its pieces
#   label: leak
#   process: main
#   packages: tokenizers
#   kind: rust
#   holder: tokenizer
#   library: tokenizers
#   never: graph, validation, queue, callback, hook, loss, checkpoint
#   fix: model = BPE(vocabulary, merges, cache_capacity=0)
#   real: https://github.com/huggingface/tokenizers/issues/1539
# END
import random
import string

from tokenizers import Tokenizer
from tokenizers.models import BPE

from job import FIXED, steps

LETTERS = string.ascii_lowercase + " "


def make_tokenizer():
    merges = [("t", "h"), ("th", "e"), ("a", "n"), ("i", "n"), ("e", "r"), ("o", "u")]
    pieces = list(LETTERS) + [left + right for left, right in merges]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    if FIXED:
        model = BPE(vocabulary, merges, cache_capacity=0)
    else:
        model = BPE(vocabulary, merges)
    return Tokenizer(model)


def read_document(length=6000):
    return "".join(random.choices(LETTERS, k=length))


tokenizer = make_tokenizer()
for step in steps():
    documents = [read_document() for _ in range(3)]
    pieces = [tokenizer.encode(document).ids for document in documents]  # <LINE>
    if step % 50 == 0:
        print(sum(map(len, pieces)), "pieces")
