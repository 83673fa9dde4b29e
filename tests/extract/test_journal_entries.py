"""What the journal says of a call: only what is known to have happened, key by key, and no secret."""

import pytest
from factories import done

from memd.extract.journal import Whose, entries
from memd.model import Kind, State
from memd.tools.fields import short

ROOT = "/srv/w/"


def whose(**fields):
    relate = lambda path: path.removeprefix(ROOT)  # noqa: E731 - what a project would do
    return Whose(**{"session": "claude-code:one", "cwd": "/srv/w", "relate": relate} | fields)


def told(call, **fields):
    return [(e.op.value, e.target, e.old, e.new) for e in entries(call, whose(**fields))]


def edit(path, old, new, **fields):
    return done(7, Kind.EDIT, ROOT + path, detail={"old": old, "new": new}, **fields)


def run(command, result="", state=State.DONE, code=0):
    return done(7, Kind.COMMAND, command, state, result=result, detail={"exit": code})


@pytest.mark.parametrize(
    ("path", "old", "new", "key", "before", "after"),
    [
        ("a.json", '{"server": {"port": 80}}', '{"server": {"port": 81}}', "server.port", "80", "81"),
        ("a.json", '  "port": 80,\n', '  "port": 81,\n', "port", "80", "81"),
        ("a.json", '"s": {\n  "port": 80,\n  "x"', '"s": {\n  "port": 81,\n  "x"', "s.port", "80", "81"),
        ("a.toml", "[server]\nport = 80", "[server]\nport = 81", "server.port", "80", "81"),
        ("a.toml", 'name = "old"', 'name = "new"', "name", "old", "new"),
        ("a.yaml", "server:\n  port: 80 # http", "server:\n  port: 81", "server.port", "80", "81"),
        ("a.ini", "[db]\nhost = a", "[db]\nhost = b", "db.host", "a", "b"),
        ("a.py", "LIMIT: int = 30  # seconds", "LIMIT: int = 45  # seconds", "LIMIT", "30", "45"),
        ("配置.toml", "größe = 1", "größe = 2", "größe", "1", "2"),
    ],
)
def test_a_value_is_told_by_file_and_key(path, old, new, key, before, after):
    """`file:key` with what was there and what is there since, in each kind of file."""
    assert told(edit(path, old, new)) == [("edit", f"{path}:{key}", before, after)]


def test_each_changed_key_has_its_line_and_an_unchanged_one_none():
    """Several keys in one edit: one line each; a key that came has no value before, one that went none since."""
    call = edit("a.toml", "a = 1\nb = 2\nc = 3", "a = 1\nb = 5\nd = 4")
    assert told(call) == [
        ("edit", "a.toml:b", "2", "5"),
        ("edit", "a.toml:c", "3", None),
        ("edit", "a.toml:d", None, "4"),
    ]


def test_functions_that_come_go_or_are_renamed_are_told_by_name():
    """Where one goes and one with the same body comes, it was renamed."""
    body = "    x = read()\n    y = parse(x)\n    return y\n"
    assert told(edit("m.py", "", f"def load():\n{body}")) == [("create", "m.py:load", None, "load")]
    assert told(edit("m.py", f"def load():\n{body}", "pass")) == [("delete", "m.py:load", "load", None)]
    renamed = edit("m.py", f"def load():\n{body}", f"def load_all():\n{body}")
    assert told(renamed) == [("rename", "m.py:load", "load", "load_all")]
    assert told(edit("m.ts", "", "export const load = async (x: string) => {\n}")) == [
        ("create", "m.ts:load", None, "load")
    ]


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        (
            "F.java",
            "  private int go() {\n    return 1;",
            "  private int stop() {\n    return 1;",
            ("rename", "go", "stop"),
        ),
        ("a.cs", "", "  public async Task<int> Go(int a) {\n", ("create", None, "Go")),
        ("f.c", "int a;\n", "int a;\nstatic void go(int a)\n{\n  helper(a);\n", ("create", None, "go")),
        ("f.cpp", "", "std::string Pool::name() const {\n", ("create", None, "name")),
        ("f.kt", "suspend fun go() = 1\n", "", ("delete", "go", None)),
        ("f.swift", "", "private func go() {\n", ("create", None, "go")),
        ("f.rs", "pub fn go() {}", "pub fn run() {}", ("rename", "go", "run")),
    ],
)
def test_functions_of_other_languages(path, old, new, expected):
    """By the shape of their definitions; a call in their body is none."""
    op, before, after = expected
    assert told(edit(path, old, new)) == [(op, f"{path}:{before or after}", before, after)]


