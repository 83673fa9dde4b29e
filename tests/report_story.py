"""A made-up session of a day's work with three compactions, for the pictures of `memd report`."""

from transcript import Transcript

FIRST = """\
We are moving the checkout from Stripe API v1 to v2 in /srv/shop. create_charge is done in payments/charges_1.py; the next call
is capture_charge. `make test-payments CASE=create_charge` passes. payments/refunds.py must not be touched."""
SECOND = """\
capture_charge uses idempotency_key now, MAX_RETRIES stays 3. void_charge comes next: payments/intents_4.py and
payments/charges_5.py still call void_charge_v1, see retry_limit_8."""
THIRD = "Everything but list_charges is moved. STRIPE_API_VERSION is 2025-04-30. `make lint payments` is clean."
SUMMARIES = (FIRST, SECOND, THIRD)
CALLS = ("create_charge", "capture_charge", "void_charge", "list_charges")
SIZES = (900, 4_800, 1_700, 600, 7_900, 1_100, 2_600)


class Growing(Transcript):
    """A transcript whose context fills with each answer, and falls when it is compacted."""

    full, answers = 24_000, 0

    def row(self, **fields):
        if "usage" in fields.get("message", {}):
            self.answers += 1
            self.full += SIZES[self.answers * self.answers % len(SIZES)]
            fields["message"]["usage"] = {"input_tokens": self.full, "output_tokens": 20}
        self._at += 37
        return super().row(**fields)

    def compacts(self, summary):
        self._last = None
        meta = {"trigger": "auto", "preTokens": self.full, "postTokens": 22_000}
        self.row(type="system", subtype="compact_boundary", compactMetadata=meta)
        self.full = 22_000
        return self.row(type="user", isCompactSummary=True, message={"role": "user", "content": summary})


def played(path):
    """The session in a transcript at `path`, in pieces: after each memd may look at it."""
    story = Growing(path, cwd="/srv/shop", at=1_795_942_800)
    story.typed(
        "Move the checkout from Stripe API v1 to v2. Do not touch payments/refunds.py, finance audits it this week."
    )
    story.row(type="ai-title", aiTitle="Move the checkout to Stripe API v2")
    for stretch, name in enumerate(CALLS):
        for piece in _works(story, stretch, name):
            yield story, piece
        if stretch < len(SUMMARIES):
            story.compacts(SUMMARIES[stretch])
    story.says("The docs say how to set STRIPE_API_VERSION; make test-payments passes.")
    yield story, "end"


def _works(story, stretch, name):
    story.uses("Read", "class StripeClient:\n    api_version = '2023-10'", file_path="/srv/shop/payments/client.py")
    story.runs(
        f"make test-payments CASE={name}",
        f"2 failed, 31 passed\n{_log(stretch)}",
    )
    yield "began"
    for step in range(21):
        path = f"/srv/shop/payments/{'charges' if step % 3 else 'intents'}_{(step + 2 * stretch) % 8}.py"
        old, new = f"{name}_v1(order_{step})", f"{name}_v2(order_{step}, idempotency_key=order_id)"
        if step % 2:
            story.uses("Edit", file_path=path, old_string=old, new_string=new)
        else:
            story.uses("Read", f"{old}  # retry_limit_{step} = {step}\n{_log(step)}", file_path=path)
        if step % 7 == 4:
            story.runs(f"grep -rn {name}_v1 payments/ --include={step}.py", f"payments/charges_{step}.py:{step}: {old}")
        if step == 15:
            story.runs("make lint payments", "All checks passed.")
        if step == 9:
            story.says(f"trace_{stretch + 2}14 and span_{stretch + 1}07 show where {name}_v1 is still called.")
            yield "half"
    story.runs(f"git commit -am 'Move {name} to v2'", f"[v2 4afd4e{stretch}] Move {name} to v2")
    if stretch == 1:
        story.typed("Use idempotency keys for capture too. MAX_RETRIES stays 3.")
    if stretch == 2:
        story.uses("Edit", file_path="/srv/shop/payments/refunds.py", old_string="v1", new_string="v2")
        story.runs("make test-payments CASE=create_charge", "33 passed")
    story.says(f"{name} is moved: payments/charges_1.py has idempotency_key, STRIPE_API_VERSION is 2025-04-30.")
    yield "done"


def _log(number):
    """A tool's long answer, of whose middle the record keeps only some."""
    return "\n".join(
        f"span_{number}{n:02} trace_{number}{n:02} took {n}.{number} ms in worker_{n % 9}" for n in range(60)
    )
