import { ExactNumber, isJsonObject, type JsonObject } from '../text/exact-json.ts';
import { printableName } from '../text/printable-name.ts';
import { BodyError } from './body.ts';

/**
 * What the members of an answer say that the contract does not name (§2.1 names three). A member is understood by the
 * kind of its name's words and by its value, in whatever case it is written and however deep it is nested. Members
 * whose value says that all is well, and those that are null or empty, say nothing.
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
  of: 'rows' | 'rowsOrPage' | 'pages';
}

/** A body whose members say that it is no answer. */
export class FailedAnswerError extends BodyError {
  override name = 'FailedAnswerError';
}

type Members = readonly (readonly [string, unknown])[];

/**
 * What the members of the body say that are not among `known`; undefined if it has no others. Throws a
 * FailedAnswerError if one says that the request failed.
 */
export function readEnvelope(body: JsonObject, known: ReadonlySet<string>): Envelope | undefined {
  const others = Object.entries(body).filter(([name]) => !known.has(name));
  return others.length === 0 ? undefined : foundIn(others);
}

/**
 * Throws a FailedAnswerError if a member of a receipt, outside what the contract names, says that the request failed.
 * Only names that leave no doubt count: a receipt may have states, codes and messages of its own.
 */
export function assertReceiptSucceeded(receipt: JsonObject): void {
  foundIn(
    Object.entries(receipt).filter(([name]) => /^(failure|success)$/.test(kindOf(wordsOf(name)) ?? '')),
  );
}

/** Throws a FailedAnswerError. */
function foundIn(members: Members): Envelope {
  const found = new Findings();
  found.addMembers(members, { path: '', words: [], kind: undefined });
  if (found.failures.length === 0) return found;
  throw new FailedAnswerError(`it says that the request failed (${named(found.failures)})`);
}

/** Names of members for a message: a few of them. */
export function named(members: readonly string[]): string {
  const some = [...new Set(members)].slice(0, MOST_NAMED).map((name) => `\`${name}\``);
  return some.join(', ');
}

/** Kinds of which an array may hold several. */
const OF_EACH: ReadonlySet<string | undefined> = new Set(['failure', 'status', 'text']);
const MOST_NAMED = 8;
const MOST_MEMBERS = 2_000;

/** The words that tell the kind of a member. The first kind that has a word of the name counts. */
const WORDS = {
  failure:
    'error err errores exception excepcion fault failure failed fail falla fallo fallido fallida unsuccessful incorrecto incorrecta timeout timed aborted unavailable',
  more: 'truncated truncado truncada truncation partial parcial incomplete incompleto incompleta more mas next siguiente proximo proxima continuation continuacion continue continua cursor remaining restante pending pendiente exceeded excedido reached alcanzado evaluated',
  success: 'success succeeded successful ok exito exitoso exitosa correcto correcta',
  pages: 'pages paginas',
  total: 'total count cantidad conteo recuento found encontrado',
  end: 'last ultimo ultima complete completed completo completa finished final done eof exhausted',
  status: 'status state estado code codigo cod resultado result outcome rc',
  text: 'message mensaje msg detail detalle reason motivo cause causa description descripcion title titulo info note nota warning advertencia aviso alert alerta',
} as const;

type Kind = keyof typeof WORDS;
const KINDS = new Map<string, Kind>(
  Object.entries(WORDS).flatMap(([kind, words]) =>
    words.split(' ').map((word): [string, Kind] => [word, kind as Kind]),
  ),
);
const ORDER = Object.keys(WORDS) as Kind[];

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** What may stand beside `next`, `more` and `total`: `next_update` and `total_amount` say nothing about the list. */
const BESIDE = set(
  'page pagina token link url uri href key id marker batch record registro result resultado item element elemento row fila receipt comprobante document documento cfe start skip index offset number numero num hit available exists disponible enlace is has are was es esta hay tiene existe there odata of de all in by to list lista size data',
);
const ONLY_BESIDE = set('next siguiente proximo proxima more mas total count cantidad found encontrado');
/** Words of quotas, which are used up apart from the list. */
const QUOTA = set('rate quota cuota ratelimit');
const SHORT = set('is no ok');
const NEGATION = set('no not sin without non');

