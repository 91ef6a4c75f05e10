# The thread's part of the script that sys.remote_exec runs: what it may and may not do is in remote_script.cpp.
# Threads get the stack size that the job has set; dlopen and the agent need some of it. It must run with
# Python 3.14 and later.

# to_python() writes these values in front of the script. remote_start.py defines `failure`.
script = answer = folder = agent = order = b''
deadline = 0.0
function = ''
failure = None

# --- embedded from here on ---
pipe = -1
try:
    import _thread, posix, time
    posix.unlink(script)
    try:
        posix.close(posix.open(answer, posix.O_WRONLY | posix.O_NONBLOCK))
    except OSError:
        is_awaited = False
    else:
        is_awaited = True
        pipe = posix.open(answer, posix.O_RDWR | posix.O_NONBLOCK)
    if is_awaited and time.monotonic() < deadline:
        posix.write(pipe, b'begun\n')
        if failure is not None:
            raise failure
        if 0 < _thread.stack_size() < 262144:
            raise MemoryError('the stacks of its threads are too small')
        import _ctypes
        library = _ctypes.dlopen(agent, 0)
        posix.write(pipe, b'result %d\n' % _ctypes.call_function(_ctypes.dlsym(library, function), (order,)))
        _ctypes.call_function(_ctypes.dlsym(library, 'lowtide_agent_reap'), (b'wait',))
    if not is_awaited:
        for remove, path in (posix.unlink, answer), (posix.rmdir, folder):
            try:
                remove(path)
            except OSError:
                pass
except BaseException as error:
    try:
        said = type(error).__name__ + ': ' + ' '.join(str(error).split())
        posix.write(pipe, b'error ' + said.encode('utf-8', 'replace')[:1000] + b'\n')
    except BaseException:
        pass
finally:
    failure = None
    if pipe >= 0:
        posix.close(pipe)
