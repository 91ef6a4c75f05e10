"""A training with a DataLoader, workers and threads, whose losses do not depend on when it is looked at.

  training.py [STEPS]     prints every loss to the bit, after so many steps or when its input ends
"""
import select
import sys
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 10**9


class Numbers(Dataset):
    def __len__(self):
        return 16 * STEPS

    def __getitem__(self, at):
        generator = torch.Generator().manual_seed(at)
        return torch.randn(32, generator=generator), at % 4


def churn(stop):
    kept = []
    while not stop.is_set():
        kept.append({"a": [object() for _ in range(50)], "b": "x" * 100})
        if len(kept) > 500:
            kept.clear()
        time.sleep(0.0005)


torch.manual_seed(0)
torch.set_num_threads(2)
stop = threading.Event()
threads = [threading.Thread(target=churn, args=(stop,)) for _ in range(3)]
for thread in threads:
    thread.start()
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters())
history = []
print("ready", flush=True)
for inputs, labels in DataLoader(Numbers(), batch_size=16, num_workers=2):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    optimizer.step()
    history.append(loss.detach())
    time.sleep(0.002)
    if len(sys.argv) == 1 and select.select([sys.stdin], [], [], 0)[0]:
        break
stop.set()
for thread in threads:
    thread.join()
for loss in history:
    print(loss.item().hex())
print("done")
