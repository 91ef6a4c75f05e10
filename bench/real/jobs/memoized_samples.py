# REAL-JOB
#   about: a decorator memoizes the decoding of samples in a dict of its closure; each persistent worker of the DataLoader fills its own
#   label: leak
#   process: worker
#   packages: torch numpy
#   kind: processes
#   holder: memory
#   never: queue, validation, hook, loss, graph
#   fix: memory.clear()
# END
import functools

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from job import FIXED, steps

torch.set_num_threads(1)


def memoize(function):
    memory = {}

    @functools.wraps(function)
    def call(self, index, crop):
        key = index, crop
        if key not in memory:
            if FIXED and len(memory) > 20:
                memory.clear()
            memory[key] = function(self, index, crop)  # <KEPT>
        return memory[key]
    return call


class Crops(Dataset):
    def __len__(self):
        return 100_000

    @memoize
    def decode(self, index, crop):
        return np.random.default_rng(index).random((160, 160), dtype=np.float32)  # <LINE>

    def __getitem__(self, index):
        return torch.from_numpy(self.decode(index, int(np.random.randint(4)))[::8, ::8].copy())


loader = DataLoader(Crops(), batch_size=16, num_workers=2, persistent_workers=True, shuffle=True)
model = torch.nn.Linear(20, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batches = iter(loader)
for step in steps():
    loss = model(next(batches)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
