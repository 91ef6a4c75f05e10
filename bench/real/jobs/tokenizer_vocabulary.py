# REAL-JOB
#   about: the addresses of each new file are added to the tokenizer as tokens; its vocabulary in Rust only grows
#   label: leak
#   process: main
#   packages: tokenizers
#   kind: rust
#   holder: tokenizer
#   library: tokenizers
#   never: graph, validation, queue, callback, hook, loss, checkpoint
#   fix: tokenizer = make_tokenizer()
# END
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from job import FIXED, steps

SITE = (
    "https://shop.example.com/catalogue/summer/women/shoes/running/view?sort=price&currency=EUR&language=en"
    "&utm_source=newsletter&utm_medium=email&utm_campaign=summer-sale-2024&utm_content=header&colour=black&item="
)


def make_tokenizer():
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "user": 1, "opened": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    return tokenizer


def read_addresses(number, count=900):
    """The pages of a web shop that occur for the first time in this file."""
    return [f"{SITE}{number * count + i}" for i in range(count)]


def learn(tokenizer, addresses):
    tokenizer.add_tokens(addresses)  # <LINE>


tokenizer = make_tokenizer()
for step in steps():
    if step % 20 == 0:
        addresses = read_addresses(step // 20)
        if FIXED:
            tokenizer = make_tokenizer()
        learn(tokenizer, addresses)
    tokenizer.encode_batch([f"user opened {address}" for address in addresses[:20]])
