# REAL-JOB
#   about: a copy of the state of the model is kept every second step
#   label: leak
#   process: main
#   packages: torch
#   kind: python
#   holder: best
#   never: hook, queue, validation, dataset, graph, closure
#   fix: self.best = self.best[-1:]
# END
import copy

import torch

from job import FIXED, steps

torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.BatchNorm1d(512), torch.nn.ReLU(), torch.nn.Linear(512, 64))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


class Trainer:
    def __init__(self):
        self.best = []

    def remember(self, step):
        self.best.append((step, copy.deepcopy(model.state_dict())))  # <LINE>
        if FIXED:
            self.best = self.best[-1:]


trainer = Trainer()
for step in steps():
    loss = model(torch.randn(64, 256)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 2 == 0:
        trainer.remember(step)
