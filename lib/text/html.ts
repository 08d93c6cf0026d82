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
