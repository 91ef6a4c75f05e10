# The main thread's part of the script that sys.remote_exec runs: what it may and may not do is in remote_script.cpp.
# It must run with Python 3.14 and later.

# to_python() writes the text of remote_work.py, with its values, in front of the script.
work = b''

# --- embedded from here on ---
try:
    import _thread
    _thread.start_new_thread(exec, (work, {'failure': None}))
except BaseException as error:
    exec(work, {'failure': error})
