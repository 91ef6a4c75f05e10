# ZOO-CASE
#   label: stable
#   process: main
#   metric: pagecache
#   cause: page-cache
#   shape: flat
#   alloc: 53_page_cache_reader.py:40 the kernel keeps what was read from the file
#   retain: nobody: clean page cache, reclaimable at any time; one buffer of 512 KiB in the process
#   rate_kib_per_step: 0
#   signature: the cgroup's usage grows by 512 KiB/step (memory.stat: file); RSS and PSS of the process are flat
#   fix: none needed (posix_fadvise DONTNEED to calm watchers of the cgroup)
#   real: kubernetes/kubernetes#43916 (page cache counted as memory in use), tar and webdataset readers
# END
import argparse
import os
import tempfile
import time

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=300)
ap.add_argument("--seconds", type=float, default=70)
a = ap.parse_args()


def pace(step):  # keep a steady step rate, as a GPU-bound trainer has
    time.sleep(max(0.0, T0 + (step + 1) * a.seconds / a.steps - time.time()))


CHUNK = 512 << 10
path = os.path.join(tempfile.mkdtemp(prefix="zoo_"), "shard.bin")
with open(path, "wb") as shard:
    for i in range(a.steps):
        shard.write(bytes([i % 256]) * CHUNK)
    shard.flush()
    os.fsync(shard.fileno())
    os.posix_fadvise(shard.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # start with a cold cache
buffer = bytearray(CHUNK)
T0 = time.time()
with open(path, "rb", buffering=0) as shard:
    for step in range(a.steps):
        shard.readinto(buffer)  # <ALLOC>
        print(f"step {step} loss {sum(buffer[::4096]) / CHUNK:.4f}", flush=True)
        pace(step)
os.remove(path)
os.rmdir(os.path.dirname(path))
