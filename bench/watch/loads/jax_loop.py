"""A training loop that keeps a little: jax_loop.py SECONDS"""
import sys
import time

import jax
import jax.numpy as jnp

weights = jax.random.normal(jax.random.PRNGKey(0), (256, 256))
batch = jnp.ones((64, 256))
step = jax.jit(lambda w: w - 0.01 * jax.grad(lambda v: jnp.mean((batch @ v - batch) ** 2))(w))
kept = []
until = time.monotonic() + float(sys.argv[1])
while time.monotonic() < until:
    for _ in range(10):
        weights = step(weights)
    kept.append(jnp.ones(1000))
