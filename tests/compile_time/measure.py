#!/usr/bin/env python3
"""Compiles a file and says how long it took, in seconds of the processor, which do not
depend on what else the machine does; fails beyond a bound.

    measure.py BOUND COMPILER ARGUMENT...
"""

import os
import resource
import subprocess
import sys

bound, command = float(sys.argv[1]), sys.argv[2:]
environment = dict(os.environ, CCACHE_DISABLE="1")
status = subprocess.run(command + ["-o", os.devnull], env=environment).returncode
if status != 0:
    sys.exit(status)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = used.ru_utime + used.ru_stime
print(f'<CTestMeasurement type="numeric/double" name="compile_seconds">{seconds:.1f}</CTestMeasurement>')
print(f"{seconds:.1f} s of at most {bound:g} s, {used.ru_maxrss // 1024} MiB")
sys.exit(seconds > bound)
