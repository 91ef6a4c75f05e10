"""Training steps on a GPU as fast as they go, for so many seconds; prints the seconds of a step: their mean and median.

usage: steps.py small|large SECONDS [FILE]      FILE gets when each step began and how long it took

`small` is bound by the CPU that starts the kernels, where any hook is felt; `large` by the GPU, as most training is.
"""
import statistics
import sys
import time

import torch

size, seconds = sys.argv[1], float(sys.argv[2])
begins = []
torch.manual_seed(0)
if size == "small":
    model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(8)]).cuda()
    batch = torch.randn(256, 1024, device="cuda")
else:
    layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, dropout=0.0, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 12).cuda().bfloat16()
    batch = torch.randn(16, 512, 1024, device="cuda", dtype=torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)


def train(until_s):
    took = []
    began = time.perf_counter()
    end = began + until_s
    while began < end:
        began = time.perf_counter()
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
        if size == "large":
            torch.cuda.synchronize()
        begins.append(began)
        took.append(time.perf_counter() - began)
    torch.cuda.synchronize()
    return took


train(3)  # warm-up
begins.clear()
print("ready", flush=True)
began = time.perf_counter()
took = train(seconds)
print((time.perf_counter() - began) / len(took), statistics.median(took))
if len(sys.argv) > 3:
    with open(sys.argv[3], "w") as file:
        file.writelines(f"{begin} {step}\n" for begin, step in zip(begins, took))
