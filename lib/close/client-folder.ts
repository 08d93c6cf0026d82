import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { notAcceptedText } from '../query/form-2181.ts';
import { VERDICTS } from '../report/verdict.ts';
import { WrongInputError } from '../system/errors.ts';
import { readSmallFile, writePrivateFile } from '../system/private-files.ts';
import { makeFolder } from '../system/private-folders.ts';
import { longMonth, momentText } from '../text/spanish.ts';
import { htmlText, page } from '../view/parts.ts';
import { type Close, closeFile, INDEX, isAsClosed } from './close-folder.ts';
import { SAY } from './phrases.ts';

/** What a client gets of a close, with what each file is. */
const FILES: readonly (readonly [name: string, about: string])[] = [
  ['informe.html', 'El mes en una página: ventas, compras, IVA y lo que hay que mirar'],
  ['libro-iva-ventas.xlsx', 'Libro IVA ventas'],
  ['libro-iva-compras.xlsx', 'Libro IVA compras'],
  ['posicion-iva.xlsx', 'Posición de IVA y retenciones'],
  ['resguardos.xlsx', 'Resguardos'],
  ['formulario-2181.txt', 'Formulario 2181, para el programa de la DGI'],
];
const COVER = 'portada.html';
/** One has 15 KB. */
const MOST_COVER_BYTES = 2 ** 20;
/** The cover's line that has the hash of all others. */
const HASH_LINE = /<meta name="contenido-sha256" content="[0-9a-f]{64}">\n/;

/**
 * Copies into `OUT/RUT/2026-10` what a client gets of a close, under a cover, which has the company's name of today: files
 * for people, without a command or a path. Returns the folder. Throws WrongInputError where a file is not as the close wrote
 * it, in either folder, or the folder is a close: what a person wrote into a file, or another close, is kept.
 */
export async function writeClientFolder(out: string, close: Close, name: string | null): Promise<string> {
  const folder = join(out, close.index.rut, basename(close.folder));
  makeFolder(folder, out);
  const there = await readdir(folder);
  if (there.includes(INDEX)) throw new WrongInputError(SAY.isClose(folder));
  for (const file of [...FILES.map(([name]) => name), COVER])
    if (there.includes(file) && !(await isAsWritten({ ...close, folder }, file)))
      throw new WrongInputError(SAY.changed(join(folder, file)), { advice: SAY.moveAway() });
  const files = FILES.filter(([file]) => Object.hasOwn(close.index.files, file));
  for (const [file] of files) await writePrivateFile(join(folder, file), closeFile(close, file));
  await writePrivateFile(
    join(folder, COVER),
    withHash(coverOf({ ...close.index, name: name ?? close.index.name }, files)),
  );
  return folder;
}

/** Whether nobody wrote into a file since: of its cover, which is in no close, by the hash in it. */
async function isAsWritten(close: Close, file: string): Promise<boolean> {
  if (file !== COVER) return await isAsClosed(close, file);
  const bytes = await readSmallFile(join(close.folder, file), MOST_COVER_BYTES).catch(() => undefined);
  const cover = bytes?.toString() ?? '';
  return HASH_LINE.test(cover) && withHash(cover.replace(HASH_LINE, '')) === cover;
}

function withHash(html: string): string {
  const hash = createHash('sha256').update(html).digest('hex');
  return html.replace('<meta charset="utf-8">\n', `$&<meta name="contenido-sha256" content="${hash}">\n`);
}

function coverOf(
  { rut, name, month, madeAt, state, sentence, accepted, form2181, read }: Close['index'],
  files: typeof FILES,
) {
  const first = `${month}-01` as const;
  const moments = read.flatMap(({ readAt }) => readAt ?? []).sort();
  const [from = madeAt, to = madeAt] = [moments[0], moments.at(-1)];
  const readings = `Cada día se leyó por última vez entre el ${momentText(from)} y el ${momentText(to)}, y el mes se cerró el ${momentText(madeAt)}, hora de Uruguay.`;
  const links = files.map(([file, description]) => `<a href="${file}">${htmlText(description)}</a>`);
  const open = accepted.map(({ text }) => htmlText(text));
  const { notAccepted } = form2181;
  const notInForm = notAccepted > 0 ? `<p>${htmlText(notAcceptedText(notAccepted)('es'))}</p>` : '';
  return page({
    title: `${longMonth(first)} · ${name ?? rut}`,
    heading: name ?? `RUT ${rut}`,
    aboutHtml: `RUT ${htmlText(rut)} · <b>${longMonth(first)}</b>`,
    html: [
      `<section class="card verdict ${state}"><h2><span class="badge">${VERDICTS[state]}</span> ${htmlText(sentence)}</h2>
<p>${htmlText(readings)}</p></section>`,
      card('Qué queda abierto', list(open) || '<p>Nada.</p>'),
      card('Qué hay en esta carpeta', `${list(links)}${notInForm}`),
    ].join('\n'),
  });
}

/** Never folded, not even on a phone. */
function card(title: string, html: string): string {
  return `<section class="card"><h2>${title}</h2>\n${html}</section>`;
}

function list(items: readonly string[]): string {
  return items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
}
