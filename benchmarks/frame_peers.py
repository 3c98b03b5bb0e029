"""A frame of 100 PBR monkeys with a shadowed sun at 1280x720, ours against other renderers.

Usage: python benchmarks/frame_peers.py [--peers-python PYTHON] [--keep FOLDER]

Each renderer runs in a process of its own, on the same driver, with the same meshes, materials,
camera and sun (benchmarks/peers/scene.py). PYTHON is an interpreter that has pyrender, pyvista and
Pillow; peers that it lacks are named and skipped. EEVEE runs in this interpreter's bpy.
Prints one JSON row: our seconds, the fastest peer with shadows as the floor, and their ratio.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PEERS = Path(__file__).with_name("peers")
TIMEOUT = 600


def measure(python: str, name: str, mesh: Path, folder: Path) -> float | None:
    """Median seconds a frame of one renderer; None, with the reason printed, if it cannot run."""
    command = [python, str(PEERS / f"{name}_frame.py"), str(mesh), str(folder / f"{name}.png")]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT, check=False, cwd=PEERS
        )
    except subprocess.TimeoutExpired:
        print(f"{name}: stopped after {TIMEOUT} s", file=sys.stderr)
        return None
    for line in reversed(done.stdout.splitlines()):
        if line.startswith('{"name"'):
            seconds = float(json.loads(line)["seconds"])
            print(f"{name}: {seconds:.3f} s a frame", file=sys.stderr)
            return seconds
    reason = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
    print(f"{name}: cannot run here ({reason})", file=sys.stderr)
    return None


def main() -> int:
    """Measure all, print the row; 1 if we are slower than the fastest peer that draws shadows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers-python", default=sys.executable)
    parser.add_argument("--keep", type=Path, help="keep the pictures here, to be looked at")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fyn-peers-") as scratch:
        folder = args.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        mesh = Path(scratch, "monkey.npz")
        subprocess.run(
            [sys.executable, str(PEERS / "scene.py"), str(mesh)], check=True, capture_output=True
        )
        ours = measure(sys.executable, "fyn", mesh, folder)
        peers = {
            name: measure(python, name, mesh, folder)
            for name, python in (
                ("pyrender", args.peers_python),
                ("vtk", args.peers_python),
                ("eevee", sys.executable),
            )
        }
    known = {name: seconds for name, seconds in peers.items() if seconds is not None}
    if ours is None or not known:
        print("nothing to compare", file=sys.stderr)
        return 1
    fastest = min(known, key=lambda name: known[name])
    ratio = ours / known[fastest]
    row = {
        "name": f"frame of 100 monkeys, 1280x720, against {fastest}",
        "value": round(ours, 4),
        "unit": "s",
        "floor": round(known[fastest], 4),
        "ratio": round(ratio, 3),
        "bound": 1.0,
        "ok": ratio < 1.0,
        "peers": {name: round(seconds, 4) for name, seconds in known.items()},
    }
    print(json.dumps(row))
    return 0 if row["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