/** The words of a name in any case style, plain letters, singular; also of words that were written as one. */
function wordsOf(name: string): string[] {
  return plainWords(name).flatMap((word) => singular(word) ?? divided(word) ?? [word]);
}

function plainWords(text: string): string[] {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '');
  const apart = plain.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ');
  return apart.toLowerCase().match(/[a-z\d]+/g) ?? [];
}

function singular(word: string): string[] | undefined {
  const isWord = (candidate: string) =>
    KINDS.has(candidate) || BESIDE.has(candidate) || NEGATION.has(candidate);
  const form = [word, word.replace(/s$/, ''), word.replace(/es$/, '')].find(isWord);
  return form === undefined ? undefined : [form];
}

/** `hasmore`, `nextpagetoken`. */
function divided(word: string): string[] | undefined {
  if (word.length > 40) return undefined;
  for (let end = word.length - 2; end >= 2; end -= 1) {
    // `default` is not `de` and `fault`.
    const isApart = end > 2 || SHORT.has(word.slice(0, end));
    const first = isApart ? singular(word.slice(0, end)) : undefined;
    const rest = first && (singular(word.slice(end)) ?? divided(word.slice(end)));
    if (first !== undefined && rest !== undefined) return [...first, ...rest];
  }
  return undefined;
}

function kindOf(words: readonly string[]): Kind | undefined {
  const kinds = new Set(words.map((word) => KINDS.get(word)));
  let kind = ORDER.find((each) => kinds.has(each));
  // `success_code`, `ok_message`.
  if (kind === 'success') kind = ORDER.findLast((each) => kinds.has(each));
  if (kind === 'failure' && words.some((word) => NEGATION.has(word))) return 'success';
  const isPage = words.some((word) => word === 'page' || word === 'pagina');
  if (kind === 'total' && isPage) return 'pages';
  const isStrict = kind === 'total' || words.some((word) => ONLY_BESIDE.has(word));
  if ((kind === 'more' || kind === 'total') && isStrict) {
    const areAllOfList = words.every(
      (word) => KINDS.get(word) === kind || BESIDE.has(word) || ONLY_BESIDE.has(word),
    );
    if (!areAllOfList) return undefined;
  }
  return kind;
}

interface Place {
  path: string;
  words: readonly string[];
  /** Of the member that this one is in: one whose own name says nothing is of its kind. */
  kind: Kind | undefined;
}

/** What a member says. */
type Verdict = 'fails' | 'goesOn' | 'nothing' | 'unknown' | Omit<Total, 'name'>;

class Findings implements Envelope {
  readonly failures: string[] = [];
  readonly goesOn: string[] = [];
  readonly totals: Total[] = [];
  readonly unknown: string[] = [];
  private seen = 0;

  addMembers(members: Members, place: Place): void {
    const doubtful: Partial<Record<Kind, string>> = {};
    for (const [name, value] of members) {
      const path = printableName(place.path === '' ? name : `${place.path}.${name}`);
      const words = wordsOf(name);
      const kind = kindIn(place, words, value);
      const verdict = this.add(value, { path, words: [...place.words, ...words], kind });
      if (verdict === 'unknown' && kind !== undefined) doubtful[kind] ??= path;
    }
    // An error has a code and a message. Neither of these says that all is well.
    const { status, text } = doubtful;
    if (status !== undefined && text !== undefined) this.failures.push(status, text);
  }

