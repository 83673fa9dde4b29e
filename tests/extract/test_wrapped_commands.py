"""What only wraps a command, and lines that come to a shell or a database by another way than as an argument."""

import time

import pytest
from journalled import told

from memd.extract import shell, wrapped

WRAPPED = """
    sudo -u x --
    sudo -p 'a word: ' -E
    /usr/bin/sudo --user x
    env -i A=1 PATH="a b"
    env -u A --unset B
    nohup
    setsid -f
    time -p
    /usr/bin/time -o log -v
    nice -10
    ionice -c 3 -n 7
    stdbuf -o L
    timeout -k 5 --foreground 10s
    timeout --signal KILL 5
    flock -n 9
    flock -w 5 -E 3 /run/lock
    chrt -i 0
    taskset -c 0
    numactl -N 0 --membind 1
    caffeinate -i
    unshare -r
    setpriv --reuid 1000 --clear-groups
    fakeroot
    chronic
    busybox
    strace -f -o out -e trace=file
    systemd-run --user --scope -p MemoryMax=1G
    xvfb-run -a -s '-screen 0 1x1x8'
    sudo -E nice -n 5 env X=1 timeout 9
"""


@pytest.mark.parametrize("before", [line.strip() for line in WRAPPED.strip().splitlines()])
def test_a_wrapped_command_is_one_like_any_other(before):
    """With the wrapper's own options, and those that take a word."""
    assert told(f"{before} rm -rf /srv/y") == ["!delete /srv/y"]
    assert shell.tests(f"{before} pytest -q") == "pytest -q"


@pytest.mark.parametrize("command", ["command -v rm", "sudo -l", "env", "time", "runuser deploy -c x", "nicest x"])
def test_what_runs_nothing_is_left_as_it_is(command):
    assert told(command) == []
    assert wrapped.unwrapped(f"{command} x") in {f"{command} x", "x"}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("flock /run/lock -c 'rm -rf /srv/y; git push'", ["!delete /srv/y", "!command git push"]),
        ("flock -n -c 'git push' /run/lock", ["!command git push"]),
        ("flock /run/lock git -c a.b=1 commit -m x", ["commit git -c a.b=1 commit -m x"]),
        ("script -qc 'git push' log", ["!command git push"]),
        ("env -S 'A=1 rm -rf /srv/y'", ["!delete /srv/y"]),
        ("env -C /srv rm -rf y", ["!delete /srv/y"]),
        ("env -i --chdir=/srv A=1 rm -rf 'y z'", ["!delete /srv/y z"]),
        ("sudo -nu x --chdir /srv rm -rf y", ["!delete /srv/y"]),
        ("sudo -D /srv -E A=1 rm -rf y", ["!delete /srv/y"]),
        ("sudo -uDave git push", ["!command git push"]),
        ("systemd-run --user -p A=b --working-directory=/srv rm -rf y", ["!delete /srv/y"]),
        ("bash <<< 'rm -rf /srv/y'", ["!delete /srv/y"]),
        ("grep -c '<<< x' a; bash <<<'git push'", ["!command git push"]),
        ("psql app <<< 'drop table x'", ["!command psql app <<< drop table x"]),
        ("psql app <<< 'select 1'", []),
        ("sh <<<make\ngit push", ["!command git push"]),
        ("cat <<'EOF' | bash\nrm -rf /srv/y\nEOF", ["!delete /srv/y"]),
        ("cat <<EOF | psql app\ndrop table x;\nEOF", ["!command cat <<EOF | psql app drop table x;"]),
        ("cat <<EOF | ssh host bash\nrm -rf /srv/y\nEOF", ["!command cat <<EOF | ssh host bash rm -rf /srv/y"]),
        ("cat > fix.sql <<EOF\ndrop table x;\nEOF", ["create /srv/work/fix.sql"]),
        ("bash -c \"bash -c 'rm -rf /srv/y'\"", ["!delete /srv/y"]),
        ('powershell -NoProfile "Remove-Item -Recurse x"', ["!command Remove-Item -Recurse x"]),
        ('powershell -File "C:/a b/Remove-Item x"', []),
    ],
)
def test_a_line_that_comes_by_another_way(command, expected):
    """As an option's word, as a here-string, from a `cat` before it: what it does is told as if it had been typed."""
    assert told(command) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("psql -c 'select $$ drop table x $$'", False),
        ("psql -c 'select $a$ drop table x $a$; delete from y'", True),
        ("psql <<'SQL'\nDO $$ BEGIN delete from x; END $$;\nSQL", True),
        ("psql <<'SQL'\nDO LANGUAGE plpgsql $x$ BEGIN raise notice 'drop table y'; END $x$;\nSQL", False),
        ('psql -c "do \\$\\$ begin drop table x; end \\$\\$"', True),
        ("mysql -e 'select \"drop table x; delete from y\"'", False),
        ('mysql -e "select 1 from `drop table x`"', False),
        ("psql -c 'drop table \"x\"'", True),
        ("psql -c 'update \"user\" set a = 1'", True),
    ],
)
def test_sql_between_dollars_and_in_quotation_marks(command, expected):
    """A literal, or a name; what `do` runs is run."""
    assert [one.partition(" ")[0].strip("!") for one in told(command)] == ["command"] * expected


def test_do_inside_of_do_is_not_looked_into_for_ever():
    """Three bodies deep; in SQL itself there is one."""
    marks = [f"$a{number}$" for number in range(400)]
    line = "".join(f"do {mark} " for mark in marks) + "drop table x " + " ".join(reversed(marks))
    assert told(f"psql -c '{line}'") == []
    assert told("psql -c 'do $a$ do $b$ drop table x $b$ $a$'") != []


@pytest.mark.parametrize(
    "line",
    [
        "xargs " * 4_000,
        "find . -exec " * 1_000,
        "".join(f"ssh h bash <<A{number}\n" for number in range(600)),
        "make " + "2>&1 " * 20_000 + "x",
        "make" + " }" * 40_000 + "x",
        "make" + ")" * 60_000,
        "make" + " " * 60_000 + "x",
        "cat <<A\n" + "\n" * 40_000 + "x",
        "<<A " * 30_000,
        "psql -c '" + "-- a\n" * 12_000 + "'",
        "node -e " + "fetch( " * 8_000,
        "python -c " + "urlopen( " * 6_000,
        "python " + "deploy_" * 6_000 + "!",
        "nix shell " + "a#b " * 20_000,
    ],
    ids=lambda line: line[:12],
)
def test_a_long_line_takes_no_longer_than_its_length_wants(line):
    """Each of these took the square of its length, or one function in another for each word: seconds, or a defect."""
    began = time.process_time()
    told(line)
    assert time.process_time() - began < 1


def test_a_function_that_deletes_deletes_nothing_when_it_is_made():
    line = "psql <<'SQL'\ncreate function f() returns void as $$ begin delete from x; end $$ language plpgsql;\nSQL"
    assert [one.partition(" ")[0] for one in told(line)] == ["command"]
