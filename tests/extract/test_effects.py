"""What shell lines change: by a table of verbs, in whatever a command is wrapped, and never by words that are only named."""

import pytest

from memd.extract import effects

COMMIT = "git commit -m \"$(cat <<'EOF'\nMake git push && rm -rf / safe\n\nEOF\n)\" && git push"


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("git push", ["git push"]),
        ("cd /x && git push 2>&1 | tail -3", ["git push"]),
        ("git -C /a commit -m x", ["git -C /a commit -m x"]),
        ("FOO=1 sudo timeout 9 ./deploy.sh prod", ["./deploy.sh prod"]),
        ("gh pr create --title 'a; b'", ["gh pr create --title 'a; b'"]),
        ("npm install left-pad", ["npm install left-pad"]),
        ("npm run migrate:up", ["npm run migrate:up"]),
        ("curl -s https://x/y -d '{}'", ["curl -s https://x/y -d '{}'"]),
        ("rm -rf build; mv a b", ["rm -rf build", "mv a b"]),
        (COMMIT, ['git commit -m "$(cat <<EOF )"', "git push"]),
        ("kubectl apply -f x.yaml", ["kubectl apply -f x.yaml"]),
    ],
)
def test_what_changes_something_is_found(command, found):
    """Each simple command for itself, without what only wraps it."""
    assert list(effects.lasting(command)) == found


@pytest.mark.parametrize(
    "command",
    [
        "echo 'git push; rm -rf /'",
        'grep -rn "npm publish" docs',
        "cat deploy.sh release.md",
        "git log --grep=merge",
        "git stash list && git tag -l && git worktree list",
        "mkdir -p a && cp b c && chmod +x c",
        "npm install",
        "rm -f /tmp/x",
        "python3 - <<'EOF'\nimport os\ngit push\nEOF",
        "curl https://x/y",
        "vim release.py",
        "# git push",
        "",
    ],
)
def test_what_only_names_an_effect_is_none(command):
    """Words inside quotes, arguments, comments and here-documents do nothing; nor does what can be done again freely."""
    assert effects.lasting(command) == ()


@pytest.mark.parametrize(
    "command",
    [
        "git apply fix.patch",
        "git am < fix.mbox",
        "git stash drop",
        "git worktree remove ../old",
        "git checkout -- src/a.py",
        "git checkout HEAD~1 -- src",
        "git checkout src/a.py",
        "git restore src/a.py",
        "git clean -fdx",
        "git branch -D old",
        "git tag -d v1",
        "git push origin --delete old",
        "git rebase main",
        "git reset --hard HEAD~1",
        "git -C web push --force",
        "find . -name '*.pyc' -delete",
        "curl -sXDELETE https://x/y",
        "curl --request PUT https://x/y",
        "gh pr merge 7 --squash",
        "gh release create v1",
        "gh issue close 3",
        "gh api repos/o/r/pulls/1/comments -f body=x",
        "gh api graphql -f query='mutation { closeIssue }'",
        "npm publish --access public",
        "python3 -m twine upload dist/*",
        "cargo publish",
        "docker push r/i:1",
        "docker volume rm data",
        "docker system prune -af",
        "docker --context prod rm web",
        "kubectl -n prod delete pod web",
        "terraform -chdir=infra destroy -auto-approve",
        "aws --profile p s3 rm s3://b/k",
        "aws s3 sync --delete a s3://b",
        "psql -c 'delete from invoices'",
        "psql prod <<EOF\nUPDATE invoices SET paid = true;\nEOF",
        "psql -f schema.sql",
        "redis-cli -h cache FLUSHALL",
        "systemctl restart app",
        "crontab jobs.txt",
        "rsync -a --delete a/ b/",
        "uv run alembic upgrade head",
        "npx prisma migrate deploy",
        "bundle exec rails db:migrate",
        "./scripts/deploy.sh prod",
        "python3.11 scripts/release.py",
        "bd close av-12 --reason done",
        "npm install -D typescript",
        "npm i react",
        "apt-get install -y jq",
        "uv add --dev ruff",
        "supabase db push",
        "flask db upgrade",
        "sqlite3 app.db < schema.sql",
        "ansible-playbook site.yml",
    ],
)
def test_verbs_of_the_table(command):
    """Each is known by its program, its options before the verb and whatever runs it left aside."""
    assert list(effects.lasting(command)) == [command.partition("\n")[0].replace("<<EOF", "<<EOF")]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("env X=1 sudo -u app kubectl delete pod a", ["kubectl delete pod a"]),
        ("(cd web && git push) || exit 1", ["git push"]),
        ("if true; then git push; fi", ["git push"]),
        ("for r in a b; do git -C $r push; done", ["git -C $r push"]),
        ("bash -euo pipefail -c 'cd web\ngit push' 2>&1 | tail -2", ["git push"]),
        ('bash -c "git commit -m \\"a; b\\" && git push"', ['git commit -m "a; b"', "git push"]),
        ("sh -c 'bash -c \"git push\"'", ["git push"]),
        ("eval 'git push'", ["git push"]),
        ("url=$(gh pr create --fill) && echo $url", ["gh pr create --fill"]),
        ('out="$(cd web && git push 2>&1 | tail -1)"; echo "$out"', ["git push"]),
        ("id=$(docker rm web)", ["docker rm web"]),
        ("at=`git push`", ["git push"]),
        ("AT=$(date +%s) B='a b' npm publish", ["npm publish"]),
        ("bash <<'EOF'\n# it's a comment; git tag v1\ngit push\nEOF", ["git push"]),
        ("ls | xargs -n 1 -I{} rm {}", ["ls | xargs -n 1 -I{} rm {}"]),
        (
            "find . -name '*.o' -exec grep -q x {} \\; -exec rm {} +",
            ["find . -name '*.o' -exec grep -q x {} \\; -exec rm {} +"],
        ),
        ("parallel -j 4 rm ::: a b", ["parallel -j 4 rm ::: a b"]),
        ("ssh -p 22 prod 'cd /srv && ./restart.sh'", ["ssh -p 22 prod 'cd /srv && ./restart.sh'"]),
        ("ssh prod <<EOF\nsystemctl restart app\nEOF", ["ssh prod <<EOF"]),
        ("docker exec -u root db psql -c 'DROP TABLE t'", ["docker exec -u root db psql -c 'DROP TABLE t'"]),
        ("kubectl exec -it web -- rm -r /data", ["kubectl exec -it web -- rm -r /data"]),
        ("/usr/bin/git push; \\rm a", ["/usr/bin/git push", "\\rm a"]),
    ],
)
def test_nothing_that_is_wrapped_around_a_verb_hides_it(command, found):
    """Shells, other machines, containers and what hands files on; a program that works on what it is handed is told whole."""
    assert list(effects.lasting(command)) == found


