import { inBoth } from '../../text/language.ts';
import { plural } from '../../text/terminal.ts';

/** What `close` says of each company. */
const en = {
  failed: (company: string, why: string) => `${company}: failed. ${why}`,
  same: (company: string, folder: string) =>
    `${company}: nothing differs (igual al último cierre), ${folder}`,
  left: (company: string) => `${company}: not closed again; it is not as in its newest close`,
  refused: (company: string, points: string) => `${company}: refused. ${points}`,
  closed: (company: string, folder: string) => `${company}: closed, in ${folder}`,
  accepted: (names: string) => `accepted: ${names}`,
  form: (leftOut: string) => `form 2181: ${leftOut}`,
  noList: () => 'no list of the tax authority',
  unusedLists: (files: string) =>
    `not used: ${files}. The name of a list begins with the RUT of a company of this close.`,
  all: (hidden: number, command: string) =>
    `${hidden > 0 ? `${plural(hidden, 'more row', 'more rows')}; all` : 'All'} of it:  ${command}\n`,
  others: (since: string, others: string) => `Not as in ${since}: ${others}.`,
  accept: (names: string) => `To close with these points open: --accept ${names}`,
  again: () => 'To close these again: --again, or name a company by --rut RUT.',
  points: () => 'the open points',
  lists: () => 'what reconcile says of the lists',
  verdict: (then: string, now: string) => `the verdict (“${then}” Now: “${now}”)`,
  ui: () => 'the UI',
  notClosed: (open: number, all: number) => `${plural(open, 'company', 'companies')} of ${all} not closed.`,
};
const es: typeof en = {
  failed: (company, why) => `${company}: falló. ${why}`,
  same: (company, folder) => `${company}: igual al último cierre, ${folder}`,
  left: (company) => `${company}: no se cerró otra vez; no es como en su último cierre`,
  refused: (company, points) => `${company}: no se cerró. ${points}`,
  closed: (company, folder) => `${company}: cerrada, en ${folder}`,
  accepted: (names) => `se aceptó: ${names}`,
  form: (leftOut) => `formulario 2181: ${leftOut}`,
  noList: () => 'sin lista de la DGI',
  unusedLists: (files) =>
    `sin usar: ${files}. El nombre de una lista empieza con el RUT de una empresa de este cierre.`,
  all: (hidden, command) =>
    `${hidden > 0 ? `${hidden === 1 ? 'Una fila' : `${hidden} filas`} más; todo` : 'Todo'}:  ${command}\n`,
  others: (since, others) => `No es como en ${since}: ${others}.`,
  accept: (names) => `Para cerrar con estos puntos abiertos: --accept ${names}`,
  again: () => 'Para cerrarlas otra vez: --again, o nombrar una empresa con --rut RUT.',
  points: () => 'los puntos abiertos',
  lists: () => 'lo que dice reconcile de las listas',
  verdict: (then, now) => `el veredicto («${then}» Ahora: «${now}»)`,
  ui: () => 'la UI',
  notClosed: (open, all) => `${open === 1 ? 'Una empresa' : `${open} empresas`} de ${all} sin cerrar.`,
};
export const SAY = inBoth(en, es);
