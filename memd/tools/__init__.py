"""One package a tool, with all that memd knows of it; `registry` lists them, `protocol` says what each must offer."""
