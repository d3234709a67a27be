"""memory.py KB COMMAND...: runs a compiler, and fails if a process of it has more memory at once."""

import os
import resource
import subprocess
import sys

_, bound, *command = sys.argv
status = subprocess.run(command, env=dict(os.environ, CCACHE_DISABLE="1"), check=False).returncode
kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"{kilobytes} KB of at most {bound} to compile {command[-1]}")
sys.exit(status or kilobytes > int(bound))
