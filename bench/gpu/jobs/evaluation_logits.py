# REAL-JOB
#   about: each evaluation keeps the logits of all its batches on the GPU, although only the accuracy is used
#   label: leak
#   process: main
#   packages: torch
#   holder: history
#   never: graph, queue, callback, dataset, worker, hook, closure, checkpoint, fragment
#   fix: self.history.clear()
# END
import torch
from torch import nn

from job import FIXED, steps


class Evaluator:
    def __init__(self, model, batches):
        self.model = model
        self.batches = batches
        self.history = []

    @torch.no_grad()
    def accuracy(self):
        right = total = 0
        for inputs, targets in self.batches:
            logits = self.model(inputs)  # <LINE>
            self.history.append(logits)  # <KEPT>
            right += (logits.argmax(1) == targets).sum().item()
            total += len(targets)
        if FIXED:
            self.history.clear()
        return right / total


device = torch.device("cuda")
model = nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 1000)).to(device)
optimizer = torch.optim.AdamW(model.parameters())
held_out = [(torch.randn(1024, 512, device=device), torch.randint(1000, (1024,), device=device)) for _ in range(4)]
evaluator = Evaluator(model, held_out)

for step in steps():
    inputs = torch.randn(1024, 512, device=device)
    loss = nn.functional.cross_entropy(model(inputs), torch.randint(1000, (1024,), device=device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 4:
        evaluator.accuracy()
