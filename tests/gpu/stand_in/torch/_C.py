observer = None
allocated = [1 << 30, 0]  # of each GPU


def _cuda_attach_out_of_memory_observer(function):
    global observer
    observer = function


def _cuda_getDeviceCount():
    return len(allocated)


def _cuda_memoryStats(device):
    amounts = {name: {"all": {"current": allocated[device]}}
               for name in ("allocated_bytes", "reserved_bytes", "inactive_split_bytes")}
    return {**amounts, "num_alloc_retries": 0, "num_ooms": 0}
