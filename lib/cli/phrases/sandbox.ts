import { inBoth } from '../../text/language.ts';
import { counted } from '../../text/spanish.ts';
import { plural } from '../../text/terminal.ts';

/** What the sandbox says when it has begun, or cannot. */
const en = {
  lists: () =>
    "write the tax authority's lists of the last whole month into this folder; the first company's service lacks a receipt of its list, until it is started without this",
  ready: (url: string, count: number) =>
    `${url}\n${plural(count, 'company', 'companies')}; Ctrl-C ends it. In another terminal:`,
  taken: (port: number, code: string) =>
    `Port ${port} is taken (${code}); give another with --port N, or leave it out.`,
  forbidden: (port: number, code: string) =>
    `Port ${port} needs more rights (${code}); give another with --port N, or leave it out.`,
};
const es: typeof en = {
  lists: () =>
    'escribe en esta carpeta las listas de la DGI del último mes entero; al servicio de la primera empresa le falta un comprobante de su lista, hasta que se lo inicie sin esto',
  ready: (url, count) =>
    `${url}\n${counted(count, ['empresa', 'empresas'])}; termina con Ctrl-C. En otra terminal:`,
  taken: (port, code) => `El puerto ${port} está ocupado (${code}); dé otro con --port N, o quítelo.`,
  forbidden: (port, code) =>
    `El puerto ${port} necesita más permisos (${code}); dé otro con --port N, o quítelo.`,
};
export const SAY = inBoth(en, es);
