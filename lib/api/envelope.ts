import { ExactNumber, type JsonObject } from '../text/exact-json.ts';
import { printableName } from '../text/printable-name.ts';
import { BodyError } from './body.ts';

/**
 * What the members of an answer say that the contract does not name (§2.1 names three). A member is understood by the
 * words of its name, and of those that it is in, and by its value, in whatever case it is written. Members whose value
 * says that all is well, and those that are null or empty, say nothing.
 */
export interface Envelope {
  /** Members that say that there is more: the answer can't be the last one of its list. */
  goesOn: readonly string[];
  /** Members that count something of the whole list. */
  totals: readonly Total[];
  /** All others: no evidence of anything. */
  unknown: readonly string[];
}

export interface Total {
  name: string;
  count: number;
  /** rows: those of the list; rowsOrPage: those of the list or of this page; pages: as long as this one. */
  counted: 'rows' | 'rowsOrPage' | 'pages';
}

/** A body whose members say that it is no answer. */
export class FailedAnswerError extends BodyError {
  override name = 'FailedAnswerError';
}

/** What the body's members say that are not `known`, if it has any. Throws FailedAnswerError if one says that it failed. */
export function readEnvelope(body: JsonObject, known: ReadonlySet<string>): Envelope | undefined {
  const unknownMembers = Object.entries(body).filter(([name]) => !known.has(name));
  return unknownMembers.length === 0 ? undefined : foundIn(unknownMembers);
}

/**
 * Throws a FailedAnswerError if a member of a receipt, outside what the contract names, says that the request failed.
 * Only names that leave no doubt count: a receipt may have states, codes and messages of its own.
 */
export function assertReceiptSucceeded(receipt: JsonObject): void {
  foundIn(
    Object.entries(receipt).filter(([name]) => {
      const words = plainWords(name);
      return FAILURE.test(words) || SUCCESS.test(words);
    }),
  );
}

/** Names of members for a message: a few of them. */
export function named(members: readonly string[]): string {
  const names = [...new Set(members)].slice(0, MOST_NAMED);
  return names.map((name) => `\`${name}\``).join(', ');
}

const MOST_NAMED = 8;
const MOST_MEMBERS = 2_000;
/** The end of a longer name, with those that it is in, is not looked at. */
const LONGEST_NAME = 200;

// Names and texts are plain words in small letters, one blank between them, or none where they were written as one word;
// names begin with those that they are in, with a slash between.
const NOT = /\b(no|not|sin|without|non)\b|\b(no|sin|non)(err|fail|fall)/;
const FAILURE =
  /\b(has|is|hay|tiene|was)? ?(err(or(es|s)?)?|excepcion(es)?|exceptions?|faults?|fail(ed|ures?|s)?|fall(as?|os?|id[oa]s?)|unsuccessful|incorrect[oa]s?|time ?(out|d out)|aborted|unavailable)( ?(code|codigo|cod|count|messages?|msg))?\b/;
const SUCCESS = /\b(is|was|es|fue)? ?(success(ful)?|succeeded|ok|exito(s[oa])?|correct[oa])$/;
const STATUS = /\b(status|state|estado|resultado|result|outcome|rc)([ /]?(code|codigo|cod|value))?$/;
const CODE = /\b(code|codigo|cod)$/;
const TEXT =
  /\b(messages?|mensajes?|msg|details?|detalles?|reason|motivo|cause|causa|description|descripcion|title|titulo|info|notes?|notas?|warnings?|advertencias?|avisos?|alert(a|s|as)?)$/;
const PAGES = /(^|[ /])(pages|paginas)$/;
const PAGE = /(page|pagina)\b/;

/** Words that a name may have besides: `next_update`, `more_info` and `total_amount` say nothing about the list. */
const OF_A_LIST = alternatives(
  'pages? paginas? token link url uri href key id marker batch records? registros? results? resultados? items? elements? ' +
    'elementos? rows? filas? receipts? comprobantes? documents? documentos? cfe hits? start skip index offset numbers? ' +
    'numeros? num available disponible exists? existe odata value size data lista? limite? of de in all by to is has are ' +
    'was es esta hay tiene there',
);

/**
 * Names that are, at least from a slash on, nothing but these words and those of a list. Each place of the name is reached
 * once: a regular expression would try each way to part it into words.
 */
