"""The room that watches transcripts and reads them: bytes in, whole lines and a cursor out. It never writes.

| module | what it does |
|---|---|
| `cursor` | how far a file was read, and the fingerprint that tells whether it still is the same file |
| `lines` | one read: from a cursor to whole lines and the next cursor |
| `elide` | very long lines, streamed, with their longest strings cut before anything is parsed |
| `sweep` | every file under the roots, and when it is time to look again |
| `seen` | what every wanted file was like when it was last looked at, in 60 bytes each |
| `active` | which files and directories are worth a close look now |
| `kernel` | the operating system's watches on directories, and how many of them are really there |
| `watch` | hints: "look at this file", from events, from looking each second, from sweeps |

An event is a hint and may be lost, doubled or late. The truth is (device, inode, offset) and the bytes before it.
"""
