"""Secrets: what is masked, what is left alone, and whose words are never touched.

The values are put together here from pieces, so that this file itself trips nobody's scanner.
"""

import json

import pytest
from growth import growth
from hypothesis import given
from hypothesis import strategies as st

from memd.model import (
    MEMO_CHANNELS,
    Amend,
    Channel,
    Compaction,
    Facts,
    Gap,
    Grade,
    Kind,
    Message,
    Operation,
    Receipt,
    Rewind,
    Source,
    State,
    TurnEnd,
    Usage,
    masking,
)
from memd.model.secrets import mask

R = "q9ZkP2vX7rLmT4wB8nYc3HdJ6sFgA1eK5uQoVxE0"
HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"
JWT = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0." + R
KEY = "\n".join(["MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn7ygWyF8PbnGy0AHB7MaiHwYvQ2LkZJ2Xz"] * 3 + ["abcDEF1="])
KIND = "PRIVATE KEY"

SECRETS = {
    "AWS key id": ("AKIA" + "IOSFODNN7EXAMPLE", "id={}"),
    "AWS secret": (R, "aws_secret_access_key = {}"),
    "AWS secret in JSON": (R, '{{"SecretAccessKey": "{}"}}'),
    "Google API": ("AIza" + R[:35], "key={}&x=1"),
    "Google OAuth": ("ya29." + R, "{}"),
    "Azure storage": (R + R + "==", "AccountName=x;AccountKey={};EndpointSuffix=y"),
    "Azure SAS": (R.replace("q", "%2B"), "https://x.blob.core.windows.net/c?sv=2022&sig={}&se=1"),
    "GitHub classic": ("ghp" + "_" + R[:36], "git clone https://{}@github.com/o/r"),
    "GitHub fine": ("github" + "_pat_" + R, "{}"),
    "GitLab": ("glpat" + "-" + R[:20], "token: {}"),
    "Slack": ("xoxb" + "-1234567890-" + R, "SLACK={}"),
    "Slack hook": ("hooks.slack.com/services/" + "T00000000/B00000000/" + R[:24], "curl https://{}"),
    "Stripe": ("sk" + "_live_" + R[:24], "{}"),
    "OpenAI": ("sk" + "-proj-" + R, "{}"),
    "OpenAI old": ("sk" + "-" + R, "{}"),
    "Anthropic": ("sk" + "-ant-api03-" + R, "export X={}"),
    "npm": ("npm" + "_" + R[:36], "//registry.example/:_authToken={}"),
    "PyPI": ("pypi" + "-" + R + R, "{}"),
    "Hugging Face": ("hf" + "_" + R[:34], "{}"),
    "Vault": ("hvs." + R, "{}"),
    "SendGrid": ("SG." + R[:22] + "." + R, "{}"),
    "age": ("AGE-SECRET-KEY-1" + R.upper().replace("_", "0"), "{}"),
    "JWT": (JWT, "cookie: {}; path=/"),
    "JWT as a bearer's": (JWT, '-H "Authorization: Bearer {}" https://x.example'),
    "JWT with a name": (JWT, '{{"access_token": "{}"}}'),
    "issued, in an address with a name": ("ghp" + "_" + R[:36], "token=https://x.example/?t={}"),
    "URL with a name": ("hunter2", "token=https://app:{}@db.internal/x"),
    "bearer": (HEX, "Authorization: Bearer {}"),
    "basic": ("dXNlcjpodW50ZXIyaHVudGVyMg==", '-H "Authorization: Basic {}"'),
    "URL": ("hunter2", "postgres://app:{}@db.internal:5432/x"),
    "password": ("hunter2hunter2", "DB_PASSWORD={}"),
    "password, quoted": ("c0rrect$horse&", "password: '{}'"),
    "password in Python": ("Tr0ub4dor3", 'connect(password="{}", host="x")'),
    "issued, in escaped JSON": ("npm" + "_" + R[:36], '{{"out": "a\\n{}\\nb"}}'),
    "password in escaped JSON": ("Tr0ub4dor3", '{{\\"password\\": \\"{}\\"}}'),
    "basic in capitals": ("dXNlcjpodW50ZXIyaHVudGVyMg==", "AUTHORIZATION: BASIC {}"),
    "flag": (R, "deploy --api-key {} --verbose"),
    "flag, capital letters": (R, "deploy --Registry-Token {} --verbose"),
    "token, a capital letter": (R, "Token: {}"),
    "key, a capital letter": (R, "Apikey={}"),
    "key, capital letters": (R, "APIKey={}"),
    "hex key": (HEX[:32], "X-Api-Key: {}"),
    "arrow": (HEX, "'secret_key_base' => '{}'"),
}
PLAIN = [
    f"commit {HEX}",
    f"index {HEX[:7]}..{HEX[7:14]} 100644",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "token: 123e4567-e89b-12d3-a456-426614174000",
    "/home/dev/work/invoices/src/components/Authentication/TokenProvider/index.test.tsx",
    "secret_file=/run/secrets/db-password-1",
    "token=/var/run/secrets/kubernetes.io/serviceaccount/token1",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "max_tokens=128000, tokens: 12345678, token_count = 99999999",
    "password = get_password(user2)",
    "password: str = Field(min_length=12)",
    "password=os.environ['DB_PASSWORD1']",
    'password="${DB_PASSWORD_1}"',
    "API_KEY=$API_KEY_2 run",
    "token = self.token2.value",
    "token: process.env.GITHUB_TOKEN1",
    "privateKey: Uint8Array; secretKey: ed25519Seed",
    "hasToken: !!authState.token",
    "secret: my-app-v2",
    "SECRET_KEY=DJANGO_SECRET_KEY_1",
    "token_expires: 2026-11-29T23:18:00Z, token: 2026-11-29T23:18:00Z",
    "token_url=https://auth.example.com/oauth2/token",
    "tokenizer=o200k_base-2024-08",
    'password: "Enter your password"',
    "Bearer authentication-is-required here",
    "the Bearer token of the user, see token store: everything2",
    "http://localhost:8080/path?x=1",
    "git@github.com:owner/repo.git",
    "task-sk-list, risk-assessment-of-long-names-in-kebab-case",
    "sk-learn-is-a-package",
    "ghp_ and npm_ are prefixes",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    f"a -----BEGIN {KIND}----- line opens it, then base64 follows",
    "[secret sha256:1a2b3c4d]",
]


