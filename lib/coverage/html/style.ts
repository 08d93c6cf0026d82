import { PAGE_STYLE } from '../../text/html.ts';
import { DAY_STATES } from '../day.ts';

/** Where a state was chosen, days in other states are faded. */
const FADED = DAY_STATES.map(
  (state) => `[data-state="${state}"] :is(.days, .line) path:not(.${state}) { opacity: 0.2; }`,
).join('\n');

export const COVERAGE_STYLE = `${PAGE_STYLE}
:root {
  --accent: #0b6b60;
  --s0: #dbe2ea;
  --s1: #c5e6df;
  --s2: #92d0c4;
  --s3: #55b3a4;
  --s4: #23897b;
  --s5: #0a5a50;
  --missing: #7a3fc4;
  --missing-soft: #efe6fb;
  --failed: #c4183c;
  --unstable: #e07b00;
  --mark: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --accent: #5fd0c0;
    --s0: #2b3847;
    --s1: #16433f;
    --s2: #1a655d;
    --s3: #22897e;
    --s4: #3bb3a4;
    --s5: #86e5d6;
    --missing: #c09bff;
    --missing-soft: #2c2142;
    --failed: #ff6b86;
    --unstable: #ffb340;
    --mark: #0b1117;
  }
}
body { margin: 0 auto; padding: 20px clamp(12px, 1.6vw, 32px) 60px; max-width: 1500px; }
h1, h2, h3, p, ul { margin: 0; }
h1 { font-size: 26px; }
h2 { font-size: 16px; overflow-wrap: anywhere; }
h3 { font-size: 14px; }
small, .note, .rut, header p { font-weight: 400; color: var(--muted); }
small, .note { font-size: 12.5px; }
header p { overflow-wrap: anywhere; }
ul { padding: 0; list-style: none; }
i { font-style: normal; }
a { color: var(--link); }
.hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
button, input { font: inherit; color: inherit; }
.tiles {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(165px, 47%), 1fr));
  gap: 8px;
  margin: 16px 0 12px;
}
.tile, .overview, .company {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 10px;
}
.tile {
  display: flex;
  flex-direction: column;
  padding: 8px 12px;
  text-align: left;
  cursor: pointer;
}
.tile[aria-pressed="true"] {
  border-color: var(--accent);
  box-shadow: inset 0 0 0 1px var(--accent);
}
.tile .note { display: block; line-height: 1.3; }
.tile b { font-size: 18px; }
#choices {
  display: flex;
  flex-wrap: wrap;
  align-items: end;
  gap: 10px 18px;
  margin-bottom: 10px;
}
.find { flex: 1 1 220px; max-width: 380px; }
legend { margin-bottom: 3px; }
.find, legend { padding: 0; font-size: 12.5px; color: var(--muted); }
.find input {
  display: block;
  width: 100%;
  height: 34px;
  margin-top: 3px;
  padding: 0 10px;
  font-size: 15px;
  color: var(--text);
  background: var(--card);
  border: 1px solid var(--muted);
  border-radius: 8px;
}
fieldset { margin: 0; padding: 0; border: 0; }
fieldset label { margin-right: 12px; line-height: 34px; }
fieldset input { accent-color: var(--accent); }
[role="status"] { margin-left: auto; line-height: 34px; color: var(--muted); }
.overview, .company { margin-top: 10px; padding: 10px clamp(10px, 1.2vw, 16px) 12px; }
/* Companies far from the window are not drawn: a page may have a thousand. */
.company { content-visibility: auto; contain-intrinsic-size: auto 230px; scroll-margin-top: 8px; }
.company-top {
  display: flex;
  flex-wrap: wrap;
  align-items: baseline;
  gap: 2px 14px;
}
.chips {
  display: flex;
  flex-wrap: wrap;
  gap: 2px 14px;
  margin-left: auto;
  font-size: 13px;
}
.calendars {
  display: flex;
  flex-wrap: wrap;
  gap: 12px 32px;
  margin-top: 6px;
}
.calendar { flex: 1 1 480px; min-width: 0; }
/* Readings need room. */
.calendar:has(.day[open]) { flex-basis: 100%; }
.calendar small { margin-left: 6px; }
svg { forced-color-adjust: none; }
.picture { display: grid; grid-template-columns: 58px minmax(0, 1fr); max-width: 680px; }
.picture svg, .axis { display: block; width: 100%; }
.ruler, .axis { grid-column: 2; height: 16px; }
.months { grid-area: 2 / 1; }
.days { cursor: pointer; }
text { font-size: 11.5px; fill: var(--muted); }
.ruler text, #ruler text { text-anchor: middle; }
.swatch { width: 15px; height: 15px; vertical-align: -2px; }
/* Days are dashes of a stroke: squares if settled, dots if still re-read, small if aged. */
path { stroke-width: 0.84; stroke-dasharray: 0.84 0.16; stroke-dashoffset: -0.08; }
path.open { stroke-linecap: round; stroke-dasharray: 0 1; stroke-dashoffset: -0.5; }
path.aged { stroke-width: 0.54; stroke-dasharray: 0.54 0.46; stroke-dashoffset: -0.23; }
path:is(.missing, .failed, .unstable) { stroke-width: 1; stroke-dasharray: none; }
.s0 { stroke: var(--s0); }
.s1 { stroke: var(--s1); }
.s2 { stroke: var(--s2); }
.s3 { stroke: var(--s3); }
.s4 { stroke: var(--s4); }
.s5 { stroke: var(--s5); }
.missing { stroke: url(#missing); }
.failed { stroke: url(#failed); }
.unstable { stroke: url(#unstable); }
pattern path {
  fill: none;
  stroke: var(--mark);
  stroke-width: 0.12;
  stroke-dasharray: none;
}
#missing rect { fill: var(--missing-soft); stroke: var(--missing); stroke-width: 0.1; }
#missing path { stroke: var(--missing); stroke-width: 0.1; }
#failed rect { fill: var(--failed); }
#unstable rect { fill: var(--unstable); }
${FADED}
[data-direction="recibidos"] .emitidos, [data-direction="emitidos"] .recibidos { display: none; }
.blocks { display: flex; flex-wrap: wrap; gap: 8px 28px; }
.block { flex: 1 1 520px; min-width: 0; }
.overview .axis { width: calc(100% - 206px); margin-left: 206px; }
.overview li a {
  display: grid;
  grid-template-columns: 164px 30px minmax(0, 1fr);
  column-gap: 6px;
  align-items: center;
  min-height: 19px;
  font-size: 13px;
  line-height: 19px;
  color: var(--text);
  text-decoration: none;
}
.overview li a:hover { background: var(--line); }
.overview .name { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.overview .troubled { font-weight: 600; }
.number { text-align: right; }
.lines { display: grid; gap: 1px; }
.line { display: block; width: 100%; height: 7px; }
/* In one line, states differ by their height: full, three quarters, half; striped if missing. */
.line path { stroke-width: 1; stroke-dasharray: none; }
.line path.open { stroke-width: 0.75; stroke-linecap: butt; transform: translateY(0.125px); }
.line path.aged { stroke-width: 0.5; transform: translateY(0.25px); }
.line path.missing { stroke: var(--missing); stroke-dasharray: 0.5 0.5; }
.line path.failed { stroke: var(--failed); }
.line path.unstable { stroke: var(--unstable); stroke-width: 0.5; transform: translateY(-0.25px); }
summary { cursor: pointer; width: fit-content; max-width: 100%; }
.words { margin-top: 4px; font-size: 13px; }
.words summary { padding: 2px 0; }
.words details { margin-left: 14px; }
.day[open] {
  margin: 4px 0 10px;
  padding: 6px 10px;
  background: var(--page);
  border: 1px solid var(--line);
  border-radius: 8px;
}
.day > summary + p::first-letter { text-transform: uppercase; }
.day[open] summary { font-weight: 600; }
code, pre {
  font: 12.5px / 1.5 ui-monospace, Consolas, "Liberation Mono", monospace;
  color: var(--text);
}
code, .bad { overflow-wrap: anywhere; }
pre b { color: var(--muted); font-weight: 400; }
pre { margin: 2px 0 8px; overflow-x: auto; }
.bad { color: var(--failed); }
@media (max-width: 620px) {
  .overview .axis { width: calc(100% - 134px); margin-left: 134px; }
  .overview li a { grid-template-columns: 98px 24px minmax(0, 1fr); }
  .axis .minor { display: none; }
  .chips, [role="status"] { margin-left: 0; }
}
/* Fingers need more room. */
@media (pointer: coarse) {
  .overview li a { min-height: 26px; }
}
`;
