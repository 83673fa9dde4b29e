"""`memd.model.text.printable`: what a terminal would act on is escaped, all else stays as it is."""

import sys
from unicodedata import category

from memd.model.text import printable


def test_every_character_that_acts_is_escaped_and_no_other():
    """Of all of Unicode: line ends, tabs and joiners stay too. A text without any such is given back as it is."""
    acting = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    stays = [one for one in every if category(one) not in acting or one in "\n\t\u200c\u200d"]
    assert "".join(stays) == "".join(one for one in every if printable(one) == one)
    assert printable("".join(stays)) == "".join(stays)
    assert printable("a\x1b[1mb") == "a\\x1b[1mb"
