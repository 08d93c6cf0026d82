/** The one stylesheet of all pages. As TypeScript, so that each bundle has it. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f3f5f8; --card: #fff; --line: #d9dfe7; --text: #17212e; --muted: #566275; --link: #1d4ed8;
  --accent: #0b6b60; --bar: #23897b; --good: #0b6b60; --open: #a04a06; --bad: #b8123a; --edge: #0005;
  --s0: #dbe2ea; --s1: #c5e6df; --s2: #92d0c4; --s3: #55b3a4; --s4: #23897b; --s5: #0a5a50;
  --missing: #7a3fc4; --missing-soft: #efe6fb; --failed: #c4183c; --early: #1d5fbf; --unstable: #e07b00; --mark: #fff;
  font: 15px / 1.45 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif;
  background: var(--page);
  color: var(--text);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e141b; --card: #161e28; --line: #2c3846; --text: #e4eaf1; --muted: #9fadbf; --link: #8ab4ff;
    --accent: #5fd0c0; --bar: #3bb3a4; --good: #5fd0c0; --open: #fbb040; --bad: #ff8098; --edge: #000c;
    --s0: #2b3847; --s1: #16433f; --s2: #1a655d; --s3: #22897e; --s4: #3bb3a4; --s5: #86e5d6;
    --missing: #c09bff; --missing-soft: #2c2142; --failed: #ff6b86; --early: #6fb1ff; --unstable: #ffb340; --mark: #0b1117;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; padding: 20px clamp(12px, 1.6vw, 32px) 60px; }
h1, h2, h3, p, ul, figure { margin: 0; }
h1 { font-size: 25px; }
h2 { display: inline; font-size: 17px; }
h3 { font-size: 14px; }
h1, h2, header p, code, .bad { overflow-wrap: anywhere; }
ul { padding: 0; list-style: none; }
a { color: var(--link); }
small, .note, .rut, header p, figcaption { font-weight: 400; color: var(--muted); }
small, figcaption { font-size: 13px; }
.note { max-width: 130ch; font-size: 13.5px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
button, input { font: inherit; color: inherit; }
summary { cursor: pointer; width: fit-content; max-width: 100%; }
code, pre { font: 12.5px / 1.5 ui-monospace, Consolas, "Liberation Mono", monospace; color: var(--text); }
pre { margin: 2px 0 8px; overflow-x: auto; }
pre b { color: var(--muted); font-weight: 400; }
.bad { color: var(--failed); }
.card { margin-top: 12px; padding: 12px clamp(10px, 1.2vw, 16px); background: var(--card); border: 1px solid var(--line); border-radius: 10px; scroll-margin-top: 8px; }
.grid { display: grid; gap: 12px; margin-top: 12px; grid-template-columns: repeat(auto-fit, minmax(min(max(440px, 34%), 100%), 1fr)); }
.grid > .card { margin: 0; min-width: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
/* What a month comes to. */
.verdict { border-left: 6px solid var(--bad); }
.verdict.open { border-left-color: var(--open); }
.verdict.complete { border-left-color: var(--good); }
.verdict ul { margin-top: 6px; padding-left: 20px; list-style: disc; }
.badge { margin-right: 6px; font-size: 13px; font-weight: 600; letter-spacing: 0.05em; text-transform: uppercase; color: var(--bad); }
.open .badge, .badge.open { color: var(--open); }
.complete .badge, .badge.complete { color: var(--good); }
.tile b { font-size: 19px; font-variant-numeric: tabular-nums; }
.tile li { overflow-wrap: anywhere; }
.currency { display: inline-block; min-width: 42px; color: var(--muted); }
/* Bars. */
.bars svg { display: block; width: 100%; height: auto; }
.bars text { font-size: 11px; fill: var(--muted); text-anchor: middle; }
.bars .weekend { fill: var(--text); font-weight: 700; }
.bar { fill: var(--bar); }
.trouble { stroke: var(--bad); stroke-width: 2; }
.bars li { display: grid; grid-template-columns: minmax(0, 1.3fr) minmax(60px, 1fr) 4.5em; gap: 8px; align-items: center; padding: 2px 0; font-size: 13px; }
.bars li svg { height: 14px; }
/* Tables. One that is wider than the window scrolls by itself, with a shadow where it goes on. */
.scroll {
  overflow-x: auto;
  margin-top: 8px;
  background:
    linear-gradient(to right, var(--card) 40%, transparent) left / 48px 100% no-repeat local,
    linear-gradient(to left, var(--card) 40%, transparent) right / 48px 100% no-repeat local,
    linear-gradient(to right, var(--edge), transparent) left / 14px 100% no-repeat scroll,
    linear-gradient(to left, var(--edge), transparent) right / 14px 100% no-repeat scroll;
}
table { border-collapse: collapse; font-size: 13.5px; }
th, td { text-align: left; vertical-align: top; padding: 4px 6px; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th { color: var(--muted); font-weight: 600; white-space: normal; vertical-align: bottom; }
th.number { text-align: right; }
.words, .head { min-width: 10em; max-width: 34em; white-space: normal; }
.head { min-width: 11em; }
/* Twelve columns and more fit a laptop's window. */
@media screen and (min-width: 601px) {
  table:has(thead th:nth-child(12)) { font-size: 12.5px; }
  table:has(thead th:nth-child(12)) :is(th, td) { padding-inline: 3px; }
}
tfoot td { font-weight: 600; border-bottom: 0; }
tr:has(+ .below) > * { border-bottom: 0; }
.below td { white-space: normal; overflow-wrap: anywhere; padding-bottom: 10px; }
/* A calendar: days are dashes of a stroke, squares if settled, dots if still read again, small if aged. */
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(165px, 47%), 1fr)); gap: 8px; margin: 16px 0 12px; }
button.tile { display: flex; flex-direction: column; margin: 0; padding: 8px 12px; text-align: left; cursor: pointer; }
.tile[aria-pressed="true"] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
#choices { display: flex; flex-wrap: wrap; align-items: end; gap: 10px 18px; margin-bottom: 10px; }
.find { flex: 1 1 220px; max-width: 380px; }
.find, legend { padding: 0; font-size: 12.5px; color: var(--muted); }
.find input { display: block; width: 100%; height: 34px; margin-top: 3px; padding: 0 10px; font-size: 15px; color: var(--text); background: var(--card); border: 1px solid var(--muted); border-radius: 8px; }
fieldset { margin: 0; padding: 0; border: 0; }
fieldset label { margin-right: 12px; line-height: 34px; }
fieldset input { accent-color: var(--accent); }
[role="status"] { margin-left: auto; line-height: 34px; color: var(--muted); }
/* Companies far from the window are not drawn: a page may have a thousand. */
.company { content-visibility: auto; contain-intrinsic-size: auto 230px; }
.chips, .calendars { display: flex; flex-wrap: wrap; gap: 2px 14px; }
.chips { display: inline-flex; font-size: 13px; }
.calendars { gap: 12px 32px; margin-top: 6px; }
.calendar { flex: 1 1 480px; min-width: 0; }
/* Readings need room. */
.calendar:has(.day[open]) { flex-basis: 100%; }
.calendar small { margin-left: 6px; }
svg { forced-color-adjust: none; }
.picture { display: grid; grid-template-columns: 58px minmax(0, 1fr); max-width: 680px; }
.picture svg { display: block; width: 100%; }
.ruler { grid-column: 2; height: 16px; }
.months { grid-area: 2 / 1; }
.days { cursor: pointer; }
/* Not below their own ancestors: they are drawn elsewhere. */
:is(#months, #ruler) text { font-size: 11.5px; fill: var(--muted); }
#ruler text { text-anchor: middle; }
.swatch { width: 15px; height: 15px; vertical-align: -2px; }
:is(.days, .line, .swatch) path { stroke-width: 0.84; stroke-dasharray: 0.84 0.16; stroke-dashoffset: -0.08; }
:is(.days, .swatch) path.open { stroke-linecap: round; stroke-dasharray: 0 1; stroke-dashoffset: -0.5; }
:is(.days, .swatch) path.aged { stroke-width: 0.54; stroke-dasharray: 0.54 0.46; stroke-dashoffset: -0.23; }
:is(.days, .swatch) path:is(.missing, .failed, .early, .unstable) { stroke-width: 1; stroke-dasharray: none; }
.s0 { stroke: var(--s0); }
.s1 { stroke: var(--s1); }
.s2 { stroke: var(--s2); }
.s3 { stroke: var(--s3); }
.s4 { stroke: var(--s4); }
.s5 { stroke: var(--s5); }
path.missing { stroke: url(#missing); }
path.failed { stroke: url(#failed); }
path.early { stroke: url(#early); }
path.unstable { stroke: url(#unstable); }
pattern path { fill: none; stroke: var(--mark); stroke-width: 0.12; }
#missing rect { fill: var(--missing-soft); stroke: var(--missing); stroke-width: 0.1; }
#missing path { stroke: var(--missing); stroke-width: 0.1; }
#failed rect { fill: var(--failed); }
#early rect { fill: var(--early); }
#unstable rect { fill: var(--unstable); }
/* Where a state was chosen, days in other states are faded. */
:is(.days, .line) path { opacity: var(--faded, 1); }
[data-state]:not([data-state=""]) { --faded: 0.2; }
[data-state="missing"] .missing, [data-state="failed"] .failed, [data-state="early"] .early, [data-state="unstable"] .unstable,
[data-state="aged"] .aged, [data-state="open"] path.open, [data-state="exported"] .exported { --faded: 1; }
[data-direction="recibidos"] .emitidos, [data-direction="emitidos"] .recibidos { display: none; }
/* Of many companies, each is a line to open, with its days in it. */
.company > summary { width: auto; }
.company > summary:has(.lines) { display: grid; grid-template-columns: minmax(160px, 300px) minmax(120px, 330px) minmax(0, 1fr); gap: 2px 14px; align-items: center; }
.company:has(.lines) { margin-top: 4px; padding-block: 4px; contain-intrinsic-size: auto 36px; }
.company:has(.lines) h2 { font-size: 14px; }
.company:has(.lines) h2::before { content: "▸ "; }
.company[open]:has(.lines) h2::before { content: "▾ "; }
.lines { display: grid; gap: 1px; }
.line { display: block; width: 100%; height: 7px; }
/* In one line, states differ by their height: full, three quarters, half; striped if missing. */
.line path { stroke-width: 1; stroke-dasharray: none; }
.line path.open { stroke-width: 0.75; transform: translateY(0.125px); }
.line path.aged { stroke-width: 0.5; transform: translateY(0.25px); }
.line path.missing { stroke: var(--missing); stroke-dasharray: 0.5 0.5; }
.line path.failed { stroke: var(--failed); }
.line path.early { stroke: var(--early); stroke-width: 0.75; transform: translateY(-0.125px); }
.line path.unstable { stroke: var(--unstable); stroke-width: 0.5; transform: translateY(-0.25px); }
.said { margin-top: 4px; font-size: 13px; }
.said summary { padding: 2px 0; }
.said details { margin-left: 14px; }
.day[open] { margin: 4px 0 10px; padding: 6px 10px; background: var(--page); border: 1px solid var(--line); border-radius: 8px; }
.day > summary + p::first-letter { text-transform: uppercase; }
.day[open] summary { font-weight: 600; }
/* On a phone a row is a card: a line a cell, its heading on the left. Amounts are on the screen. */
@media screen and (max-width: 600px) {
  .bars text { font-size: 20px; }
  .bars .minor { display: none; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table, tbody, tfoot, tr, tbody th, td { display: block; }
  tr { padding: 8px 0; border-bottom: 1px solid var(--line); }
  tbody th, td { max-width: none; border: 0; padding: 2px 0; white-space: normal; overflow-wrap: anywhere; }
  td { display: flow-root; text-align: right; }
  td::before { content: attr(data-label); float: left; margin-right: 12px; text-align: left; color: var(--muted); }
  td:empty { display: none; }
  .below td { text-align: left; }
  .company > summary:has(.lines) { grid-template-columns: minmax(0, 1fr); }
  [role="status"] { margin-left: 0; }
}
@page { size: A4; margin: 12mm; }
@media print {
  :root {
    color-scheme: light;
    --page: #fff; --card: #fff; --text: #000; --muted: #444; --line: #bbb; --link: #000;
    --bar: #23897b; --good: #0b6b60; --open: #a04a06; --bad: #b8123a;
    font-size: 11px;
  }
  body { padding: 0; }
  .card { border-radius: 0; padding: 6px 8px; margin-top: 8px; }
  .grid { grid-template-columns: 1fr 1fr; }
  .scroll { overflow: visible; background: none; }
  .bars li, .note { font-size: 9px; }
  table { width: 100%; font-size: 7.5px; }
  th, td { padding: 2px 3px; }
  .words, .head { min-width: 52px; overflow-wrap: anywhere; }
  .id { display: none; }
  tr, figure, .tile, h2 { break-inside: avoid; }
  summary, .note { break-after: avoid; }
  a { text-decoration: none; }
}
`;