def test_any_other_edit_is_told_by_its_first_lines():
    """The first line that it took out and the first that it put in."""
    assert told(edit("a.md", "one\ntwo\nthree", "one\n2\nthree")) == [("edit", "a.md", "two", "2")]


def test_a_cut_piece_proves_nothing_by_what_it_does_not_show():
    """The reader keeps 2,000 characters: a key behind the cut did not go."""
    old = "\n".join(f"key{n} = {n}" for n in range(400))
    new = old.replace("key3 = 3", "key3 = 33")
    assert told(edit("a.toml", old[:2000], new[:2000])) == [("edit", "a.toml:key3", "3", "33")]
    halves = (short("# x\n" * 497 + f"key = {value}" + "0" * 90) for value in (1, 2))
    assert [entry for entry in told(edit("a.toml", *halves)) if ":" in entry[1]] == []


def test_a_new_file_is_created_and_one_written_over_is_edited():
    """A client that says that there was a file before shows what changed in it."""
    made = done(7, Kind.CREATE, ROOT + "a.toml", detail={"new": "a = 1", "lines": 1})
    over = done(7, Kind.CREATE, ROOT + "a.toml", detail={"new": "a = 2", "old": "a = 1", "existed": True, "lines": 1})
    assert told(made) == [("create", "a.toml", None, "1 line")]
    assert told(over) == [("edit", "a.toml:a", "1", "2")]


def test_a_patch_deletes_and_moves():
    """What a patch says of whole files."""
    gone = done(7, Kind.EDIT, ROOT + "a.py", detail={"old": "x", "new": "", "deleted": True})
    moved = done(7, Kind.EDIT, ROOT + "a.py", detail={"old": "", "new": "", "moved": ROOT + "b.py"})
    assert told(gone) == [("delete", "a.py", None, None)]
    assert told(moved) == [("rename", "a.py", "a.py", "b.py")]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("rm -rf build/ && mv a.py src/", [("delete", "build"), ("rename", "a.py")]),
        ("cd sub && git mv x.py y.py", [("rename", "sub/x.py")]),
        ("cat > conf/new.yaml <<EOF\na: 1\nEOF", [("create", "conf/new.yaml")]),
        ("sed -i 's/a/b/' src/a.py", [("edit", "src/a.py")]),
        ("git add -A && git commit -m 'Say why'", [("commit", "git commit -m 'Say why'")]),
        ("git push origin main", [("command", "git push origin main")]),
        ("pip install requests==2", [("command", "pip install requests==2")]),
        (
            'git commit -m "$(cat <<\'EOF\'\nSay "why"\n\nAt length.\nEOF\n)"',
            [("commit", "git commit -m \"Say 'why'\"")],
        ),
        ("git add a && git commit -F - <<EOF\nSay why\nEOF", [("commit", "git commit -F - <<EOF")]),
        ("cp a.txt src/b.txt build/", [("create", "build/a.txt"), ("create", "build/b.txt")]),
        ("npm ci && uv sync", [("command", "npm ci"), ("command", "uv sync")]),
        ("pip install -r requirements.txt -q", [("command", "pip install -r requirements.txt -q")]),
        ("ssh prod 'systemctl restart app'", [("command", "ssh prod 'systemctl restart app'")]),
        ("ssh -p 22 prod 'tail -5 /var/log/app'; ssh prod ls", []),
        ("./manage.py migrate && pytest -q", [("command", "./manage.py migrate"), ("test", "pytest -q")]),
        ("ls -la; grep x y > /tmp/z; cat a 2>&1", []),
        ("echo 'a > b' | wc -l", []),
    ],
)
def test_a_shell_line_is_told_by_what_it_changes(command, expected):
    """Files made, moved and deleted by their paths, everything else by the simple command; looking around is nothing."""
    assert [(op, target) for op, target, *_ in told(run(command))] == expected


