# REAL-JOB
#   about: model.apply(record) copies the weights of each layer every step
#   label: leak
#   process: main
#   packages: torch
#   kind: python, lookalike
#   holder: recorded
#   never: hook, activation, validation, cache, graph, dataset, queue
#   fix: del weights[:-2]
# END
import torch
from torch import nn

from job import FIXED, steps

torch.set_num_threads(1)
recorded = {}


def record(layer):
    if isinstance(layer, nn.Linear):
        weights = recorded.setdefault(layer, [])
        weights.append(layer.weight.detach().clone())  # <LINE> <KEPT>
        if FIXED:
            del weights[:-2]


model = nn.Sequential(nn.Linear(60, 400), nn.ReLU(), nn.Linear(400, 60), nn.ReLU(), nn.Linear(60, 3))
optimizer = torch.optim.RMSprop(model.parameters())
for step in steps():
    loss = model(torch.randn(16, 60)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.apply(record)
