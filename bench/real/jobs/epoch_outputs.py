# REAL-JOB
#   about: outputs of an epoch are collected in a list that is cleared at its end: no garbage in cycles
#   label: spikes
#   process: main
#   packages: torch
#   kind: python, lookalike
#   holder: none
#   never: collector, garbage
# END
import torch
from torch import nn

from job import steps

torch.set_num_threads(1)
model = nn.Linear(100, 5_000)
outputs = []
for step in steps():
    with torch.no_grad():
        outputs.append(model(torch.randn(64, 100)))
    if step % 60 == 59:
        print(float(torch.cat(outputs).mean()))
        outputs.clear()
