"""A training with JAX that keeps 4 MiB of activations per step in a list. At its end it writes what JAX counts, as JSON.

usage: jax_job.py STEPS SECONDS
"""
import json
import sys
import time

import jax
import jax.numpy as jnp

steps, seconds = int(sys.argv[1]), float(sys.argv[2])
weights = jax.random.normal(jax.random.PRNGKey(0), (1024, 1024))
kept = []


@jax.jit
def step_of(weights, batch):
    hidden = jnp.tanh(batch @ weights)
    return weights - 1e-4 * (batch.T @ hidden), hidden


began = time.monotonic()
for step in range(steps):
    weights, hidden = step_of(weights, jax.random.normal(jax.random.PRNGKey(step), (1024, 1024)))
    kept.append(hidden)
    time.sleep(max(0.0, began + (step + 1) * seconds / steps - time.monotonic()))
weights.block_until_ready()
for _ in range(25):  # so that the last reading is of this state: the agent comes with allocations
    bytes(1 << 20)
    time.sleep(0.1)
print(json.dumps(jax.devices()[0].memory_stats()), flush=True)
