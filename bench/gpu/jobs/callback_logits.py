# REAL-JOB
#   about: a callback of the Trainer of transformers runs a fixed batch after each step and keeps its logits
#   label: leak
#   process: main
#   packages: torch transformers
#   holder: seen
#   never: graph, validation, queue, dataset, worker, hook, closure, checkpoint, fragment
#   fix: self.seen.append(logits.mean().item())
# END
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments

from job import FIXED, steps


class Probe(TrainerCallback):
    """Follows what the model says about the same text."""

    def __init__(self, text):
        self.text = text
        self.seen = []
        self.pace = steps()

    def on_step_end(self, arguments, state, control, model=None, **others):
        with torch.no_grad():
            logits = model(self.text.to(model.device)).logits  # <LINE>
        self.seen.append(logits.mean().item() if FIXED else logits)  # <KEPT>
        if next(self.pace, None) is None:
            control.should_training_stop = True


class Texts(torch.utils.data.Dataset):
    def __len__(self):
        return 1_000_000

    def __getitem__(self, index):
        words = torch.randint(0, 2000, (64,))
        return {"input_ids": words, "labels": words}


model = GPT2LMHeadModel(GPT2Config(vocab_size=2000, n_positions=128, n_embd=256, n_layer=4, n_head=4))
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(folder, per_device_train_batch_size=8, max_steps=100_000, report_to=[], save_strategy="no",
                                  logging_steps=100)
    Trainer(model, arguments, train_dataset=Texts(), callbacks=[Probe(torch.randint(0, 2000, (4, 128)))]).train()
