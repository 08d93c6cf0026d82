import { createHash } from 'node:crypto';
import { printableLine } from './terminal.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A text from receipts or settings for a page: no markup and no invisible characters get into it. */
export function htmlText(text: string): string {
  return escapeHtml(printableLine(text));
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230f766e' d='M1 1h6v6H1zM9 9h6v6H9z'/%3E%3Cpath fill='%2399d5c9' d='M9 1h6v6H9zM1 9h6v6H1z'/%3E%3C/svg%3E";

export interface PageHead {
  language: string;
  /** Plain text; it is escaped. */
  title: string;
  /** The content of the only style element and the only script element that the page's policy allows. */
  style: string;
  script?: string;
}

/** A page up to its body. Its content security policy forbids all requests, and any other style or script. */
export function pageHead({ language, title, style, script }: PageHead): string {
  const policy = [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src '${hashOf(script)}'`]),
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)} · cfe-lake</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** What all pages share: colours in light and dark, the type, and which language is shown. */
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

/**
 * A page's script that shows one of its languages: the one asked for (the body's `data-asked`), else the one chosen
 * earlier, on any page, else the browser's, else the page's own. Each language has a button, in its own words, with its
 * `lang` and the page's title in it (`data-title`). The shared style hides what is in the other language.
 */
export const LANGUAGE_SWITCH = `(() => {
  const keptAs = 'cfe-lake-language';
  const root = document.documentElement;
  const buttons = [...document.querySelectorAll('.language')];
  const show = (button) => {
    root.lang = button.lang;
    document.title = button.dataset.title;
  };
  let kept;
  try {
    kept = localStorage.getItem(keptAs);
  } catch {}
  const wanted = [document.body.dataset.asked ?? '', kept ?? '', ...navigator.languages, root.lang];
  const named = (name) => buttons.filter(({ lang }) => lang.split('-')[0] === name.split('-')[0]);
  show(wanted.flatMap(named)[0]);
  for (const button of buttons) {
    button.hidden = false;
    button.addEventListener('click', () => {
      show(button);
      buttons.find((other) => other !== button).focus();
      try {
        localStorage.setItem(keptAs, button.lang);
      } catch {}
    });
  }
})();`;
