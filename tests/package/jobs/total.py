"""A training that adds its losses to a tensor, so that each step keeps its graph: total.py STEPS [fixed]"""

import sys

import torch

FIXED = "fixed" in sys.argv


def train(steps):
    model = torch.nn.Sequential(torch.nn.Linear(512, 768), torch.nn.ReLU(), torch.nn.Linear(768, 768), torch.nn.ReLU(),
                                torch.nn.Linear(768, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    total = torch.zeros(())
    for _ in range(steps):
        inputs, targets = torch.randn(128, 512), torch.randint(0, 10, (128,))
        loss = torch.nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = total + (loss.detach() if FIXED else loss)
    print(f"mean loss {total.item() / steps:.3f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train(int(sys.argv[1]))
