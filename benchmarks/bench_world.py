"""The embedded world: questions generated and answered per second, and a world of 200 scenes with its images.

    python benchmarks/bench_world.py [scenes]

Generating questions is compared with generating their scenes, in processor time, on one core. Writing the whole world
is measured in wall-clock time, into an empty folder, and again when all files exist.
"""

import sys
import tempfile
import time
from pathlib import Path

from askew.world.ask import asked, questions_of
from askew.world.scenes import make_scene
from askew.world.write_world import write_world


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    start = time.process_time()
    scenes = [make_scene(0, index) for index in range(count)]
    making = time.process_time() - start
    questions_of(scenes[0])  # data files are read here
    start = time.process_time()
    number = sum(len(questions_of(scene)) for scene in scenes)
    seconds = time.process_time() - start
    start = time.process_time()
    for scene in scenes:
        asked(scene)
    alone = time.process_time() - start
    print(f"scenes made              {count / making:8.0f} per second")
    print(f"questions asked          {number / alone:8.0f} per second")
    print(
        f"generated and answered   {number / seconds:8.0f} per second, {seconds / making:.2f} of the time of the scenes"
    )
    with tempfile.TemporaryDirectory() as folder:
        for word in ("written", "written again"):
            start = time.perf_counter()
            write_world(Path(folder), count)
            print(f"world {word:<19}{time.perf_counter() - start:8.1f} seconds for {count} scenes, {number} questions")


if __name__ == "__main__":
    main()
