import { escapeHtml, jsonForScript, pageHead } from '../../text/html.ts';
import { ENGLISH } from '../texts/english.ts';
import { PAGE_SCRIPT, PAGE_STYLE } from './assets.generated.ts';
import type { PackedIndex } from './packed.ts';

/**
 * The page, whole: one file that asks for nothing. `texts` are the companies' compressed texts, two each. Only
 * the script and the style that are in it may act, by their hashes; the page reads its data as text and never as
 * markup. The script writes the head of the page anew, in the reader's language.
 */
export function htmlDocument(index: PackedIndex, texts: readonly string[]): string {
  const range = ENGLISH.range(index.from, index.to);
  const title = `${ENGLISH.title} ${range}`;
  return `${pageHead({ language: 'en', title, style: PAGE_STYLE, script: PAGE_SCRIPT })}
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
