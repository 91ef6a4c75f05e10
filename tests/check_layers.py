"""Fails when a folder under src/ includes a folder that it may not depend on."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
allowed = {}
for line in pathlib.Path(sys.argv[2]).read_text().splitlines():
    name, _, deps = line.partition(":")
    allowed[name.strip()] = {name.strip(), *deps.replace(";", " ").split()}

violations = 0
for path in sorted(root.rglob("*")):
    if path.suffix not in (".h", ".cpp"):
        continue
    here = path.relative_to(root).parts[0]
    if here not in allowed:
        print(f"{path}: {here}/ is no module: its CMakeLists.txt does not call lowtide_module")
        violations += 1
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        hit = re.match(r'\s*#include "([^/"]+)/', line)
        if hit and hit[1] not in allowed[here]:
            print(f"{path}:{number}: {here}/ may not include {hit[1]}/")
            violations += 1
sys.exit(violations > 0)
