"""How the page of a report looks: one sheet of style for light and dark, phone and desk."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --ink: #1d2328; --muted: #5d6870; --rule: #dedbd4; --accent: #1d6f8c; --card: #ffffff; --page: #f7f5f1; --tint: #f1eee8; --warn: #a2480f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e6e8; --muted: #9ba5ad; --rule: #363d43; --accent: #5db4d3; --card: #1b1f23; --page: #131619; --tint: #23282d; --warn: #f0a068;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink); overflow-wrap: anywhere;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
}
main, header, footer { max-width: 70rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 3rem; padding-bottom: .5rem; }
h1 { font-size: 2.1rem; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; line-height: 1.3; font-weight: 650; margin: 0 0 .75rem; }
p { margin: 0 0 1rem; }
section > :last-child { margin-bottom: 0; }
.eyebrow { color: var(--accent); font-size: .85rem; font-weight: 600; letter-spacing: .04em; margin: 0 0 .4rem; }
.lead { color: var(--muted); max-width: 52rem; text-wrap: pretty; }
.warning { color: var(--warn); font-weight: 600; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1rem 1.5rem; margin: 1.5rem 0 1rem; }
.facts div { border-top: 2px solid var(--rule); padding-top: .5rem; }
.facts div:first-child { border-top-color: var(--accent); }
.facts dt { color: var(--muted); font-size: .8rem; }
.facts dd { margin: 0; font-size: 1.2rem; font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: 1.25rem 1.5rem; margin: 0 0 1.25rem; min-width: 0; }
.plots { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.25rem; margin-bottom: 1.25rem; }
.plots section { margin: 0; }
.plots .tall { grid-row: span 2; }
.plots .wide, .plots section:only-child { grid-column: 1 / -1; }
.caption, .note { color: var(--muted); font-size: .85rem; line-height: 1.45; margin: .75rem 0 0; }
svg { display: block; width: 100%; height: auto; max-width: 30rem; margin: 0 auto; }
.wide svg { max-width: 52rem; }
svg text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif !important; }
.scroll { overflow-x: auto; margin: 0 -1.5rem; padding: 0 1.5rem; overflow-wrap: normal; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 0 7px 1.25rem; line-height: 22px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); vertical-align: baseline; }
thead th { color: var(--muted); font-size: .78rem; font-weight: 600; vertical-align: bottom; }
tbody tr:last-child > * { border-bottom: 0; }
th:first-child, td:first-child { padding-left: 0; }
tbody th { font-weight: 600; }
th.name, td.name { text-align: left; white-space: normal; min-width: 7rem; max-width: 18rem; overflow-wrap: anywhere; }
td.place { color: var(--muted); width: 1.5rem; }
td.place + .name, th.place + .name { padding-left: .75rem; }
td small { color: var(--muted); font-size: .82em; }
tbody tr:first-child td.place { color: var(--accent); font-weight: 700; }
.zero { color: var(--muted); }
.some { color: var(--warn); font-weight: 600; }
code, pre { font: .82rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
pre { background: var(--tint); border-radius: .4rem; padding: .6rem .8rem; margin: .35rem 0 .8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
details { border-top: 1px solid var(--rule); padding: .6rem 0; }
details[open] { padding-bottom: .2rem; }
summary { cursor: pointer; font-size: .9rem; }
summary b { font-weight: 600; }
summary span { color: var(--muted); }
.numbers { margin-top: .9rem; }
.numbers .scroll { margin-top: .5rem; }
.faults { margin-top: 1rem; border-bottom: 1px solid var(--rule); }
.faults dl { margin: .6rem 0 0 1.05rem; font-size: .9rem; }
.faults dt, .settings dt { color: var(--muted); font-size: .8rem; }
.faults dd { margin: 0; }
.settings { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .9rem 1.5rem; margin: 0 0 1.1rem; }
.settings dd { margin: 0; font-size: .95rem; }
footer { color: var(--muted); font-size: .85rem; padding-top: .5rem; padding-bottom: 3rem; }
@media (max-width: 56rem) {
  .plots { grid-template-columns: minmax(0, 1fr); }
  .plots .tall { grid-row: auto; }
}
@media (max-width: 36rem) {
  main, header, footer { padding-left: 1rem; padding-right: 1rem; }
  header { padding-top: 1.75rem; }
  h1 { font-size: 1.6rem; }
  section { padding: 1rem; }
  .plot .drawing { margin: 0 -.4rem; }
  .scroll { margin: 0 -1rem; padding: 0 1rem; }
  .wide .drawing { overflow-x: auto; }
  .wide svg { width: 36rem; max-width: none; }
  .facts { grid-template-columns: 1fr 1fr; gap: .8rem 1rem; }
  .settings { grid-template-columns: 1fr 1fr; }
  th, td { padding-left: .9rem; }
  .scroll .name { min-width: 8.75rem; max-width: 11rem; }
  .standing tbody th.name, .standing thead .place + .name { position: sticky; left: -1rem; background: var(--card); padding-right: .25rem; }
}
@media print { body { background: none; } section { break-inside: avoid; } }
"""
