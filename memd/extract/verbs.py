"""The table of verbs: which simple commands change something that is not freely changed back. Pure.

A row is about programs. Behind the program, and behind options of its own (`kubectl -n prod`), its pattern is what the command
goes on with, so words in an `echo`, a search or a message do nothing. Which rows a command is held against, and what counts of a
program that is not listed, is in `memd/extract/programs.py`; what a program is handed to do somewhere else (`ssh`), or to what
nobody sees (`xargs`), is told by `memd/extract/effects.py`.
"""

import re
from functools import cache

from msgspec import Struct

_OWN = r"(?:-\S+ (?:(?!-)\S+ )?){0,50}?"
"""Options of a program before what it is to do, so many at most; whether one takes a word is not known, so both are tried."""


class Row(Struct, frozen=True):
    """What of some programs changes something.

    Attributes:
        programs: their names, with a blank between; a version at a name's end is left out (`python`, not `python3.11`).
        changes: what they go on with.
        looks: what makes it only look, anywhere outside of quotation marks.
        hard: what of it is hard to take back: the constraints that name its target are told before.
        fed: it works on what comes through a pipe as well, so it is told with the pipeline up to it.
        sql: it is SQL that changes something, without its literals and comments.
        again: it is done again whenever there is a reason to, so that it is no deed that must not be done twice.
    """

    programs: str
    changes: str
    looks: str = ""
    hard: str = ""
    again: bool = False
    fed: bool = False
    sql: bool = False

    def fits(self, rest: str, bare: str) -> bool:
        """Whether a command that goes on so changes something; `bare` is the same without what stands between quotation marks."""
        return _begins(self.changes, rest) and not (self.looks and _compiled(self.looks).search(bare))

    def hard_in(self, rest: str) -> bool:
        """Whether what fits is hard to take back."""
        return bool(self.hard) and _begins(self.hard, rest)


ALL = r".*"
_SENT = r"(?:POST|PUT|PATCH|DELETE)\b"
LAUNCH = (
    r"(?!\S*(?:test_|[_.-](?:test|spec)\b))"  # a test of what does it
    r"\S*(?:deploy|migrat(?:e|ion)|publish|release(?!-?notes)|rollback|(?<![^\W_])(?:send|charge|refund|payout)[_-])[\w-]{0,255}+"
    r"(?:\.(?:sh|py|js|ts|rb))?(?=\s|$)"
)
_CALLS = (
    r".*(?:\b(?:requests|httpx|axios)\.(?:post|put|patch|delete)\(|\bfetch\(.{0,500}\bmethod['\"]?:\s*['\"](?i:post|put|patch|delete)\b"
    r"|\burlopen\(.{0,500}\bdata=|\bsmtplib\.SMTP)"
)
"""A request that sends something, in a program that stands in the command itself."""
_TASK = r"(?:run )?\S*(?:deploy|migrat(?:e|ion)|publish|release(?!-?notes)|db:(?!status|version)\w+)"
_BARE = r"-(?!-(?:prefix|dir|cwd|path|group|extra|only|with|without|registry|git|root|workspace|filter)\b|[rCGtw]\b)\S+"
"""An option of installing that takes no word, as far as is known."""
_NAMED = r"(?!-|[<>&]|\d>)\S"
"""What begins a package's name, and no option and no redirection."""
_NO_TASK = (
    r"make:migration\b|(?:migrat(?:e|ion)s?|db|release)[: ](?:status|list|diff|version|abort_if_pending_migrations)\b"
)
"""Tasks that only tell how things stand."""
_SQL = (
    r"(?i:.*\b(?:insert into|update \S+ set|delete from|truncate (?:table )?\w|replace into|merge into|(?:grant|revoke) \w+ on"
    r"|(?:drop|alter|create) (?:or replace |unique |materialized )*"
    r"(?:table|database|schema|view|index|role|user|type|column|function|trigger|sequence|extension|constraint)\b))"
)
_SQL_HARD = r"(?i:.*\b(?:drop|truncate|delete|alter|remove))"

