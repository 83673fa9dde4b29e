"""Which project a directory belongs to: one for all work trees of a repository, one for each `.agent/`, none elsewhere."""

import os
import shutil
import subprocess

import pytest

from memd.project import git as gits
from memd.project import identity
from memd.project.paths import Paths, inside


def git(folder, *words):
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "größe 配置"
    folder.mkdir()
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    return folder


def agent(folder):
    (folder / ".agent").mkdir(parents=True)
    (folder / ".agent" / "constraints.md").write_text("- one\n")


def test_directories_of_one_repository_are_one_project(repository):
    """From anywhere in it, also over a link; its root is the work tree's top."""
    (repository / "src" / "deep").mkdir(parents=True)
    (repository.parent / "link").symlink_to(repository / "src")
    found = {
        identity.find(str(place)) for place in (repository, repository / "src" / "deep", repository.parent / "link")
    }
    (one,) = found
    assert (one.root, one.agent) == (repository, None)
    assert one.id.startswith("größe-配置-")


def test_work_trees_share_one_layer_and_keep_their_own_root(repository):
    """The id is the same; a path in either is the same path."""
    git(repository, "worktree", "add", "../tree", "-b", "other")
    main, tree = identity.find(str(repository)), identity.find(str(repository.parent / "tree"))
    assert main.id == tree.id
    assert main.root != tree.root
    paths = Paths(main, str(repository))
    assert paths.relate(str(repository.parent / "tree" / "src" / "a.py")) == "src/a.py"


def test_a_file_that_only_names_a_repository_joins_nothing(repository, tmp_path):
    """A `.git` file in a foreign folder does not lead to another project's journal."""
    git(repository, "worktree", "add", "../tree", "-b", "other")
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / ".git").write_text((tmp_path / "tree" / ".git").read_text())
    assert identity.find(str(forged)).id != identity.find(str(repository)).id


@pytest.mark.parametrize("name", [".git", ".git/HEAD", ".git/refs/heads/main", ".git/packed-refs"])
def test_a_pipe_in_gits_place_is_not_waited_for(repository, name):
    """Anybody can put one into `/tmp`, above other people's directories: nothing would ever come out of it."""
    place = repository / name
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
    os.mkfifo(place)
    if name == ".git/packed-refs":
        (repository / ".git" / "refs" / "heads" / "main").unlink()
    found = identity.find(str(repository))
    assert (found.root, gits.head(found) and gits.head(found).commit) == (repository, None)


def test_the_nearest_agent_folder_is_a_project_of_its_own(repository):
    """In a monorepo each package may have one; the rest of the repository is the repository's."""
    agent(repository / "packages" / "api")
    (repository / "packages" / "api" / "src").mkdir()
    (repository / "packages" / "web").mkdir()
    api, web = (identity.find(str(repository / "packages" / name)) for name in ("api/src", "web"))
    assert (api.root, api.agent) == (repository / "packages" / "api", repository / "packages" / "api" / ".agent")
    assert (web.root, web.agent) == (repository, None)
    assert api.id != web.id


def test_another_tools_agent_folder_is_none_of_ours(repository):
    """The name alone says nothing; a link is not followed."""
    (repository / ".agent" / "rules").mkdir(parents=True)
    assert identity.find(str(repository)).agent is None
    other = repository.parent / "other"
    agent(other)
    (repository / "sub").mkdir()
    (repository / "sub" / ".agent").symlink_to(other / ".agent")
    assert identity.find(str(repository / "sub")).agent is None


def test_without_git_it_is_the_directory(tmp_path):
    """Two directories are two projects; an `.agent/` above is the project."""
    for name in ("a", "b/c"):
        (tmp_path / name).mkdir(parents=True)
    assert identity.find(str(tmp_path / "a")).root == tmp_path / "a"
    assert identity.find(str(tmp_path / "a")).id != identity.find(str(tmp_path / "b")).id
    agent(tmp_path / "b")
    assert identity.find(str(tmp_path / "b" / "c")).root == tmp_path / "b"


@pytest.mark.parametrize("directory", [None, "", "relative", "/nowhere/at/all"])
def test_a_directory_of_another_machine_has_no_project(directory):
    """A container's transcript, or one without a directory."""
    assert identity.find(directory) is None


def test_paths_are_told_from_the_root(repository):
    """`..` is resolved, what lies outside stays absolute, and a relative path is the session's."""
    (repository / "sub").mkdir()
    paths = Paths(identity.find(str(repository)), str(repository / "sub"))
    assert paths.relate("a.py") == "sub/a.py"
    assert paths.relate("../a.py") == "a.py"
    assert paths.relate("../../secret") == str(repository.parent / "secret")
    assert paths.relate(str(repository / "sub" / ".." / "b.py")) == "b.py"
    assert paths.relate("/etc/passwd") == "/etc/passwd"
    assert paths.relate("~/x") == "~/x"


def test_a_path_of_another_project_in_the_repository_stays_absolute(repository):
    """A package with a folder of its own ends where it ends; from the other root the path would name another file."""
    agent(repository / "packages" / "api")
    paths = Paths(identity.find(str(repository / "packages" / "api")), str(repository / "packages" / "api"))
    assert paths.relate("../web/a.py") == str(repository / "packages" / "web" / "a.py")
    assert paths.relate("a.py") == "a.py"


def test_nothing_outside_the_root_is_a_file_of_the_project(repository, tmp_path):
    """A link out, `..`, an absolute name or a NUL leads nowhere; a link inside does."""
    (tmp_path / "secret").write_text("x")
    (repository / "out").symlink_to(tmp_path / "secret")
    (repository / "a").write_text("x")
    (repository / "in").symlink_to("a")
    assert inside(repository, "in") == repository / "a"
    for name in ("out", "../secret", "/etc/passwd", "a\0b", ""):
        assert inside(repository, name) is None
