# REAL-JOB
#   about: a DataLoader reads a large list of Python objects; its workers copy pages of the parent, and end with each epoch
#   label: stable
#   process: main
#   packages: torch
#   kind: processes
#   holder: none
#   library: torch
#   never: graph, queue, callback, dataset, worker, cache, hook, loss, log
#   real: https://github.com/pytorch/pytorch/issues/13246
# END
import torch
from torch.utils.data import DataLoader, Dataset

from job import steps

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


def batches(loader):
    while True:
        yield from loader


model = torch.nn.Sequential(torch.nn.Linear(1000, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loader = DataLoader(Visits(3200), batch_size=64, shuffle=True, num_workers=2)
source = batches(loader)

for step in steps():
    pulses, labels = next(source)
    loss = torch.nn.functional.cross_entropy(model(pulses), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