  private add(value: unknown, place: Place): Verdict {
    this.seen += 1;
    const { path, kind } = place;
    const isList = Array.isArray(value);
    if (this.seen > MOST_MEMBERS) return this.note('unknown', path);
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      this.addMembers(Object.entries(value), place);
      return 'nothing';
    }
    if (isList && value.length > 0 && (OF_EACH.has(kind) || value.every(isJsonObject))) {
      for (const element of value) this.add(element, place);
      return 'nothing';
    }
    return this.note(verdictOn(value, place), path);
  }

  private note(verdict: Verdict, name: string): Verdict {
    if (verdict === 'fails') this.failures.push(name);
    else if (verdict === 'goesOn') this.goesOn.push(name);
    else if (verdict === 'unknown') this.unknown.push(name);
    else if (verdict !== 'nothing') this.totals.push({ name, ...verdict });
    return verdict;
  }
}

const PAGES = /^(pages|paginas)$/;
/** Of the page before, or of this one. */
const BACK = /^(prev|previous|before|anterior|first|self)$/;

function kindIn(place: Place, words: readonly string[], value: unknown): Kind | undefined {
  if (place.kind === 'failure') return 'failure';
  const own = kindOf(words);
  // `pages` counts them, and so does `last_page` if it is no answer to whether it is the last.
  const isCount = own === 'end' && words.includes('page') && typeof value === 'number';
  if (isCount || (own === undefined && words.some((word) => PAGES.test(word)))) return 'pages';
  return own ?? (words.some((word) => BACK.test(word)) ? undefined : place.kind);
}

function verdictOn(value: unknown, { words, kind }: Place): Verdict {
  const text = typeof value === 'string' ? plainWords(value).join(' ') : undefined;
  const number = numberOf(value);
  if (words.at(-1) === 'rel' && text === 'next') return 'goesOn';
  if (kind === undefined) return 'unknown';
  if (value === null || isEmpty(value)) return 'nothing';
  const isNo = value === false || (text !== undefined && NO.test(text));
  const isFine = text !== undefined && FINE.test(text);
  switch (kind) {
    case 'failure': {
      const isNone = text !== undefined && withoutNegated(text) === '';
      const isSuccess = number !== undefined && isSuccessStatus(number);
      return isNo || isFine || isNone || isSuccess ? 'nothing' : 'fails';
    }
    case 'success':
      if (isNo || number === 0 || (text !== undefined && FAILING.test(text))) return 'fails';
      return value === true || number === 1 || isFine ? 'nothing' : 'unknown';
    case 'more':
      if (isNo || (number !== undefined && number <= 0)) return 'nothing';
      return words.some((word) => QUOTA.has(word)) ? 'unknown' : 'goesOn';
    case 'end':
      if (value === true) return 'nothing';
      return isNo ? 'goesOn' : 'unknown';
    case 'pages':
    case 'total':
      return countOf(number, words, kind);
    case 'status':
      return statusVerdict(value, number, text);
    case 'text':
      return textVerdict(text);
  }
}

function countOf(number: number | undefined, words: readonly string[], kind: 'pages' | 'total'): Verdict {
  if (number !== undefined && number < 0) return 'nothing';
  if (number === undefined || !Number.isSafeInteger(number)) return 'unknown';
  if (kind === 'pages') return { count: number, of: 'pages' };
  return { count: number, of: words.includes('total') ? 'rows' : 'rowsOrPage' };
}

function statusVerdict(value: unknown, number: number | undefined, text: string | undefined): Verdict {
  if (value === true) return 'nothing';
  if (value === false || (text !== undefined && NO.test(text))) return 'fails';
  if (number === undefined) return textVerdict(text);
  if (isSuccessStatus(number)) return 'nothing';
  return number < 0 || number >= 400 ? 'fails' : 'unknown';
}

/** 0, as a program's exit code, or one of HTTP. */
function isSuccessStatus(number: number): boolean {
  return number === 0 || (number >= 200 && number < 300);
}

function textVerdict(text: string | undefined): Verdict {
  if (text === undefined) return 'unknown';
  if (FINE.test(text)) return 'nothing';
  if (FAILING.test(withoutNegated(text))) return 'fails';
  return PARTIAL.test(text) ? 'goesOn' : 'unknown';
}

function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
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
