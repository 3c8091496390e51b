"""Live a month on four devices: each a week offline, killed, the key changed, one dropped.

    python benchmarks/sync.py [--seed 1] [--seeds 1] [--days 30] [--acts 4] [--kills 0.4] [--json]

Two homes, later four, synchronise over a bare Git repository in a temporary folder. On each day
each device tells, edits, corrects, observes, forgets and retires at random; one of them is offline.
Each of the three that stay is offline for a week (of a month of 30 days), and the fourth is dropped
after two thirds of the days, while one that stays is offline. A synchronisation is killed before a
random write with probability `--kills`. At the end all exports have to be equal, everything that
was told and neither replaced nor forgotten has to be there, and nothing that was forgotten. The
dropped device, which still has its key and the remote, must read nothing that was told after the
drop, and nobody must hear it. Where something is not so it is shown, and the exit status is 1.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests/support"))
from synced_month import SyncedMonth


def live_month(seed: int, days: int, acts: int, kill_share: float) -> dict[str, Any]:
    """Return counts of a month, and what was wrong at its end."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    with tempfile.TemporaryDirectory() as folder:
        month = SyncedMonth(Path(folder), seed, days=days, acts_a_day=acts, kill_share=kill_share)
        month.live()
        faults = month.find_faults()
        lines = len(month.devices[0].export())
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seed": seed,
        "days": days,
        "told": month.told,
        "forgotten": month.forgotten,
        "syncs": month.syncs,
        "kills": month.kills,
        "both_kept": month.both_kept,
        "offline_days": dict(month.offline_days),
        "lines": lines,
        "faults": faults,
        "cpu_s": round(used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime, 1),
    }


def main() -> int:
    """Live the months, and say what was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1, help="how many months")
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--acts", type=int, default=4, help="acts a device a day")
    parser.add_argument("--kills", type=float, default=0.4, help="share of killed runs")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    os.environ["GIEOK_EMBEDDER"] = "none"
    are_right = True
    for seed in range(given.seed, given.seed + given.seeds):
        found = live_month(seed, given.days, given.acts, given.kills)
        are_right = are_right and not found["faults"]
        if given.json:
            print(json.dumps(found, ensure_ascii=False), flush=True)
        else:
            print("  ".join(f"{name} {value}" for name, value in found.items()), flush=True)
    return 0 if are_right else 1


if __name__ == "__main__":
    sys.exit(main())
