"""Each code that `memd doctor` has for a line of `.agent/` is documented, and no other."""

import re

from documents import ROOT, section


def test_every_code_of_a_line_has_a_heading():
    code = (ROOT / "memd" / "daemon" / "setup" / "forms.py").read_text("utf-8")
    text = section((ROOT / "docs" / "reasons.md").read_text("utf-8"), "Lines of a project's .agent/")
    assert set(re.findall(r'_finding\(\s*"([a-z-]+)"', code)) == set(re.findall(r"^### ([a-z-]+)$", text, re.MULTILINE))