TABLE = (
    Row("git", r"(?:merge|rebase|revert|cherry-pick|am) (?:--abort|--quit)\b", again=True),
    Row("git", r"(?:commit|merge|rebase|revert|cherry-pick|am|update-ref)(?![\w-])"),
    Row("git", r"(?:push|filter-[\w-]+)\b", looks=r"push (?:\S+ )*-\w*n\w*(?!\S)", hard=ALL),
    Row("git", r"(?:reset|apply)\b", looks=r"--(?:stat|numstat|summary)\b", hard=r"reset .*--hard"),
    Row("git", r"clean\b", looks=r"clean (?:\S+ )*-\w*n\w*(?!\S)", hard=ALL),
    Row("git", r"stash\b", looks=r"stash (?:list|show)", hard=r"stash (?:drop|clear)"),
    Row("git", r"tag (?:-[adfsm]\b|--(?:delete|annotate|force|sign)\b|[^-\s])", hard=r"tag (?:-d|--delete)"),
    Row("git", r"branch (?:-\w*[dDmMCf]|--(?:delete|move|force))\b", hard=r"branch .*(?:-\w*D|--force)\b"),
    Row("git", r"worktree (?:add|remove|move)\b", hard=r"worktree remove .*(?:-f|--force)\b"),
    Row("git", r"remote (?:add|remove|rm|rename|set-url)\b|reflog (?:delete|expire)\b|gc .*--prune", hard=r"reflog|gc"),
    Row("git", r"switch .*(?<!\S)(?:-[cCf]|--(?:create|orphan|discard-changes|force))(?!\S)"),
    Row("git", r"restore .*(?<!\S)(?:--worktree|-\w*W\w*)(?!\S)", hard=r".*(?<!\S)\.(?!\S)"),
    Row("git", r"restore \S", looks=r"restore (?:\S+ )*(?:--staged|-S)(?!\S)", hard=r".*(?<!\S)\.(?!\S)"),
    Row(
        "git",
        r"checkout (?:.*(?<!\S)(?:-[bBf]|--(?:orphan|force)?|\.)(?!\S)|(?:[\w./~^@-]+ )?(?:[\w.-]+/)*[\w-]+\.[a-z]\w{0,4}$)",
        hard=r".*(?<!\S)(?:\.|--|-f|--force)(?!\S)",
    ),
    Row("git", r"rm (?:-\S+ )*-\w*r", hard=ALL),
    Row("git", r"(?:lfs|subtree|annex|svn|p4) (?:push|dcommit|submit)\b|(?:send-email|imap-send)\b", hard=ALL),
    Row("jj hg sl", r"(?:git )?push\b", hard=ALL),
    Row("jj hg sl svn", r"(?:commit|ci)\b"),
    Row("p4", r"submit\b", hard=ALL),
    Row(
        "gh glab",
        r"(?:pr|issue|mr|release|repo|gist|workflow|run|label|secret|variable|project|cache|ruleset)"
        r" (?:create|merge|close|reopen|comment|note|edit|review|delete|run|rerun|upload|ready|cancel|set|remove|transfer|lock"
        r"|unlock|archive|rename|sync|update|approve|revoke|item-\w+)\b",
        hard=r"\w+ delete\b|pr merge\b|release (?:create|upload)\b",
    ),
    Row(
        "gh glab",
        rf"api .*(?:-X|--method)[ =]?{_SENT}|api (?!graphql).*\s(?:-f|-F|--field|--raw-field|--input)(?:\s|=)"
        r"|api graphql .*\bmutation\b",
        looks=r"(?:-X|--method)[ =]?GET\b",
        hard=r"api .*\bDELETE\b",
    ),
    Row(
        "npm pnpm yarn bun pip pipx uv poetry cargo brew apt apt-get dnf gem go",
        rf"(?:pip )?(?:install|add|get) +{_NAMED}",
    ),
    Row("npm pnpm yarn bun uv poetry cargo brew apt apt-get dnf gem", rf"(?:install|i|add)(?: {_BARE})* +{_NAMED}"),
    Row(
        "npm pnpm yarn bun pip pipx uv poetry cargo brew apt apt-get dnf gem",
        r"(?:pip )?(?:remove|rm|uninstall|purge)\s",
    ),
    Row(
        "npm pnpm yarn uv cargo twine gem poetry flit hatch",
        r"(?:npm )?(?:publish|unpublish|deprecate|upload|release|version(?= [\w-])|push|yank|dist-tag (?:add|rm))(?=\s|$)",
        hard=r"(?:npm )?publish|unpublish|upload|push|yank|release",
    ),
    Row(
        "npm pnpm yarn bun make just mise task rake rails prisma knex flask supabase artisan",
        _TASK,
        looks=rf"{_NO_TASK}|^ (?:\S+ )*(?:-n|--just-print)(?!\S)",
        hard=ALL,
    ),
    Row("mvn mvnw", r"(?:.*\s)?(?:deploy|release:\w+)(?=\s|$)", hard=ALL),
    Row("dotnet nuget", r"(?:nuget )?(?:push|delete)\b", hard=ALL),
    Row("mix", r"(?:ecto\.(?:migrate|rollback|drop|reset)|hex\.publish)\b", hard=ALL),
    Row(
        "sequelize sequelize-cli typeorm drizzle-kit",
        r"(?:db:(?!migrate:status)|migration:(?:run|revert)|schema:(?:sync|drop)|push|migrate)",
        hard=ALL,
    ),
    Row(
        "sqlx diesel sea-orm-cli",
        r"(?:migrat(?:e|ion) (?:run|revert|redo|up|down|fresh|refresh|reset)|database (?:drop|reset|setup))\b",
        hard=ALL,
    ),
    Row(
        "goose liquibase",
        r"(?:.*\s)?(?:up|down|redo|reset|update|rollback|drop-all|(?:up|down)-to|up-by-one)(?=\s|$)",
        hard=ALL,
    ),
    Row("fastlane", r"(?:\w+ )?(?:release|beta|deploy|deliver|upload\w*|supply|pilot)(?=\s|$)", hard=ALL),
    Row("skopeo crane oras", r"(?:copy|sync|push|delete)\b", hard=ALL),
    Row("mkdocs mike gh-pages", r"gh-deploy\b|deploy\b|-d\b|--dist\b", hard=ALL),
    Row("vault", r"(?:kv )?(?:put|patch|write|delete|destroy|undelete)\b", hard=r".*(?:delete|destroy)"),
    Row(
        "nomad argocd flux", r"(?:job (?:run|stop)|app (?:sync|delete|rollback)|run|stop|reconcile|delete)\b", hard=ALL
    ),
    Row("bq", r"(?:rm|cp|load|mk|update|insert)\b", hard=r"rm"),
    Row("forge cast", r"script .*--broadcast\b|create\b|send\b|publish\b", hard=ALL),
    Row("supabase prisma flask", r"(?:db (?:push|reset|seed|(?:up|down)grade)|functions deploy)\b", hard=ALL),
    Row("ansible-playbook", r"\S", looks=r"\s(?:--(?:syntax-check|list-\w+)|-C)(?!\S)", hard=ALL),
    Row("php", rf"artisan {_TASK}", looks=_NO_TASK, hard=ALL),
    Row("python bash sh zsh node ruby deno tsx", LAUNCH, looks=r"^ -n ", hard=ALL),
    Row("python node bun deno tsx", _CALLS),
    Row(
        "python",
        r"\S*manage\.py (?:\S*migrat\w*|(?:sql)?flush|loaddata)\b",
        looks="showmigrations|makemigrations",
        hard=ALL,
    ),
    Row("manage.py", r"(?:migrate|(?:sql)?flush|loaddata)\b", hard=ALL),
    Row(
        "alembic flyway dbmate sqitch",
        r"(?:(?:up|down)grade|migrate|clean|up|down|rollback|deploy|revert)\b",
        hard=ALL,
    ),
    Row(
        "kubectl oc",
        r"(?:apply|create|delete|scale|rollout|patch|set|edit|replace|drain|cordon|taint|annotate|label)\b",
        looks=r"rollout (?:status|history)|--list\b",
        hard=r"apply|delete|scale|rollout|replace|drain",
    ),
    Row("helm", r"(?:install|upgrade|uninstall|rollback)\b", hard=r"upgrade|uninstall|rollback"),
    Row(
        "terraform tofu pulumi terragrunt cdk",
        r"(?:apply|destroy|import|up|deploy|taint|state (?:rm|mv|push))\b",
        hard=ALL,
    ),
    Row(
        "docker podman nerdctl",
        r"(?:push|rm|rmi|kill)\b|(?:container )?run (?:-\S+ (?:(?!-)\S+ )?)*?(?:-\w*d\w*|--detach)(?!\S)"
        r"|compose (?:-\S+ (?:(?!-)\S+ )?)*?(?:up|down|rm|kill|push)\b"
        r"|(?:volume|network|image|container|system|builder|secret|service|stack) (?:rm|remove|prune|create|update|deploy)\b",
        hard=r"\w+ (?:prune|rm|remove)\b|compose .*down .*(?:-v|--volumes)\b",
    ),
    Row("docker-compose", r"(?:up|down|rm|kill|push)\b", hard=r"down .*(?:-v|--volumes)\b"),
    Row(
        "docker podman nerdctl docker-compose",
        r"(?:(?:compose|container|service) (?:-\S+ (?:(?!-)\S+ )?)*?)?(?:stop|restart)\b",
        again=True,
    ),
    Row(
        "fly flyctl vercel wrangler heroku netlify firebase gcloud serverless sls az railway",
        r".*(?:deploy|publish|delete|create|destroy|pg:reset|--prod)\b|(?:webapp )?up(?=\s|$)",
        looks=r"\s(?:list|ls|show|describe|status|logs|info)(?!\S)",
        hard=r".*(?:deploy|publish|delete|destroy|pg:reset|--prod)\b",
    ),
    Row(
        "aws",
        r"\S+ (?:create|delete|put|update|run|start|stop|terminate|cp|mv|rm|rb|mb|sync|publish|send|invoke)\b",
        hard=r"s3 (?:rm|rb|sync|mv)|\S+ (?:delete|terminate)",
    ),
    Row("gsutil rclone", r"(?:rm|mv|cp|rsync|rb|sync|delete|purge|copy|move)\b", hard=r"rm|rb|r?sync|delete|purge"),
    Row("curl", rf".*(?:-[a-zA-Z]*X|--request)[ =]?['\"]?{_SENT}", hard=r".*\bDELETE\b"),
    Row(
        "curl",
        r"(?:.*\s)?(?:-d|--data\S*|--json|-F|--form|-T|--upload-file)\b",
        looks=r"\s(?:-G|--get)\b|(?:-X|--request)[ =]?GET\b",
    ),
    Row("wget", rf"(?:.*\s)?--(?:post-\w+|body-\w+|method[ =]{_SENT})"),
    Row(
        "http https xh",
        rf"(?i:{_SENT})|\S+(?: \S+)*? (?!-)[\w.-]+:?=(?!=)",
        looks=r"\s(?i:GET|HEAD)\s",
        hard="(?i:DELETE)",
    ),
    Row("psql mysql mariadb sqlite duckdb sqlcmd clickhouse-client", _SQL, hard=_SQL_HARD, fed=True, sql=True),
    Row("psql mysql mariadb sqlite", r"(?:.*\s)?(?:-f|--file|<)[ =]?\S+\.sql\b", fed=True),
    Row("mongosh mongo", r".*\b(?:insert|update|delete|drop|remove|replace|rename)\w*\(", hard=_SQL_HARD),
    Row("dropdb dropuser createdb createuser", r"\S", hard=ALL),
    Row("pg_restore mongorestore", r"\S", looks=r"\s(?:-l|--list)\b", hard=ALL),
    Row(
        "redis-cli valkey-cli",
        r"(?i:(?:flush(?:all|db)|del|unlink|set\w*|h(?:set|del)\w*|[lr](?:push|pop|rem|trim)|[sz](?:add|rem)|expire\w*|rename"
        r"|incr\w*|decr\w*|config set|script flush|shutdown|publish|x(?:add|del|trim))(?=\s|$))",
        hard=r"(?i:flush)",
    ),
    Row("scp sftp lftp mail mailx sendmail msmtp mutt swaks", r"\S"),
    Row("rsync", r"\S", looks=r"\s-[a-zA-Z]*n[a-zA-Z]*(?!\S)|--list-only", hard=r".*--del"),
    Row("crontab", r"\S", looks=r"\s-l\b", hard=r".*-r\b"),
    Row("systemctl launchctl service", r".*\b(?:start|stop|restart|enable|disable|load|unload|mask|reload|kill)\b"),
    Row("kill pkill killall", r"\S", looks=r"\s(?:-0|-l|-L|--list)(?!\S)", again=True),
    Row("tmux screen", r"kill-\w+", again=True),
    Row("shutdown reboot poweroff halt", ALL, hard=ALL),
    Row(
        "Remove-Item Clear-Content Clear-Item Remove-ItemProperty Stop-Computer Restart-Computer Stop-Service Uninstall-Module",
        ALL,
        looks=r"(?i:\s-WhatIf\b)",
        hard=ALL,
        fed=True,
    ),
    Row(
        "Move-Item Rename-Item Copy-Item New-Item Set-Content Add-Content Out-File Set-Item Set-ItemProperty Start-Service"
        " Restart-Service Set-Service Stop-Process Install-Module Publish-Module",
        ALL,
        looks=r"(?i:\s-WhatIf\b)",
        fed=True,
    ),
    Row("Invoke-WebRequest Invoke-RestMethod", r"(?i:(?:.*\s)?-Method (?:Post|Put|Patch|Delete)\b)"),
    Row("del erase rd", r"(?:/\w+ )*[^/\s]", hard=ALL),
    Row("ren xcopy robocopy", r"\S"),
    Row("rm", r"(?:-\w+ )*(?!/tmp/|-)\S", hard=r"(?:-\w+ )*(?:-\w*[rR]|--recursive)|.*[*]"),
    Row("mv", r"(?:-\w+ )*(?!/tmp/|-)\S"),
    Row("find fd", r"(?!/tmp/).*\s-delete\b", hard=ALL),
    Row("shred truncate mkfs wipefs", r"\S", hard=ALL, again=True),
    Row("dd", r"(?:.*\s)?of=(?!/dev/(?:null|std))", hard=ALL, again=True),
    Row("patch", r"\S", again=True),
    Row("npm pnpm yarn bun", r"(?:ci|i|install)(?: -\S+)*$", again=True),
    Row("yarn bundle", r"$", again=True),
    Row("uv poetry pdm pipenv bundle composer cargo", r"(?:sync|install)(?: -\S+)*$", again=True),
    Row("pip uv", r"(?:pip )?(?:install(?: -\S+(?: \S+)?)+$|sync \S)", again=True),
    Row("go", r"mod (?:download|tidy)$", again=True),
)
"""Of a program's rows the first that fits holds."""


def _begins(pattern: str, rest: str) -> bool:
    return _compiled(_OWN + f"(?:{pattern})").match(rest) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)