def test_results_are_told_with_exit_status_counts_and_links():
    """The address of a pull request, the counts of a test run, the commit, the failure."""

    def result(*given):
        return [(e.result, e.good, e.exit) for e in entries(run(*given), whose())]

    url = "https://example.org/o/r/pull/7"
    assert result("gh pr create --title x", f"Creating\n{url}\n") == [(f"exit 0: {url}", True, 0)]
    assert result("pytest -q", "F\n2 failed, 10 passed in 3s", State.FAILED, 1) == [
        ("exit 1: 2 failed, 10 passed", False, 1)
    ]
    assert result("git commit -m x", "[main 1a2b3c4] x\n 1 file changed") == [("exit 0: [main 1a2b3c4] x", True, 0)]
    assert result("bun test", " 12 pass\n 1 fail\n", State.FAILED, 1) == [("exit 1: 12 pass, 1 fail", False, 1)]
    both = result("git commit -m x && git push", "[main 1a2b3c4] x\n   1..2  main -> main")
    assert [told for told, *_ in both] == ["exit 0: [main 1a2b3c4] x", "exit 0: 1..2  main -> main".replace("  ", " ")]
    failed = result("git push", "Exit code 128\nfatal: could not read, error", State.FAILED, 128)
    assert failed == [("exit 128: fatal: could not read, error", False, 128)]


def test_a_failed_edit_is_told_as_failed_and_a_refused_one_not_at_all():
    """What the person refused, and what still runs, did not happen."""
    failed = edit("a.toml", "a = 1", "a = 2", state=State.FAILED, result="Error: String not found in file")
    assert [(e.result, e.good) for e in entries(failed, whose())] == [
        ("failed: Error: String not found in file", False)
    ]
    for state in (State.REFUSED, State.RUNNING, State.BACKGROUND):
        assert entries(edit("a.toml", "a = 1", "a = 2", state=state), whose()) == ()


def test_secrets_and_values_of_env_files_are_hashes():
    """Whatever the value looks like; the name stays."""
    lines = [
        *entries(edit(".env", "DB_PASSWORD=swordfish\nMODE=dev", "DB_PASSWORD=tuna\nMODE=prod"), whose()),
        *entries(run("echo DB_PASSWORD=halibut >> .env"), whose()),
        *entries(run("curl -X POST -H 'Authorization: Bearer q9ZkP2vX7rLmq9ZkP2vX7rLm' https://a.example"), whose()),
    ]
    text = "".join(entry.line() for entry in lines)
    assert [entry.target for entry in lines[:2]] == [".env:DB_PASSWORD", ".env:MODE"]
    assert lines[0].new.startswith("sha256:")
    for word in ("swordfish", "tuna", "dev", "prod", "halibut", "q9ZkP2vX7rLm"):
        assert word not in text


def test_control_characters_and_line_ends_are_inert():
    """Nothing in a path or a value can end the line or act on a terminal."""
    (entry,) = entries(edit("a\x1b[31m\nb.md", "x", "y\x07"), whose())
    assert entry.line().count("\n") == 1
    assert not set(entry.line()) & {"\x1b", "\x07", "\r"}


def test_the_line_on_disk_is_pinned():
    """Field by field, in this order; `agent` and `exit` only where they say something."""
    (entry,) = entries(edit("a.toml", "a = 1", "a = 2"), whose(agent="a1"))
    assert entry.line() == (
        '{"ts":"2026-11-29T23:25:59.654Z","op":"edit","target":"a.toml:a","from":"1","to":"2","result":"done",'
        '"session":"claude-code:one","number":7,"agent":"a1"}\n'
    )


def test_a_cd_ends_with_the_shell_that_it_stands_in():
    """In brackets, or in a line that another shell is handed, it leads nobody else astray."""
    assert told(run("(cd web && rm a) && rm b")) == [("delete", "web/a", None, None), ("delete", "b", None, None)]
    assert [target for _, target, *_ in told(run("(cd a; (cd b; rm c); rm d); rm e"))] == ["a/b/c", "a/d", "e"]
    assert [target for _, target, *_ in told(run("bash -lc 'cd web; rm a'; rm b"))] == ["web/a", "b"]


@pytest.mark.parametrize("ahead", ["sudo -n ", "env -u A ", "sudo -u www ", "A=b sudo ", "timeout -k 5 10 ", "sh -c '"])
def test_what_wraps_a_command_does_not_hide_it(ahead):
    """Options of the wrapper are not the command's."""
    assert told(run(f"{ahead}rm a{ahead[-1:].strip()}")) == [("delete", "a", None, None)]


def test_what_leaves_the_index_alone_is_not_deleted():
    """`git rm --cached` keeps the file."""
    assert told(run("git rm -q --cached a && git rm b")) == [("delete", "b", None, None)]


