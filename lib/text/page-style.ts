/** What all pages share: colours in light and dark, the type, and which language is shown (see language-switch.ts). */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f3f5f8;
  --card: #ffffff;
  --line: #d9dfe7;
  --text: #17212e;
  --muted: #566275;
  --link: #1d4ed8;
  font:
    15px / 1.45 system-ui,
    "Segoe UI",
    Roboto,
    "Helvetica Neue",
    "Liberation Sans",
    sans-serif;
  background: var(--page);
  color: var(--text);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e141b;
    --card: #161e28;
    --line: #2c3846;
    --text: #e4eaf1;
    --muted: #9fadbf;
    --link: #8ab4ff;
  }
}
* {
  box-sizing: border-box;
}
[hidden] {
  display: none !important;
}
/* Inherited, so that it holds inside of what an SVG uses. */
:root[lang|="en"] {
  --es: none;
}
:root[lang|="es"] {
  --en: none;
}
:is(span, div, tspan)[lang|="en"] {
  display: var(--en, revert);
}
:is(span, div, tspan)[lang|="es"] {
  display: var(--es, revert);
}
.language {
  float: right;
  margin-left: 12px;
  min-height: 28px;
  padding: 2px 10px;
  font: inherit;
  font-size: 13px;
  color: inherit;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 7px;
  cursor: pointer;
}
@media print {
  .language {
    display: none;
  }
}
`;
