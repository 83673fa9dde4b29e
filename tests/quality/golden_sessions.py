"""Five made-up sessions, each told as it happens; their checkpoints are kept in tests/data/golden."""

from factories import Story

from memd.model import Channel, Kind, State


def edit(story, path, old, new):
    return story.call(Kind.EDIT, path, detail={"old": old, "new": new, "edits": 1})


def steady():
    """A task list half done, with a constraint that must hold."""
    story = Story("/srv/shop")
    story.says("Move the checkout from Stripe API v1 to v2. Do not touch the refunds, finance audits them this week.")
    story.agent("I read the client first, then I move one call after the other.")
    story.call(Kind.READ, "/srv/shop/payments/client.py", result="class StripeClient:\n    api_version = '2023-10'")
    story.call(Kind.READ, "/srv/shop/payments/refunds.py", result="def refund_order(order_id): ...")
    story.tasks(
        ("Move create_charge", "in_progress"), ("Move capture_charge", "pending"), ("Update the docs", "pending")
    )
    story.agent("The version is set in one place, so I change it there.")
    edit(story, "/srv/shop/payments/client.py", "api_version = '2023-10'", "api_version = '2025-04'")
    story.run("pytest tests/payments -q", "2 failed, 31 passed in 4.10s", State.FAILED)
    story.agent("create_charge returns a PaymentIntent now; the tests read charge_id.")
    edit(story, "/srv/shop/payments/charges.py", "return charge.charge_id", "return intent.latest_charge")
    story.run("pytest tests/payments -q", "33 passed in 4.02s")
    story.run("git commit -am 'Move create_charge to v2'", "[v2 4afd4e4] Move create_charge to v2")
    story.tasks(
        ("Move create_charge", "completed"), ("Move capture_charge", "in_progress"), ("Update the docs", "pending")
    )
    story.says("Use idempotency keys for capture too.", Channel.HUMAN_STEERED)
    story.agent("capture_charge is next: it needs idempotency_key=order_id as create_charge has it.")
    return story


def refused():
    """The person turned a plan down and a command too."""
    story = Story("/srv/api")
    story.says("The nightly import dies with a deadlock on the orders table. Find out why and fix it.")
    story.run("psql -c 'select * from pg_locks'", "ExclusiveLock orders 4711")
    story.call(Kind.PLAN, "", State.REFUSED, detail={"plan": "# Lock the whole table during the import"})
    story.says("no table locks, the shop must stay up", Channel.HUMAN_ANSWER, extra={"refusal": True, "call": "c3"})
    refused = story.run("psql -c 'select pg_terminate_backend(4711)'", state=State.REFUSED)
    story.says(
        "never kill sessions in production", Channel.HUMAN_ANSWER, extra={"refusal": True, "call": f"c{refused}"}
    )
    story.call(Kind.PLAN, "", detail={"plan": "# Import in batches of 500, ordered by order_id"})
    story.agent("Both jobs lock rows in another order; ordering by order_id removes the cycle.")
    edit(story, "/srv/api/jobs/import_orders.py", "for row in rows:", "for row in sorted(rows, key=by_order_id):")
    story.run("make test-import", "error: relation orders_staging does not exist", State.FAILED)
    story.run("make test-import DB=staging", "14 passed in 20.3s")
    story.says("What batch size do you use?", Channel.HUMAN_TYPED)
    story.agent("500, as in the plan; BATCH_SIZE in jobs/settings.py is not changed yet.")
    story.ends()
    return story


def waiting():
    """Jobs in the background, a machine's message, an effect that must not be repeated."""
    story = Story("/srv/site")
    story.says("Release 3.2.0 of the site. Tell me when the deploy is through.")
    story.run("npm version 3.2.0", "v3.2.0")
    story.run("git push --follow-tags", "1a2b3c4..5d6e7f8  main -> main")
    story.run("gh workflow run deploy.yml -f tag=v3.2.0", "https://github.com/acme/site/actions/runs/778812")
    story.run("gh run watch 778812", state=State.BACKGROUND, job="b7f31")
    story.call(
        Kind.SCHEDULE,
        "*/10 * * * *",
        detail={"id": "s1", "cron": "*/10 * * * *", "prompt": "check the deploy", "recurring": True},
    )
    story.agent("The deploy runs as 778812; I wait for it and then read the smoke test's report.")
    story.says(
        "<task-notification><summary>Lint of v3.2.0 finished</summary></task-notification>",
        Channel.BACKGROUND_NOTIFICATION,
    )
    story.agent("Lint is fine. The deploy still runs.")
    return story


def headless():
    """No person is known: an operator's prompt, run by a program."""
    story = Story("/srv/lib")
    story.says("Fix the flaky test test_retry_backoff and open a pull request.", Channel.OPERATOR_HEADLESS)
    story.run("pytest tests/test_retry.py -q --count 50", "3 failed, 47 passed", State.FAILED)
    story.agent("It compares wall-clock times; a fake clock makes it exact.")
    story.call(
        Kind.CREATE, "/srv/lib/tests/fake_clock.py", detail={"new": "class FakeClock:\n    now = 0.0", "lines": 2}
    )
    edit(story, "/srv/lib/tests/test_retry.py", "time.sleep(backoff)", "clock.advance(backoff)")
    story.run("pytest tests/test_retry.py -q --count 50", "50 passed")
    story.run('gh pr create --title "Make test_retry_backoff exact"', "https://github.com/acme/lib/pull/212")
    story.agent("Opened pull request 212.")
    story.ends()
    return story


def later():
    """A long session behind two compactions: what was said first still holds, what was found out stays."""
    story = Story("/srv/engine")
    story.says("Port the tokenizer to Rust. Keep the Python API as it is, and no unsafe code.")
    story.agent("The Python API is tokenizer.encode and tokenizer.decode; both stay.")
    edit(story, "/srv/engine/src/lib.rs", "", "pub fn encode(text: &str) -> Vec<u32> {")
    story.run("cargo test -p tokenizer", "test result: ok. 12 passed; 0 failed")
    story.compacts()
    story.says("decode must accept lone surrogates, MAX_TOKEN stays 50257.")
    story.agent("Lone surrogates become U+FFFD in decode_lossy.")
    edit(story, "/srv/engine/src/decode.rs", "String::from_utf8(bytes)", "String::from_utf8_lossy(&bytes)")
    story.run("cargo bench --bench decode", "error: linker cc not found", State.FAILED)
    story.run("CC=clang cargo bench --bench decode", "decode_lossy 1.82 ms")
    for n in range(6):
        story.call(Kind.READ, f"/srv/engine/python/tests/case_{n}.py", result=f"assert encode({n})")
    story.compacts()
    story.says("Now write the release notes in docs/release-0.9.md.")
    story.agent("I collect what changed since 0.8: encode, decode_lossy, MAX_TOKEN = 50257.")
    return story


SESSIONS = {made.__name__: made for made in (steady, refused, waiting, headless, later)}
