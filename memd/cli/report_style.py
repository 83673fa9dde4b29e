"""The look of `memd report --html`: one column that a phone holds, light or dark as the reader's system is."""

STYLE = """
:root { color-scheme: light dark; --paper: #fbfaf8; --card: #ffffff; --ink: #23272b; --soft: #656d76; --line: #e3e1dc;
  --memd: #0b7a75; --memd-soft: #0b7a7522; --summary: #9a6b2f; --both: #5a55a8; --warn: #b3541e; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --card: #1c2024; --ink: #e4e6e8; --soft: #9aa3ab; --line: #30363c;
  --memd: #4fc3b8; --memd-soft: #4fc3b826; --summary: #d3a45f; --both: #a5a1f0; --warn: #f0945a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 54rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; margin: 0; }
h3 { font-size: 1rem; margin: 0 0 .2rem; }
p { margin: .3rem 0; }
.soft, caption, th { color: var(--soft); }
.soft, th, td small { font-size: .85rem; }
section { margin-top: 2.5rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; padding: 1rem; margin-top: 1rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .8rem; margin-top: 1.2rem; }
.tiles .card { margin: 0; }
.tiles b { display: block; font-size: 1.7rem; line-height: 1.2; font-weight: 600; font-variant-numeric: tabular-nums; }
.memd { color: var(--memd); } .summary { color: var(--summary); } .both { color: var(--both); } .warn { color: var(--warn); }
table { width: 100%; border-collapse: collapse; margin-top: .8rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; font-weight: 400; padding: .35rem .6rem .35rem 0; vertical-align: top;
  border-top: 1px solid var(--line); }
thead th { border-top: 0; }
td.n, th.n { text-align: right; width: 5rem; padding-right: 0; padding-left: .6rem; }
.share { width: 23%; }
.bar { display: block; height: .3rem; margin-top: .2rem; border-radius: .15rem; background: var(--line); overflow: hidden; }
.bar i { display: block; height: 100%; background: currentColor; }
tr.mean td, tr.mean th { font-weight: 600; } tr.mean th { color: inherit; } th small { white-space: nowrap; font-size: .75rem; }
details { margin-top: .8rem; } summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
details p, details li { font-size: .9rem; } ul { padding-left: 1.1rem; margin: .5rem 0; } li { margin: .2rem 0; }
code { font: .85em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
svg { display: block; width: 100%; height: auto; margin-top: .6rem; }
svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
.fill { fill: var(--memd-soft); } .use { fill: none; stroke: var(--memd); stroke-width: 1.6; stroke-linejoin: round; }
.grid { stroke: var(--line); } .window { stroke: var(--soft); stroke-dasharray: 2 4; }
.compaction { stroke: var(--warn); stroke-dasharray: 4 3; } svg text.mark { fill: var(--warn); font-weight: 600; }
.checkpoint { fill: var(--memd); opacity: .55; } .key { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin-top: .5rem; }
.key span::before { content: ""; display: inline-block; width: .8em; height: .2em; margin-right: .4em; vertical-align: middle;
  background: var(--memd); } .key .k2::before { background: var(--warn); }
.key .k3::before { width: .55em; height: .55em; transform: rotate(45deg); opacity: .55; }
.narrow { display: none; }
@media (max-width: 34rem) { .wide { display: none; } .narrow { display: block; } body { padding-top: 1.2rem; }
  .card { padding: .8rem; } td.n, th.n { width: 3.6rem; } }
@media print { body { max-width: none; } .card { break-inside: avoid; } }
"""