def test_what_stands_for_a_secret_is_part_of_its_word():
    """The blank in it cuts no command and no path in two."""
    secret = "[secret sha256:68917652]"
    assert told(run(f"DB_PASSWORD={secret} npm run migrate")) == [("command", "npm run migrate", None, None)]
    assert told(run(f"rm {secret}.txt")) == [("delete", f"{secret}.txt", None, None)]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mv -t keep a b", [("rename", "a", "a", "keep/a"), ("rename", "b", "b", "keep/b")]),
        ("mv src/a.py lib", [("rename", "src/a.py", "src/a.py", "lib/a.py")]),
        ("mv hosts.bak hosts", [("rename", "hosts.bak", "hosts.bak", "hosts")]),
        ("mv .env env", [("rename", ".env", ".env", "env")]),
        (
            "cd web && mv lib/a.py . && cp ../b ..",
            [("rename", "web/lib/a.py", "web/lib/a.py", "web/a.py"), ("create", "b", None, None)],
        ),
        ("git -C web mv a b", [("rename", "web/a", "web/a", "web/b")]),
        ("git -C web rm a; rm b", [("delete", "web/a", None, None), ("delete", "b", None, None)]),
        ("cd $X && rm a", [("delete", "$X/a", None, None)]),
        ("pushd web; popd; rm a", [("delete", "$OLDPWD/a", None, None)]),
        ("cd -; rm a", [("delete", "$OLDPWD/a", None, None)]),
    ],
)
def test_a_path_is_told_from_where_the_command_works(command, expected):
    """Options that lead elsewhere are followed; a directory that only the shell knows stands as it is written."""
    assert told(run(command)) == expected


@pytest.mark.parametrize("command", ["[[ 3 > 2 ]]", "echo $((1 > 0))", "x=$(( a > b ))", "echo a \\> b"])
def test_a_sign_that_redirects_nothing_makes_no_file(command):
    """A comparison, a calculation, an escaped sign."""
    assert told(run(command)) == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("make 2> err.log", [("create", "err.log")]),
        ("make &> all.log", [("create", "all.log")]),
        ("make &>> all.log", [("edit", "all.log")]),
        ("make 2>>err.log >out.log 2>&1", [("edit", "err.log"), ("create", "out.log")]),
        ("sort a >| 'b c'", [("create", "b c")]),
        ("make >/dev/null 2>&1; make 2>/dev/null", []),
        ("shred -n 3 -u key.pem", [("delete", "key.pem")]),
        ("shred disk.img", [("edit", "disk.img")]),
        ("truncate -s 0 app.log", [("edit", "app.log")]),
        ("dd if=/dev/zero of=disk.img bs=1M", [("create", "disk.img")]),
        ("sudo dd if=a.iso of=/dev/sdb", [("create", "/dev/sdb")]),
        ("echo x | sudo tee conf/a.ini >/dev/null", [("create", "conf/a.ini")]),
        ("echo x | tee -a notes.md", [("edit", "notes.md")]),
        ("sed -Ei.bak -e 's/a/b/' -e 's/c/d/' a.py b.py", [("edit", "a.py"), ("edit", "b.py")]),
        ("sed --in-place 's/a/b/' a.py", [("edit", "a.py")]),
        ("sed -n 's/a/b/p' a.py", []),
        ("perl -0pi -e 's/a/b/' a.py", [("edit", "a.py")]),
        ("gofmt -w a.go", [("edit", "a.go")]),
        ("find . -name '*.py' -exec sed -i s/a/b/ {} +", [("command", "find . -name '*.py' -exec sed -i s/a/b/ {} +")]),
        ("git ls-files -o | xargs rm -f", [("command", "git ls-files -o | xargs rm -f")]),
        ("ssh prod 'cat > /etc/app.ini' < a.ini", [("command", "ssh prod 'cat > /etc/app.ini' < a.ini")]),
        ("bash -c 'cd web && rm a.py' | cat", [("delete", "web/a.py")]),
        ("bash <<'EOF'\ncd web\nrm a.py\nEOF", [("delete", "web/a.py")]),
        ("psql <<EOF\n-- paid\nDELETE FROM invoices;\nEOF", [("command", "psql <<EOF -- paid DELETE FROM invoices;")]),
        (
            "gh pr comment 3 --body \"$(cat <<'EOF'\n## Done\nEOF\n)\"",
            [("command", 'gh pr comment 3 --body "## Done"')],
        ),
        ("kill 41", [("command", "kill 41")]),
        ("rm a.py # git push", [("delete", "a.py")]),
        ("grep -rn 'rm -rf' . | xargs grep -c push", []),
    ],
)
def test_what_cannot_be_undone_has_its_line(command, expected):
    """Every form in which a shell overwrites, deletes or sends: by its path where that is known, else by the command."""
    assert [(op, target) for op, target, *_ in told(run(command))] == expected


