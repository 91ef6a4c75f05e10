"""The Trainer of transformers on a small BERT with random weights: transformers_loop.py SECONDS"""
import sys
import tempfile
import time

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments

torch.manual_seed(0)
torch.set_num_threads(1)
until = time.monotonic() + float(sys.argv[1])
kept = []


class KeepALittle(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        kept.append(torch.randn(1000))
        control.should_training_stop = time.monotonic() > until


config = BertConfig(vocab_size=1000, hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128)
rows = [{"input_ids": torch.randint(0, 1000, (32,)), "labels": n % 2} for n in range(256)]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(folder, max_steps=10**9, per_device_train_batch_size=8, report_to=[], save_strategy="no",
                                  logging_strategy="no", disable_tqdm=True, use_cpu=True)
    Trainer(BertForSequenceClassification(config), arguments, train_dataset=rows, callbacks=[KeepALittle()]).train()
