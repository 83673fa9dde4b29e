"""`python tests/draw_report.py [CHROMIUM]`: draws the page of `memd report`, for phone and desk, light and dark.

The session is made up (`report_story`), and memd may give little of it back, so that there is something to see. Needs Chromium
(`apt-get install chromium`) and nothing from a network. The pictures are docs/images/report-*.png.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from played import MEMD
from report_story import played

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SIZES = {"phone": (390, 1120), "wide": (1000, 1000)}
SCHEMES = {"dark": 0, "light": 1}
"""Chromium's own numbers of the colour schemes."""


def main(chromium: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "memd.toml")
        settings.write_text("[inject]\nmax_tokens = 700\n", "utf-8")
        env = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "MEMD_CONFIG": str(settings)}
        for story, _ in played(Path(folder, "projects", "-srv-shop", "0b5e77a1-0000-4000-8000-00000000c0de.jsonl")):
            subprocess.run([*MEMD, "ingest", story.path], env=env, check=True)
        page = Path(folder, "report.html")
        subprocess.run([*MEMD, "report", "--html", page], env=env, check=True)
        for size, (width, height) in SIZES.items():
            for scheme, number in SCHEMES.items():
                picture = IMAGES / f"report-{size}-{scheme}.png"
                options = [
                    "--headless",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--hide-scrollbars",
                    f"--window-size={width},{height}",
                ]
                chosen = [f"--blink-settings=preferredColorScheme={number}", f"--screenshot={picture}", page.as_uri()]
                subprocess.run([chromium, *options, *chosen], env=env, check=True, capture_output=True)
                print(picture, picture.stat().st_size)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "chromium")
