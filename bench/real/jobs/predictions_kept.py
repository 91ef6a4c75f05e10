# REAL-JOB
#   about: the evaluator appends the predictions of every evaluation to a list and never empties it; they are made under no_grad, so no graph is involved
#   label: leak
#   process: main
#   packages: torch
#   kind: c++
#   holder: predictions
#   library: torch
#   never: graph, loss, queue, callback, worker, hook, log
#   fix: self.predictions.clear()
# END
import torch

from job import FIXED, steps

torch.set_num_threads(1)


class Evaluator:
    def __init__(self, inputs, targets):
        self.inputs = inputs
        self.targets = targets
        self.predictions = []

    def accuracy(self, model):
        model.eval()
        with torch.no_grad():
            scores = model(self.inputs)  # <LINE>
        self.predictions.append(scores)  # <KEPT>
        model.train()
        correct = scores.argmax(dim=1) == self.targets
        if FIXED:
            self.predictions.clear()
        return correct.float().mean().item()


def train_step(model, optimizer):
    inputs = torch.randn(32, 64)
    targets = torch.randint(0, 1000, (32,))
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    return loss.item()


model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1000))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
evaluator = Evaluator(torch.randn(512, 64), torch.randint(0, 1000, (512,)))

for step in steps():
    train_step(model, optimizer)
    if step % 3 == 0:
        evaluator.accuracy(model)
