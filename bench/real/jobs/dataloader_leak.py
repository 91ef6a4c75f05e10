# REAL-JOB
#   about: the trainer keeps the features of each batch, while workers of its DataLoader copy its pages and end with each epoch
#   label: leak
#   process: main
#   packages: torch
#   kind: python
#   holder: seen
#   never: graph, validation, queue, callback, hook, worker, copy-on-write, shared
#   fix: del self.seen[:-20]
# END
import torch
from torch.utils.data import DataLoader, Dataset

from job import FIXED, steps

torch.set_num_threads(1)


class Visits(Dataset):
    """One dict for each visit of a patient, as json.load() returns them."""

    def __init__(self, count):
        self.visits = [
            {"id": number, "pulse": [float(60 + (number + at) % 40) for at in range(1000)]} for number in range(count)
        ]

    def __len__(self):
        return len(self.visits)

    def __getitem__(self, index):
        visit = self.visits[index]
        return torch.tensor(visit["pulse"]), visit["id"] % 10


class Drift:
    """Compares the features of the last batches, to see whether the data change."""

    def __init__(self):
        self.seen = []

    def add(self, features):
        self.seen.append(features.numpy().copy())  # <LINE>
        if FIXED:
            del self.seen[:-20]
        return float(self.seen[-1].mean() - self.seen[-min(20, len(self.seen))].mean())


def batches(loader):
    while True:
        yield from loader


model = torch.nn.Sequential(torch.nn.Linear(1000, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loader = DataLoader(Visits(1600), batch_size=64, shuffle=True, num_workers=2)
source = batches(loader)
drift = Drift()

for step in steps():
    pulses, labels = next(source)
    drift.add(pulses)
    loss = torch.nn.functional.cross_entropy(model(pulses), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
