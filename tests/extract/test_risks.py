"""Operations that are hard to take back are known by the shape of their commands."""

import pytest

from memd.extract import risks


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf build",
        "git rm -r src",
        "find . -name '*.bak' -exec rm {} +",
        "ls | xargs rm -rf",
        "bash -c 'rm -rf /srv/x'",
        "rsync -a --delete a/ b/",
        "truncate -s 0 orders.csv",
        "git push --force origin main",
        "git filter-branch --all",
        "git stash clear",
        "gh repo delete o/r",
        "python manage.py flush",
        "alembic downgrade -1",
        "psql -c 'DROP TABLE invoices'",
        "psql <<EOF\nDELETE FROM invoices;\nEOF",
        "mongosh --eval 'db.dropDatabase()'",
        "terraform destroy",
        "make deploy",
        "npm publish",
        "cd app && sudo twine upload dist/*",
    ],
)
def test_mass_deletes_migrations_pushes_deployments_drops_and_publishing(command):
    """Each is one, behind `cd` and `sudo` too."""
    assert len(risks.high(command)) == 1


@pytest.mark.parametrize(
    "command",
    ["rm notes.txt", "git status", "psql -c 'SELECT 1'", "psql <<EOF\nSELECT 1;\nEOF", "grep -r drop src", "ls"],
)
def test_what_is_easily_taken_back_or_only_looks_is_none(command):
    """Advice that comes with everything is read by nobody."""
    assert risks.high(command) == []


def test_the_words_of_a_here_document_name_what_it_is_about():
    """A rule may name the table that stands only there."""
    (part,) = risks.high("psql <<EOF\nDROP TABLE invoices;\nEOF")
    assert {"drop", "invoices"} <= risks.named(part)


def test_people_list_others():
    """Beginnings of commands, in addition to those that are known."""
    assert risks.high("ctl beamline on && ls", ["ctl beamline"]) == ["ctl beamline on"]


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("psql -c 'truncate billing.invoices'", "billing"),
        ("psql -c 'drop table if exists public.orders'", "orders"),
        ("mongosh --eval 'db.orders.drop()'", "orders"),
        ("rm -rf user-data/cache", "user-data"),
        ("aws s3 rm s3://acme-backups/2026/x --recursive", "acme-backups"),
        ("python manage.py migrate", "migrations"),
        ("git push --force", "forced"),
    ],
)
def test_a_rule_may_name_what_something_lies_in_or_the_verb_in_another_form(command, word):
    """A table by itself, a schema, a folder, a bucket; nobody writes rules in the words of a shell."""
    (part,) = risks.high(command)
    assert word in risks.named(part)


def test_a_changed_file_is_named_by_a_folder_only_where_that_is_written_as_one():
    """`data/` in a rule is the folder; the word `data` stands in many a rule that is about something else."""
    assert risks.placed("data/raw/a.csv") == {"data/raw/a.csv", "a.csv", "data/", "data/raw/"}