@pytest.mark.parametrize(
    "command",
    [
        'git commit -m "rm -rf /; git push --force" --dry-run',
        "grep -rn 'terraform destroy' docs | xargs grep -l 'rm -rf'",
        "rg 'DELETE FROM' src",
        "git merge-base main HEAD",
        "git apply --check fix.patch",
        "git clean -nd",
        "git restore --staged a.py",
        "git checkout main",
        "git branch --list",
        "git stash show -p",
        "psql -c \"select 'created' from t where deleted\"",
        "psql -l",
        "redis-cli get setting",
        "kubectl rollout status deploy/web",
        "kubectl get pods -n delete",
        "docker ps && docker compose ls",
        "docker exec db psql -c 'select 1'",
        "ssh prod 'uptime; docker ps | grep web'",
        "aws s3 ls",
        "curl -G -d q=1 https://x/y",
        "gh api -X GET search/issues -f q=x",
        "gh api repos/o/r/pulls",
        "npm publish --dry-run",
        "terraform plan",
        "crontab -l",
        "find . -exec grep -l x {} +",
        "find /tmp/x -delete",
        "npm run create-index-page -- --help",
        "bd create --help",
        "kill -0 12",
        "echo done # git push",
        "cat release.md deploy.sh",
        "echo $((1<<3))\ngit status",
        "body=$(cat <<'EOF'\ngit push\nEOF\n)",
        "n=$(grep -c rm a.py); file=$(which rm)",
        "docker compose run --rm web pytest",
        "docker logs stop-service",
        "npx prisma migrate status",
        "npm run db:migrate:status",
        "npm run release-notes",
        "npm install > /tmp/log 2>&1",
        "make -n deploy",
        "bash -n deploy.sh",
        "ssh -i key prod << 'EOF'\ncd /srv\nls\nEOF",
        "npx knex migrate:list; php artisan make:migration x",
        "python tests/test_migrate.py",
        "gcloud run services list --filter='deploy'",
        "vercel ls --prod",
        "ansible-playbook site.yml --check",
    ],
)
def test_what_only_looks_or_only_says_so_is_no_effect(command):
    """A verb in a message, a pattern or a comment does nothing; nor does what asks, lists or tries without doing it."""
    assert effects.lasting(command) == ()


@pytest.mark.parametrize(
    "command",
    ["npm install", "uv sync", "kill 12", "docker compose restart web", "git rebase --abort", "tmux kill-session -t a"],
)
def test_what_is_done_again_freely_is_known_apart(command):
    """It changes something, and doing it twice harms nothing."""
    assert effects.repeated(command)
    assert effects.lasting(command) == ()


@pytest.mark.parametrize(
    "command",
    [
        "ssh prod <<EOF\nrm -rf /srv/x\nEOF",
        "ssh prod bash -s <<'EOF'\nrm -rf /srv/x\nEOF",
        "docker exec -i db psql -U app <<SQL\nDROP TABLE invoices;\nSQL",
    ],
)
def test_what_a_program_elsewhere_is_given_to_read_is_looked_at(command):
    """A here-document goes to the command that runs there."""
    (deed,) = effects.deeds(command)
    assert (deed.text, deed.hard) == (command.partition("\n")[0].replace("'", ""), True)