@pytest.mark.parametrize("name", SECRETS)
def test_each_shape_is_masked(name):
    """Of a secret nothing is left but its name; what stands around it stays as it is."""
    secret, around = SECRETS[name]
    before, after = around.format("\0").split("\0")
    text = f"line one\n{before}{secret}{after}\nline three"
    hidden = mask(text)
    assert secret not in hidden
    first, last = hidden.split("[secret sha256:")
    assert first == f"line one\n{before}" or (first == "line one\n" and not before)
    assert last[8:] == f"]{after}\nline three"


@pytest.mark.parametrize("text", PLAIN)
def test_ordinary_text_is_left_alone(text):
    """Hashes, UUIDs, paths, code, placeholders and base64 without a name stay as they are."""
    assert mask(text) == text


@pytest.mark.parametrize("kind", [KIND, f"RSA {KIND}", f"OPENSSH {KIND}", f"ENCRYPTED {KIND}", f"PGP {KIND} BLOCK"])
@pytest.mark.parametrize("joint", ["\n", "\\n", "\n    12\t", "\r\n"])
def test_a_private_key_is_masked_whole(kind, joint):
    """Plain, inside JSON, and with the line numbers of a listing; the lines around it stay."""
    text = f"before\n-----BEGIN {kind}-----\n{KEY}\n-----END {kind}-----\nafter".replace("\n", joint)
    hidden = mask(text)
    assert "MII" not in hidden
    assert "abcDEF1" not in hidden
    assert hidden.startswith("before")
    assert hidden.endswith("after")
    assert hidden.count("[secret sha256:") == 1


