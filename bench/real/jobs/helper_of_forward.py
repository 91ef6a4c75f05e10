# REAL-JOB
#   about: a helper that forward() calls appends the activations; it is no hook
#   label: leak
#   process: main
#   packages: torch
#   kind: python, lookalike
#   holder: recent
#   never: hook, handle.remove, validation, dataset, graph, closure
#   fix: self.recent = self.recent[-20:]
# END
import torch

from job import FIXED, steps

torch.set_num_threads(1)


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.project = torch.nn.Linear(256, 2048)
        self.recent = []

    def encode(self, batch):
        code = self.project(batch)
        self.recent.append(code.detach() * 1.0)  # <LINE>
        if FIXED:
            self.recent = self.recent[-20:]
        return code

    def forward(self, batch):
        return self.encode(batch).mean()


encoder = Encoder()
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.01)
for step in steps():
    optimizer.zero_grad()
    encoder(torch.randn(64, 256)).backward()
    optimizer.step()