function ofList(text: string): Pick<RegExp, 'test'> {
  const words = alternatives(text);
  const test = (name: string) => {
    const reached = new Set<number>();
    const reachedByWord = new Set<number>();
    for (let place = 0; place < name.length; place += 1) {
      if (place === 0 || name[place - 1] === '/') reached.add(place);
      if (!reached.has(place) && !reachedByWord.has(place)) continue;
      const start = name[place] === ' ' || name[place] === '/' ? place + 1 : place;
      const endsOf = (found: readonly string[]) =>
        found.filter((word) => name.startsWith(word, start)).map((word) => start + word.length);
      for (const end of endsOf(words)) reachedByWord.add(end);
      for (const end of endsOf(OF_A_LIST)) (reachedByWord.has(place) ? reachedByWord : reached).add(end);
    }
    return reachedByWord.has(name.length);
  };
  return { test };
}

/** `limite?`: with its last letter and without. */
function alternatives(text: string): string[] {
  return text
    .split(' ')
    .flatMap((word) => (word.endsWith('?') ? [word.slice(0, -2), word.slice(0, -1)] : word));
}
const TOTAL = ofList('total count cantidad conteo recuento found encontrados? encontradas?');
const CUT =
  /\b(is|was|es|esta)? ?(truncat(ed|ion)|truncad[oa]s?|partial|parcial|incomplete|incomplet[oa]s?|exceeded|excedido|reached|alcanzado|evaluated|pending|pendientes?|continuations?|continuacion|continues?|continua|cursor)( ?(token|key|id))?\b/;
/** These are used up apart from the list. */
const QUOTA = /\b(rate|quota|cuota|ratelimit)/;
const MORE = ofList('next siguiente proximo proxima more mas');
const LAST = ofList('last ultimo ultima completed? completo completa finished final done eof exhausted');

/** What a member says. */
type Verdict = 'fails' | 'goesOn' | 'nothing' | 'unknown' | Omit<Total, 'name'>;

/** A value as text and as number, where it is one; `isNo`: whether it denies what its name says. */
interface Said {
  value: unknown;
  text: string | undefined;
  number: number | undefined;
  isNo: boolean;
}

/** The first rule whose words are in the name counts. */
const RULES: readonly [Pick<RegExp, 'test'>, (said: Said, name: string) => Verdict][] = [
  [/\brel$/, ({ text }) => (text === 'next' ? 'goesOn' : 'unknown')],
  [
    FAILURE,
    ({ text, number, isNo }, name) => {
      if (NOT.test(name)) return 'unknown';
      const isNone = text !== undefined && (FINE.test(text) || withoutNegated(text) === '');
      return isNo || isNone || isSuccess(number) ? 'nothing' : 'fails';
    },
  ],
  [
    SUCCESS,
    ({ value, text, number, isNo }) => {
      if (isNo || number === 0 || (text !== undefined && FAILING.test(text))) return 'fails';
      return value === true || number === 1 || FINE.test(text ?? '') ? 'nothing' : 'unknown';
    },
  ],
  [PAGES, ({ number }) => countOf(number, 'pages')],
  [
    TOTAL,
    ({ number }, name) =>
      countOf(number, PAGE.test(name) ? 'pages' : name.includes('total') ? 'rows' : 'rowsOrPage'),
  ],
  [CUT, (said, name) => (QUOTA.test(name) ? 'unknown' : goesOnUnless(said))],
  [MORE, goesOnUnless],
  [
    LAST,
    ({ value, number, isNo }, name) => {
      if (number !== undefined && PAGE.test(name)) return countOf(number, 'pages');
      return value === true ? 'nothing' : isNo ? 'goesOn' : 'unknown';
    },
  ],
  [
    STATUS,
    ({ value, text, number, isNo }) => {
      if (value === true || isSuccess(number)) return 'nothing';
      if (isNo || (number !== undefined && (number < 0 || number >= 400))) return 'fails';
      return verdictOfText(text);
    },
  ],
  [CODE, ({ number }) => (isSuccess(number) ? 'nothing' : 'unknown')],
  [TEXT, ({ text }) => verdictOfText(text)],
];

function goesOnUnless({ number, isNo }: Said): Verdict {
  return isNo || (number !== undefined && number <= 0) ? 'nothing' : 'goesOn';
}

function countOf(count: number | undefined, counted: Total['counted']): Verdict {
  if (count === undefined || !Number.isSafeInteger(count)) return 'unknown';
  return count < 0 ? 'nothing' : { count, counted };
}

/** 0, as a program's exit code, or one of HTTP. */
function isSuccess(number: number | undefined): boolean {
  return number !== undefined && (number === 0 || (number >= 200 && number < 300));
}

