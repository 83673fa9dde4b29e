"""What a shell line changes by way of another program, user, container or shell, and SQL that only speaks of changes."""

import pytest
from journalled import told


@pytest.mark.parametrize(
    "command",
    [
        "docker run --rm -v $PWD:/w alpine rm -rf /w/build",
        'docker run -e A=1 postgres:16 psql -h db -c "DROP TABLE users"',
        "podman run -v /srv:/srv x rm -r /srv/y",
        "docker compose run --rm web python manage.py migrate",
        "docker exec -it -u root web bash -c 'rm -rf /srv/x && echo ok'",
        "kubectl exec -n prod web-1 -- rm -rf /data",
        "ssh host 'rm -rf /srv/x'",
        "chroot /mnt rm -rf /x",
    ],
)
def test_what_is_done_elsewhere_is_told_by_the_whole_command(command):
    assert told(command) == [f"!command {command}"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("docker run -d --name web nginx", ["command docker run -d --name web nginx"]),
        ("docker run --rm alpine echo hello", []),
        ("docker run -it --rm python:3.12 python -c 'print(1)'", []),
        ("docker run --rm alpine date -d now", []),
        ("docker run --rm -v $PWD:/app node:20 npm test", ["test docker run --rm -v $PWD:/app node:20 npm test"]),
        ("docker exec web npm run build", []),
        ("docker exec web pytest -q", ["test docker exec web pytest -q"]),
    ],
)
def test_a_container_of_its_own_takes_what_is_not_known_with_it(command, expected):
    """One that runs on is an effect; a test run in one is a test run."""
    assert told(command) == expected


@pytest.mark.parametrize(
    "before",
    [
        "sudo -u x",
        "sudo --user x",
        "sudo --user=x",
        "sudo -iu x",
        "sudo -E -u x --",
        "doas -u x",
        "runuser -u x --",
        "flock -w 5 /run/lock",
    ],
)
def test_another_users_command_is_one_like_any_other(before):
    assert told(f"{before} rm -rf /srv/y") == ["!delete /srv/y"]


@pytest.mark.parametrize("shell", ["bash -c", "sh -euxc", "su deploy -c", "runuser deploy -c", "su - deploy --command"])
def test_a_line_that_a_shell_is_handed(shell):
    assert told(f"{shell} 'rm -rf /srv/a; git push'") == ["!delete /srv/a", "!command git push"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("psql -c \"select 'drop table users'\"", False),
        ('psql -c "-- drop table x\nselect 1"', False),
        ('psql -c "-- gone now\ndrop table x"', True),
        ('psql -c "select 1 /* delete from x */"', False),
        ("psql -c \"select * from t where note = 'it''s to insert into x'\"", False),
        ("psql app <<'SQL'\n-- delete from users\nselect * from log where msg like '%drop table x%';\nSQL", False),
        ("psql app <<SQL\nselect 1;\ndrop table users;\nSQL", True),
        ("echo 'delete from t' | psql app", True),
        ("echo 'select 1' | psql app", False),
        ("cat fix.sql | psql app", True),
        ("psql app < fix.sql", True),
        ('psql -c "explain delete from x"', False),
        ('psql -c "explain (analyze) delete from x"', True),
        ('psql -c "create temp table x as select 1"', False),
        ('psql --command="with x as (select 1) delete from t using x"', True),
        ("psql -c'drop table x'", True),
        ('psql -c "select a-b --drop table x"', False),
        ("mysql -e'select 1; drop table x' app", True),
        ("sqlite3 x.db \"select replace(a, 'x', 'y') from t\"", False),
        ('sudo -u postgres psql -c "DROP DATABASE x"', True),
        ("grep -r 'drop table' . && echo 'delete from x'", False),
    ],
)
def test_sql_changes_something_outside_of_literals_and_comments(command, expected):
    """What is planned only, or goes with the connection, changes nothing; what comes through the pipe is what runs."""
    assert [one.partition(" ")[0].strip("!") for one in told(command)] == ["command"] * expected


def test_what_a_pipe_brings_is_told_with_the_pipeline():
    assert told("echo 'delete from t' | psql app") == ["!command echo 'delete from t' | psql app"]
    assert told("echo 'rm -rf /srv/x' | bash") == ["!delete /srv/x"]
    assert told("echo 'git push' | ssh host") == ["!command echo 'git push' | ssh host"]
    assert told("cat build.sh | bash") == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("Remove-Item -Recurse -Force build", ["!command Remove-Item -Recurse -Force build"]),
        ("Remove-Item build -WhatIf", []),
        ("Get-ChildItem *.tmp | Remove-Item", ["!command Get-ChildItem *.tmp | Remove-Item"]),
        ('powershell.exe -Command "Set-Content x.txt hi"', ["command Set-Content x.txt hi"]),
        ("pwsh -c 'Move-Item a b'", ["command Move-Item a b"]),
        ("pwsh -NoProfile -Command Remove-Item -Recurse build", ["!command Remove-Item -Recurse build"]),
        ("cmd.exe /c del /f x.txt", ["!command del /f x.txt"]),
        ('cmd /c "rd /s /q build"', ["!command rd /s /q build"]),
        ("Invoke-RestMethod -Method Post https://x/y", ["command Invoke-RestMethod -Method Post https://x/y"]),
        ("Invoke-RestMethod https://x/y", []),
        ("Get-Content x.txt", []),
    ],
)
def test_powershell_and_cmd_are_told_by_the_command(command, expected):
    """Their paths are another system's."""
    assert told(command) == expected


def test_folders_that_are_made_to_go_are_left_out():
    assert told('rm -rf "$tmpdir" ${TMPDIR}/x $TMP "$templates"') == ["!delete $templates"]