@pytest.mark.parametrize("cut", ["head", "tail"])
def test_a_private_key_that_a_cut_has_shortened_is_masked(cut):
    """The half that is left of it is as secret as the whole."""
    text = f"x\n-----BEGIN {KIND}-----\n{KEY}\n-----END {KIND}-----\ny"
    text = text[: len(text) // 2] if cut == "head" else text[len(text) // 2 :]
    assert "JJcds3" not in mask(text)
    assert "ygWyF8" not in mask(text)


@pytest.mark.parametrize("depth", range(5))
def test_a_secret_in_json_that_stands_in_json(depth):
    """However often it was written as a string of another, with ever more backslashes before its quotes."""
    text = json.dumps({"api_key": R})
    for _ in range(depth):
        text = json.dumps(text)
    assert R not in mask(text)


def test_equal_secrets_stay_equal_and_others_differ():
    """The same value has the same stand-in wherever it stands, another has another."""
    bare, named, other = mask(f"sk-{R}"), mask(f"API_KEY=sk-{R}"), mask(f"sk-{R[::-1]}")
    assert named == f"API_KEY={bare}"
    assert other != bare


def test_several_secrets_in_one_text():
    """Each is masked for itself, side by side and on the same line."""
    hidden = mask(f"A_TOKEN={R} B_SECRET={HEX} https://u:pa55word@h/ {JWT}")
    assert hidden.count("[secret sha256:") == 4
    assert all(secret not in hidden for secret in (R, HEX, "pa55word", JWT))


@given(st.text("ab1=:_-. \n\"'/@{$A", max_size=60), st.sampled_from(list(SECRETS.values())))
def test_masking_again_changes_nothing(noise, found):
    """What was masked once holds no secret any more, whatever stands around it."""
    secret, around = found
    once = mask(noise + around.format(secret) + noise)
    assert mask(once) == once


BEGIN, END = f"-----BEGIN {KIND}-----", f"-----END {KIND}-----"


@pytest.mark.parametrize(
    ("piece", "end"),
    [
        *((piece, "") for piece in ("k", "token ", "token=", "://:", "eyJ", BEGIN, "password: \\", "sk-", "a_")),
        ("A", END),
    ],
)
def test_no_text_makes_it_slow(piece, end):
    """A hostile text that is twice as long takes twice the time, not four times."""
    times = 50_000 // len(piece)
    assert growth(mask, piece * times + end, piece * times * 2 + end) < 3


def masked(event):
    return masking.masked([event])[0]


def message(channel, text, **extra):
    return Message("k", 1, channel, Grade.PROVED, text, Source(0, 1), extra=extra)


@pytest.mark.parametrize("channel", sorted({*MEMO_CHANNELS, Channel.HUMAN_SHELL, Channel.UNATTRIBUTED}))
def test_the_persons_words_are_never_touched(channel):
    """What a person said, or may have said, stands byte for byte; the agent's question beside it is masked."""
    found = masked(message(channel, f"use API_KEY={R}", question=f"Is API_KEY={R} right?"))
    assert found.text == f"use API_KEY={R}"
    assert R not in found.extra["question"]


@pytest.mark.parametrize("channel", sorted(set(Channel) - MEMO_CHANNELS - {Channel.HUMAN_SHELL, Channel.UNATTRIBUTED}))
def test_everything_else_is_masked(channel):
    """Agents, tools, the client and background jobs leave no secret."""
    assert R not in masked(message(channel, f"use API_KEY={R}")).text


def test_a_tool_call_is_masked_in_all_its_parts():
    """Command, edited text at any depth, and result."""
    secret = f"API_KEY={R}"
    detail = {"old": secret, "exit": 0, "items": [{"text": secret}], "on": True}
    found = masked(Operation("c", Kind.COMMAND, "Bash", 1, State.DONE, secret, detail, secret))
    assert R not in repr(found)
    assert (found.detail["exit"], found.detail["on"], found.call) == (0, True, "c")


def test_what_holds_no_text_passes_as_it_is():
    """A title is masked; facts, marks and counts are not."""
    assert R not in masked(Facts(title=f"API_KEY={R}")).title
    events = [
        Facts(cwd="/x"),
        Amend("k"),
        Rewind(()),
        Usage("u", 1, 2),
        Compaction("c", 1, "auto"),
        Receipt(1, 2, 1, 1, "ABC123"),
        Gap("torn"),
        TurnEnd(1),
    ]
    assert masking.masked(events) == events


def test_among_many_events_only_what_holds_a_secret_changes():
    """Each event is masked as if it were alone, whatever stands before and after it; the others are the same objects."""
    around = [message(Channel.TOOL_RESULT, text) for text in ("token=", R, "the --token", "x" * 70_000, "ĝ→\ud83d", "")]
    around += [message(Channel.AGENT_TEXT, str(number)) for number in range(200)]
    secret = message(Channel.AGENT_TEXT, f"use API_KEY={R}", note=f"API_KEY={R}")
    said = message(Channel.HUMAN_TYPED, f"use API_KEY={R}")
    call = Operation("c", Kind.COMMAND, "Bash", 1, State.RUNNING, secret.text, {"items": [{"text": secret.text}]})
    events = [*around, secret, said, *around, call, TurnEnd(1), *around]
    found = masking.masked(events)
    assert [masked(event) for event in events] == found
    changed = [number for number, event in enumerate(events) if found[number] is not event]
    assert changed == [events.index(secret), events.index(call)]


def test_the_persons_words_stay_where_a_call_has_the_same_text():
    """An answer is an entry of the person's and stands in the question's result; there it is masked."""
    words = f"use API_KEY={R}"
    call = Operation("c", Kind.ASK, "AskUserQuestion", 1, State.DONE, result=words)
    said, asked = masking.masked([message(Channel.HUMAN_ANSWER, words, question=words), call])
    assert (said.text, R in said.extra["question"], R in asked.result) == (words, False, False)


def test_half_a_character_does_not_hide_a_secret():
    """Nor does it raise: where the text has it, it stays."""
    assert mask(f"\ud83d API_KEY={R}") == f"\ud83d {mask(f'API_KEY={R}')}"


@pytest.mark.parametrize("before", [*range(65_510, 65_540), 131_060])
def test_a_secret_is_found_wherever_it_stands_in_a_long_text(before):
    """A text is looked through window by window, and a name may stand on the border."""
    text = f"{'word ' * (before // 5)}{'x' * (before % 5)} API_KEY={R} and on"
    assert mask(text).endswith(f" API_KEY={mask(f'API_KEY={R}').partition('=')[2]} and on")
    assert R not in mask(text)
