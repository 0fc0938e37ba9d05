"""The style sheet of reports, for light and dark screens."""

STYLE = """
:root {
  color-scheme: light dark;
  --text: #222; --back: #fff; --line: #ddd; --quiet: #666; --pass: #00694a; --fail: #b02a00; --open: #8a5a00;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #ddd; --back: #181a1b; --line: #3a3d3f; --quiet: #9a9a9a; --pass: #3cc79a; --fail: #ff8a5c; --open: #f0b429; }
}
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
header { border-left: .6rem solid var(--quiet); padding: .2rem 1.2rem; }
header p { margin: .2rem 0; }
h1 { margin: 0; font-size: 3.2rem; line-height: 1.1; text-transform: uppercase; }
header.pass { border-color: var(--pass); } header.fail { border-color: var(--fail); } header.inconclusive { border-color: var(--open); }
.pass h1, td.pass { color: var(--pass); } .fail h1, td.fail { color: var(--fail); }
.inconclusive h1, td.inconclusive { color: var(--open); }
td.pass, td.fail, td.inconclusive { font-weight: 600; }
.missing, td.missing, .note { color: var(--quiet); } .missing { font-style: italic; }
h2 { margin: 2rem 0 .5rem; font-size: 1.25rem; } h3 { margin: 1rem 0 .3rem; font-size: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); font-weight: normal; }
thead th { color: var(--quiet); } .number { white-space: nowrap; font-variant-numeric: tabular-nums; }
figure { margin: 0 0 1rem; background: #fff; border: 1px solid var(--line); border-radius: 4px; }
figure svg { display: block; width: 100%; height: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
pre { overflow-x: auto; margin: 0; padding: .6rem; border: 1px solid var(--line); border-radius: 4px; font-size: 13px; }
a { color: inherit; }
"""
