"""malloc and free, nothing else: pairs.py RESULT PAIRS THREADS LIBRARY. PAIRS of all threads together.

From a Python, because that is the only job which all of the tools can watch.
"""
import ctypes
import sys

from clock import report_units

result, pairs, threads, library = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
run = ctypes.CDLL(library).run_pairs
run(threads, ctypes.c_long(pairs // threads // 10))
report_units(result, pairs, lambda each: run(threads, ctypes.c_long(each // threads)))
