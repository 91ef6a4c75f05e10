"""A PyTorch training that says nothing of steps: two optimizers, a frozen layer, a teacher, checkpoints, validation.

  trainer.py STEPS [alone]     alone: nobody watches, and nothing is waited for
"""
import io
import pickle
import sys
import time

began = time.monotonic()
import torch  # noqa: E402

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.BatchNorm1d(32), torch.nn.Linear(32, 8))
teacher = torch.nn.Linear(64, 8).eval()
first = torch.optim.Adam(model[0].parameters())
second = torch.optim.SGD(model[2].parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(second, 10)
losses = []
steps = int(sys.argv[1])
is_watched = sys.argv[2:] != ["alone"]
until = time.monotonic() + 60
# The agent puts a function of its own in the place of torch.save, at any time after the import.
while is_watched and torch.save.__code__.co_filename.endswith("serialization.py"):
    assert time.monotonic() < until, "nobody watches"
    bytearray(1_000_000)
    time.sleep(0.01)
# However long the start took: most samples have a step.
pause_s = max(0.05, 1.5 * (time.monotonic() - began) / steps)
for step in range(steps):
    model.train()
    model[1].eval()  # a frozen layer is no evaluation
    teacher.eval()
    x = torch.randn(64, 64)
    loss = (model(x) - teacher(x).detach()).square().mean()
    loss.backward()
    second.step()
    if step % 2 == 0:
        first.step()
    schedule.step()
    losses.append(loss.item())
    if step % 20 == 19:
        model.eval()
        with torch.no_grad():
            spike = torch.ones(50_000_000)
            time.sleep(0.8 if is_watched else 0)
            del spike
            model(x)
    if step % 40 == 39:
        torch.save(model.state_dict(), io.BytesIO())
    time.sleep(pause_s if is_watched else 0)
assert pickle.loads(pickle.dumps(torch.save)) is torch.save
print("losses", " ".join(f"{loss:.9g}" for loss in losses))
