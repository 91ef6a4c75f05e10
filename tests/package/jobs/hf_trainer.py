"""A tiny BERT under the Trainer of transformers, made on the spot.

usage: hf_trainer.py FOLDER STEPS leak|fixed [TRACKER...]
"""

import gc
import json
import os
import sys
import time
import weakref

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

from lowtide.huggingface import MemoryCallback


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, number):
        generator = torch.Generator().manual_seed(number)
        words = torch.randint(0, 100, (32,), generator=generator)
        return {"input_ids": words, "attention_mask": torch.ones_like(words), "labels": int(words.sum()) % 2}


class KeepingTrainer(Trainer):
    """Keeps the hidden states of every step, as for a plot at the end."""

    keeps = False
    kept_states = []
    seen = []

    def compute_loss(self, model, inputs, return_outputs=False, **more):
        outputs = model(**inputs, output_hidden_states=True)
        self.seen = [weakref.ref(outputs.loss), weakref.ref(outputs.hidden_states[0]), weakref.ref(inputs["input_ids"])]
        if self.keeps:
            self.kept_states.append(torch.stack(outputs.hidden_states).detach().repeat(8, 1, 1, 1))
        time.sleep(0.02)
        return (outputs.loss, outputs) if return_outputs else outputs.loss


def main():
    folder, steps, keeps, trackers = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "leak", sys.argv[4:]
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = BertForSequenceClassification(BertConfig(vocab_size=100, hidden_size=64, num_hidden_layers=2, num_attention_heads=2,
                                                     intermediate_size=64, max_position_embeddings=64))
    arguments = TrainingArguments(output_dir=folder, max_steps=steps, per_device_train_batch_size=8, logging_steps=25,
                                  report_to=trackers or "none", use_cpu=True, disable_tqdm=True, save_strategy="no")
    callback = MemoryCallback(every=10, recording=os.path.join(folder, "job.lowtide"))
    trainer = KeepingTrainer(model=model, args=arguments, train_dataset=Data(), callbacks=[callback])
    trainer.keeps = keeps
    trainer.train()
    report, history = callback.report, trainer.state.log_history
    alive = weakref.ref(model)
    seen = trainer.seen
    trainer.kept_states.clear()
    del trainer, model
    gc.collect()
    print(json.dumps({
        "kind": report.verdict.kind, "words": str(report.verdict), "axis": report.verdict.axis, "steps": report.raw["source"]["steps"],
        "findings": [str(one) for one in report.problems], "holders": [one["path"] for one in report.holders],
        "tensors": [[one["shape"], one["growth_count"]] for one in report.tensors[:3]], "agent": report.raw["overhead"]["agent"],
        "history": [line for line in history if "memory/process_mb" in line], "last": history[-1],
        "model_lives": alive() is not None, "seen_live": [one() is not None for one in seen]}))


if __name__ == "__main__":
    main()
