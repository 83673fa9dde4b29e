"""Globs of directories: what they mean, and what not."""

import pytest

from memd.model.globs import fitting

HOME, BASE = "/home/me", "/srv/repo"


@pytest.mark.parametrize(
    ("glob", "directory"),
    [
        ("/srv/work", "/srv/work"),
        ("/srv/work", "/srv/work/deep/below"),
        ("/srv/work/", "/srv/work"),
        ("/srv/*", "/srv/anything/below"),
        ("/srv/*/secret", "/srv/a/secret"),
        ("/srv/**/secret", "/srv/a/b/secret/c"),
        ("/srv/**/secret", "/srv/secret"),
        ("/srv/**", "/srv/a"),
        ("/srv/**", "/srv"),
        ("~/private/**", "/home/me/private"),
        ("~/private", "/home/me/private/x"),
        ("~", "/home/me/anything"),
        ("secret", "/srv/repo/a/secret/b"),
        ("secret/", "/srv/repo/secret"),
        ("client-?", "/srv/repo/client-a"),
        ("client-[ab]", "/srv/repo/client-b"),
        ("client-[!ab]", "/srv/repo/client-c"),
        ("sub/dir", "/srv/repo/sub/dir/x"),
        ("./sub", "/srv/repo/sub"),
        ("**/tmp", "/srv/repo/a/b/tmp"),
        ("a+b (c)", "/srv/repo/a+b (c)"),
        ("größe-*", "/srv/repo/größe-中"),
        ("/", "/anything"),
        ("*", "/srv/repo/x"),
        (".", "/srv/repo"),
        ("./", "/srv/repo/x"),
        ("./**", "/srv/repo"),
        ("**", "/srv/repo"),
        ("**", "/srv/repo/x"),
    ],
)
def test_it_fits(glob, directory):
    """The directory itself, what lies below it, names anywhere below the base."""
    assert fitting(directory, ["/other", glob], base=BASE, home=HOME) == glob


@pytest.mark.parametrize(
    ("glob", "directory"),
    [
        ("/srv/work", "/srv/workshop"),
        ("/srv/work", "/srv"),
        ("/srv/*/secret", "/srv/a/b/secret"),
        ("secret", "/srv/repo/secrets"),
        ("secret", "/elsewhere/secret"),
        ("secret", "/srv/secret"),
        ("sub/dir", "/srv/repo/a/sub/dir"),
        ("client-?", "/srv/repo/client-ab"),
        ("client-[ab]", "/srv/repo/client-c"),
        ("~/private", "/root/private"),
        ("*", "/srv/repo"),
        (".", "/srv/repository"),
        ("**", "/srv"),
        ("SECRET", "/srv/repo/secret"),
        ("[", "/srv/repo/x"),
        ("[]", "/srv/repo/x"),
        ("a.c", "/srv/repo/abc"),
    ],
)
def test_it_does_not_fit(glob, directory):
    """Neither what only begins alike, nor what lies above, nor another base; no glob is an error."""
    assert fitting(directory, [glob], base=BASE, home=HOME) is None
