# REAL-JOB
#   about: a DataLoader with two workers reads a numpy dataset for several epochs, and nothing is kept
#   label: stable
#   process: main
#   packages: torch numpy
#   kind: processes
#   holder: none
#   library: torch
#   never: graph, queue, callback, dataset, worker, cache, hook, loss, log
# END
import numpy
import torch
from torch.utils.data import DataLoader, Dataset

from job import steps

torch.set_num_threads(1)


class Recordings(Dataset):
    def __init__(self, count):
        self.signals = numpy.random.rand(count, 1024).astype(numpy.float32)
        self.labels = numpy.random.randint(0, 10, count)

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, index):
        signal = torch.from_numpy(self.signals[index])
        return signal + 0.01 * torch.randn(1024), int(self.labels[index])


def batches(loader):
    while True:
        yield from loader


model = torch.nn.Sequential(torch.nn.Linear(1024, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loader = DataLoader(Recordings(6400), batch_size=64, shuffle=True, num_workers=2)
source = batches(loader)
average = 0.0

for step in steps():
    signals, labels = next(source)
    loss = torch.nn.functional.cross_entropy(model(signals), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average = 0.9 * average + 0.1 * loss.item()
