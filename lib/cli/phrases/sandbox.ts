import { inBoth } from '../../text/language.ts';
import { counted } from '../../text/spanish.ts';
import { plural } from '../../text/terminal.ts';

/** What the sandbox says when it has begun, or cannot. */
const en = {
  ready: (url: string, count: number) =>
    `${url}\n${plural(count, 'company', 'companies')}; Ctrl-C ends it. In another terminal:`,
  taken: (port: number, code: string) =>
    `Port ${port} is taken (${code}); give another with --port N, or leave it out.`,
  forbidden: (port: number, code: string) =>
    `Port ${port} needs more rights (${code}); give another with --port N, or leave it out.`,
};
const es: typeof en = {
  ready: (url, count) =>
    `${url}\n${counted(count, ['empresa', 'empresas'])}; termina con Ctrl-C. En otra terminal:`,
  taken: (port, code) => `El puerto ${port} está ocupado (${code}); dé otro con --port N, o quítelo.`,
  forbidden: (port, code) =>
    `El puerto ${port} necesita más permisos (${code}); dé otro con --port N, o quítelo.`,
};
export const SAY = inBoth(en, es);