function verdictOfText(text: string | undefined): Verdict {
  if (text === undefined) return 'unknown';
  if (FINE.test(text)) return 'nothing';
  if (FAILING.test(withoutNegated(text))) return 'fails';
  return PARTIAL.test(text) ? 'goesOn' : 'unknown';
}

/** Throws a FailedAnswerError. */
function foundIn(members: readonly [string, unknown][]): Envelope {
  const failures: string[] = [];
  const found = { goesOn: [] as string[], totals: [] as Total[], unknown: [] as string[] };
  let seen = 0;
  const look = (path: string, value: unknown): void => {
    if (value === null || value === '') return;
    if (typeof value === 'object' && !(value instanceof ExactNumber)) {
      for (const [name, inner] of Object.entries(value))
        look(Array.isArray(value) ? path : `${path}.${name}`.slice(-LONGEST_NAME), inner);
      return;
    }
    seen += 1;
    const name = printableName(path);
    const words = path.split('.').map(plainWords).join('/');
    const verdict = seen > MOST_MEMBERS ? 'unknown' : verdictOn(words, value);
    if (verdict === 'fails') failures.push(name);
    else if (typeof verdict === 'object') found.totals.push({ name, ...verdict });
    else if (verdict !== 'nothing') found[verdict].push(name);
  };
  for (const [name, value] of members) look(name.slice(-LONGEST_NAME), value);
  if (failures.length === 0) return found;
  throw new FailedAnswerError(`it says that the request failed (${named(failures)})`);
}

function verdictOn(name: string, value: unknown): Verdict {
  const text = typeof value === 'string' ? plainWords(value) : undefined;
  const isNo = value === false || (text !== undefined && NO.test(text));
  const rule = RULES.find(([words]) => words.test(name));
  return rule?.[1]({ value, text, number: numberOf(value), isNo }, name) ?? 'unknown';
}

function plainWords(text: string): string {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '');
  const apart = plain.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ');
  return (apart.toLowerCase().match(/[a-z\d]+/g) ?? []).join(' ');
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof ExactNumber) return Number(value.source);
  return typeof value === 'string' && /^\s*-?\d{1,18}\s*$/.test(value) ? Number(value) : undefined;
}

// Texts are plain words in small letters, one blank between them.
const NO = /^(false|no|none|null|nil|ningun[oa]?|nada|n a|undefined|f|n)$/;
const FINE =
  /^(ok|okay|success|successful|successfully|succeeded|exito|exitos[oa]|correct[oa]|complete|completed|complet[oa]|completad[oa]|done|finished|finalizad[oa]|ready|list[oa]|active|up|healthy|true|yes|si|y|s|t|normal|procesad[oa]|(operacion|consulta|solicitud|request|query) (ok|exitosa|correcta|realizada|completada|procesada|succeeded|successful|completed)( con exito| correctamente)?)$/;
const NEGATED =
  /\b(no|sin|0|zero|cero|without|none) (errors?|error|errores|fallas?|fallos?|problems?|problemas?|failures?)( found)?\b/g;
const FAILING =
  /\b(err|errors?|errores|exceptions?|excepcion|fail(s|ed|ure|ures)?|fallas?|fallos?|fallid[oa]|fallaron|fatal|fault|time ?out|timed out|unavailable|unreachable|denied|forbidden|unauthori[sz]ed|invalid[oa]?|rejected|refused|aborted|cancell?ed|crashed|broken|overload(ed)?|throttled|too many|could ?n o?t|could not|cannot|can t|unable|not (available|allowed|authori[sz]ed|reachable|responding|reached|loaded|read)|no (disponible|autorizad[oa]|se pudo|se pudieron|se puede|fue posible|responde|hay conexion)|imposible|(agotado|agotada|excedido) el tiempo|tiempo (de espera |limite )?(agotado|excedido|superado)|denegad[oa]|rechazad[oa]|inaccesible|cancelad[oa]|abortad[oa]|interrumpid[oa]|ko|nok|nak|down|outage|caid[oa]|maintenance|mantenimiento|expired|expirad[oa]|internal server|bad (request|gateway)|unsuccessful|incorrect[oa]?)\b/;
const PARTIAL =
  /\b(partial|partially|parcial|parcialmente|incomplete|incomplet[oa]s?|truncated|truncad[oa]s?|truncation|cut off|more (results|rows|items|records)|mas (resultados|filas|registros|comprobantes))\b/;

function withoutNegated(text: string): string {
  return text.replaceAll(NEGATED, '').trim();
}
