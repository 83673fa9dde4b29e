"""Deeds that cannot be taken back in spellings beyond the common ones: other hosts, migrators, stores, wrappers, requests."""

import pytest

from memd.extract import effects


@pytest.mark.parametrize(
    "command",
    [
        "git lfs push origin main",
        "git subtree push --prefix d origin gh-pages",
        "git send-email --to a@b.c 0001.patch",
        "jj git push",
        "hg push",
        "p4 submit",
        "yarn npm publish",
        "mvn -B release:perform",
        "dotnet nuget push a.nupkg",
        "mix ecto.migrate",
        "npx typeorm migration:run",
        "npx sequelize-cli db:migrate",
        "diesel migration run",
        "goose -dir m postgres 'x' up",
        "liquibase update",
        "bundle exec fastlane ios release",
        "skopeo copy docker://a docker://b",
        "npx gh-pages -d dist",
        "vault kv put secret/x a=b",
        "argocd app sync x",
        "forge script x --broadcast",
        "http api.x.com/v1/pay amount=3",
        "http --timeout=3 -f api.x.com/v1/pay amount=3",
        "dvc push",
        "hf upload a b",
        "arc land",
        "python send_mail.py",
        "node scripts/charge-customers.js",
        "python -c \"import requests; requests.post('https://api.x.com/v1/charges')\"",
        "aws-vault exec prod -- terraform apply",
        "doppler run -- npm run deploy",
        "heroku run rails db:migrate",
        "fly ssh console -C 'rails db:migrate'",
        "tmux send-keys -t 0 'git push' Enter",
    ],
)
def test_a_deed_in_another_spelling_is_told_whole(command):
    """What runs it in another account, host or window is told with it."""
    assert len(effects.lasting(command)) == 1
    told = effects.lasting(command)[0]
    assert command.endswith(told)


def test_a_program_handed_by_here_document_sends_a_request():
    """The request stands in the document, not in the line."""
    command = (
        "python3 - <<'EOF'\nimport requests\nrequests.post('https://api.x.com/v1/charges', data={'amount': 4200})\nEOF"
    )
    assert len(effects.lasting(command)) == 1


@pytest.mark.parametrize(
    "command",
    [
        "direnv exec . git push",
        "nix develop -c git push",
        "nix develop --impure .#ci -c git push",
        "nix shell nixpkgs#git nixpkgs#gnupg --command git push",
        "asdf exec git push",
    ],
)
def test_what_only_sets_the_surroundings_is_left_out(command):
    """The same directory and machine: the command is one like any other."""
    assert effects.lasting(command) == ("git push",)


@pytest.mark.parametrize(
    "command",
    [
        "cp -r build push",
        "man push",
        "http GET https://x.com a==1",
        "http https://x.com/a?b=1",
        "http localhost:8000/health --timeout=3",
        "http --form get localhost:8000/search text=x",
        "git send-email --dry-run 0001.patch",
        "pytest migrate",
        "ruff check deploy",
        "jq . push",
        "du -sh push",
        "hg status",
        "vault read secret/x",
        "typeorm migration:generate",
        "npx typeorm migration:show",
        "liquibase status",
        "mkdocs build",
        "heroku run bash",
        "tmux send-keys -t 0 'ls' Enter",
        "tmux new-session -d -s x 'npm run dev'",
        "doppler run -- npm test",
        "python -c \"import requests; print(requests.get('http://x').text)\"",
        "pytest tests/test_send_mail.py",
        "bash resend-x.sh",
        "git subtree pull",
        "dvc pull",
    ],
)
def test_what_only_looks_or_names_it_is_none(command):
    """Nor is what brings something here."""
    assert effects.lasting(command) == ()
