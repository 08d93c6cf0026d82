import { createHash } from 'node:crypto';
import { escapeHtml, jsonForScript } from '../../text/html.ts';
import { ENGLISH } from '../texts/english.ts';
import { PAGE_SCRIPT, PAGE_STYLE } from './assets.generated.ts';
import type { PackedIndex } from './packed.ts';

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230f766e' d='M1 1h6v6H1zM9 9h6v6H9z'/%3E%3Cpath fill='%2399d5c9' d='M9 1h6v6H9zM1 9h6v6H1z'/%3E%3C/svg%3E";

/**
 * The page, whole: one file that asks for nothing. `texts` are the companies' compressed texts, two each. Only
 * the script and the style that are in it may act, by their hashes; the page reads its data as text and never as
 * markup. The script writes the head of the page anew, in the reader's language.
 */
export function htmlDocument(index: PackedIndex, texts: readonly string[]): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(PAGE_SCRIPT)}'`,
    `style-src '${hashOf(PAGE_STYLE)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const range = ENGLISH.range(index.from, index.to);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${ENGLISH.title} ${range} · cfe-lake</title>
<link rel="icon" href="${ICON}">
<style>${PAGE_STYLE}</style>
</head>
<body>
<header class="top" id="top">
<h1>${ENGLISH.title}</h1>
<p>${ENGLISH.whichDays} <b>${range}</b>, in <b>${escapeHtml(index.lake)}</b>. ${ENGLISH.asOf(index.madeAt.replace('T', ' '))}</p>
</header>
<noscript><p class="notice">The calendars are drawn by a script that stands in this file; switch scripts on for it.
It asks for nothing and sends nothing.</p>
<p class="notice" lang="es">Los calendarios los dibuja un script que está en este archivo: hay que habilitar los scripts. No pide ni
envía nada.</p></noscript>
<main id="page"></main>
<script type="application/json" id="index">${jsonForScript(index)}</script>
<script type="text/plain" id="texts">${texts.join('\n')}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