@pytest.mark.parametrize(
    ("command", "output", "result"),
    [
        ("git push 2>&1 | tail -3", "error: failed to push some refs", "error: failed to push some refs"),
        ("pytest -q | tail -2", "1 failed, 3 passed in 2s", "1 failed, 3 passed"),
        ("rm a.py || true", "rm: cannot remove 'a.py': No such file", "rm: cannot remove 'a.py': No such file"),
        ("make > no/a; ls", "bash: no/a: No such file or directory", "bash: no/a: No such file or directory"),
        ("test -e a || git push", "", "what stands before it decided whether it ran"),
        ("[ -d a ] && git push; ls", "", "what stands before it decided whether it ran"),
        ("! grep -q x a && cd b && git push; ls", "", "what stands before it decided whether it ran"),
    ],
)
def test_what_may_have_failed_does_not_stand_as_done(command, output, result):
    """The status of a line is its last command's; what another one complains of, or may not have run, is no deed."""
    assert [(entry.result, entry.good) for entry in entries(run(command, output), whose())] == [
        (f"exit 0 (of the whole line): {result}", False)
    ]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("git push 2>&1 | tail -3", "main -> main"),
        ("rm a.py && git push", "error: something that git push says with a status of its own"),
        ("rm a.py; make", "make: *** error: no rule"),
        ("pytest | tail -1", "0 failed, 3 passed"),
    ],
)
def test_what_nothing_complains_of_stands_as_done(command, output):
    """Another command's complaint is not one's own."""
    assert all(entry.good for entry in entries(run(command, output), whose()))


def test_a_commit_stands_where_what_came_behind_it_failed():
    """Git's own line is evidence enough."""
    committed, pushed = entries(
        run("git commit -m x && git push", "[main 1a2b3c4] x\nerror: rejected", State.FAILED, 1), whose()
    )
    assert (committed.good, committed.result) == (True, "exit 1 (of the whole line): [main 1a2b3c4] x")
    assert (pushed.good, pushed.result) == (False, "exit 1 (of the whole line): error: rejected")


SERVERS = '{\n  "web": {\n    "port": 80\n  },\n  "db": {\n    "port": 5432\n  }\n}\n'
TABLES = "[web]\nport = 80\n\n[db]\nport = 5432\n"


@pytest.mark.parametrize(
    ("path", "file", "old", "new", "expected"),
    [
        ("a.json", SERVERS, '"port": 5432', '"port": 5433', [("db.port", "5432", "5433")]),
        ("a.json", SERVERS, "5432", "5433", [("db.port", "5432", "5433")]),
        ("a.jsonc", "// theirs\n" + SERVERS, "5432", "5433", [("db.port", "5432", "5433")]),
        ("a.toml", TABLES, "port = 5432", "port = 5433", [("db.port", "5432", "5433")]),
        (
            "a.yaml",
            "web:\n  port: 80\ndb:\n  port: 5432\n",
            "  port: 5432",
            "  port: 5433",
            [("db.port", "5432", "5433")],
        ),
        ("a.ini", TABLES, "port = 5432\n", "port = 5432\nuser = me\n", [("db.user", None, "me")]),
    ],
)
def test_a_short_edit_is_told_by_the_keys_around_it_in_the_file(path, file, old, new, expected):
    """The fragment shows the last key, or none: the file has it in one place, before the edit as well as since."""
    calls = (edit(path, old, new), {path: file}), (edit(path, old, new), {path: file.replace(old, new)})
    for call, files in calls:
        assert told(call, text=files.get) == [("edit", f"{path}:{key}", *values) for key, *values in expected]


def test_a_short_edit_whose_place_is_not_to_be_seen_is_told_by_what_it_shows():
    """The file has it twice, has changed since, is gone, or is too long: nothing is guessed."""
    for file in (SERVERS + SERVERS, "{}", None, SERVERS + " " * 100_001):
        assert told(edit("a.json", '"port": 5432', '"port": 5433'), text=lambda _, file=file: file) == [
            ("edit", "a.json:port", "5432", "5433")
        ]
