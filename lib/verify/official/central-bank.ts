import sax from 'sax';
import { assertCertificateChecked } from '../../api/access.ts';
import { BodyError } from '../../api/body.ts';
import { ConnectionPool, exchange } from '../../api/connection-pool.ts';
import { networkFault } from '../../api/retry.ts';
import { CURRENCIES } from '../../lake/currencies.ts';
import { CfeLakeError } from '../../system/errors.ts';
import { decodedText } from '../../text/decoded-text.ts';
import type { Localized } from '../../text/language.ts';
import { addDays, type Day, type DayRange, isDay, isWithin } from '../../time/days.ts';
import { BANK } from './phrases.ts';
import { exactRate } from './rate-values.ts';

/** Where the central bank gives its rates, as many public programs ask for them; nobody here has seen it. */
export const CENTRAL_BANK = new URL(
  'https://cotizaciones.bcu.gub.uy/wscotizaciones/servlet/awsbcucotizaciones',
);

/** Asked for more days, or for several currencies at once, it was seen to answer with an empty row. */
const MOST_DAYS = 89;
const TIMEOUT_MS = 30_000;
/** A rate takes some 400 bytes. */
const MAX_BODY_BYTES = 2 ** 20;
/** Its code for days without any rate. */
const NO_RATES = '100';

/** What the bank gave of one currency. */
export interface BankRates {
  currency: string;
  /** The bank's name of it; empty if it gave no rate. */
  name: string;
  rates: readonly BankRate[];
}

export interface BankRate {
  day: Day;
  currency: string;
  /** Pesos for one unit, in millionths: what the bank calls TCC, the buyer's rate. */
  value: bigint;
}

/** The central bank's service gave no rates that can be used. */
export class CentralBankError extends CfeLakeError {
  override name = 'CentralBankError';
  constructor(currency: string, fault: Localized) {
    super(BANK.noRates(currency, fault), { advice: BANK.tryLater() });
  }
}

/**
 * The rates of bank notes and units of account of these days, one currency after the other. `address`: of the service, or
 * of a server that has it at its own path. Throws a CentralBankError, and the signal's reason.
 */
export async function* centralBankRates(
  address: URL,
  days: DayRange,
  signal: AbortSignal,
): AsyncGenerator<BankRates> {
  const url = address.pathname === '/' ? new URL(CENTRAL_BANK.pathname, address) : address;
  assertCertificateChecked(url);
  const pool = new ConnectionPool();
  try {
    for (const { code: currency, bankCode } of CURRENCIES) {
      if (bankCode === undefined) continue;
      const parts: BankRates[] = [];
      for (let from = days.from; from <= days.to; from = addDays(from, MOST_DAYS)) {
        const last = addDays(from, MOST_DAYS - 1);
        const part = { from, to: last < days.to ? last : days.to };
        const text = await answerOf(pool, url, currency, requestFor(bankCode, part), signal);
        parts.push(ratesIn(text, currency, bankCode, part));
      }
      const name = parts.find((part) => part.name !== '')?.name ?? '';
      yield { currency, name, rates: parts.flatMap(({ rates }) => rates) };
    }
  } finally {
    await pool.destroy();
  }
}

function requestFor(bankCode: number, { from, to }: DayRange): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:cot="Cotiza">
<soapenv:Header/><soapenv:Body><cot:wsbcucotizaciones.Execute><cot:Entrada>
<cot:Moneda><cot:item>${bankCode}</cot:item></cot:Moneda>
<cot:FechaDesde>${from}</cot:FechaDesde><cot:FechaHasta>${to}</cot:FechaHasta><cot:Grupo>0</cot:Grupo>
</cot:Entrada></cot:wsbcucotizaciones.Execute></soapenv:Body></soapenv:Envelope>`;
}

async function answerOf(
  pool: ConnectionPool,
  url: URL,
  currency: string,
  body: string,
  signal: AbortSignal,
): Promise<string> {
  const headers = {
    'content-type': 'text/xml; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    soapaction: '"Cotizaaction/AWSBCUCOTIZACIONES.Execute"',
  };
  try {
    const limits = { timeoutMs: TIMEOUT_MS, maxBodyBytes: MAX_BODY_BYTES, signal };
    const answer = await exchange(() => pool.post(url.href, headers, body), limits);
    const text = decodedText(Buffer.concat(answer.body));
    answer.release();
    if (answer.status !== 200) throw new CentralBankError(currency, BANK.status(answer.status));
    if (text === undefined) throw new CentralBankError(currency, BANK.notText());
    return text;
  } catch (error) {
    if (error instanceof CentralBankError || signal.aborted) throw error;
    const fault = error instanceof BodyError ? error.message : networkFault(error).fault;
    throw new CentralBankError(currency, BANK.connection(fault));
  }
}

/** In a cell of a list a sign of a currency may stand beside it. */
const PLAIN_NUMBER = /^\d+(?:\.\d+)?(?:E[-+]?\d+)?$/i;
const MOST_CODE_CHARACTERS = 20;
/** It is stored. */
const MOST_NAME_CHARACTERS = 100;
const DATE = /^(\d{4}-\d{2}-\d{2})(?:T00:00:00(?:\.0+)?(?:Z|[-+]\d{2}:\d{2})?)?$/;

/** Throws a CentralBankError for anything but rates of this currency and these days. */
function ratesIn(xml: string, currency: string, bankCode: number, days: DayRange): BankRates {
  const [status, rows] = partsOf(xml) ?? [];
  if (status === undefined || rows === undefined) throw new CentralBankError(currency, BANK.notItsAnswer());
  const textOf = (row: ReadonlyMap<string, string>, name: string) => row.get(name)?.trim() ?? '';
  if (textOf(status, 'status') !== '1') {
    const code = textOf(status, 'codigoerror').slice(0, MOST_CODE_CHARACTERS);
    if (code === NO_RATES) return { currency, name: '', rates: [] };
    const message = textOf(status, 'mensaje').slice(0, 200);
    throw new CentralBankError(currency, BANK.says(JSON.stringify(message), code));
  }
  const rates: BankRate[] = [];
  let name = '';
  for (const row of rows) {
    // In place of rates: a row without a date, of the currency 0.
    const [date, code] = [textOf(row, 'Fecha'), textOf(row, 'Moneda')];
    const currencyCode = /^\d+$/.test(code) || code === '' ? Number(code) : undefined;
    if (date === '' || currencyCode === 0) continue;
    // The day that it says, of which its midnight in UTC is a part of the day before in Uruguay.
    const [, day = ''] = DATE.exec(date) ?? [];
    const rate = textOf(row, 'TCC');
    const value = PLAIN_NUMBER.test(rate) ? exactRate(rate) : undefined;
    const isAsked = currencyCode === bankCode && isDay(day) && isWithin(days, day);
    if (!isAsked || value === undefined)
      throw new CentralBankError(currency, BANK.strangeRow(days.from, days.to));
    name = textOf(row, 'Nombre').slice(0, MOST_NAME_CHARACTERS);
    // Of days without a rate.
    if (value > 0n) rates.push({ day, currency, value });
  }
  return { currency, name, rates };
}

const STATUS = 'respuestastatus';
const ROW = 'datoscotizaciones.dato';

function partsOf(xml: string) {
  try {
    const found = elements(xml, [STATUS, ROW]);
    const [status, other] = found.get(STATUS) ?? [];
    // Nobody knows which of two counts.
    return other === undefined ? ([status, found.get(ROW)] as const) : undefined;
  } catch {
    return undefined;
  }
}

/** The elements of these names, wherever they are, each with the texts of what is in it by its name. Throws for what is no XML. */
function elements(xml: string, names: readonly string[]): ReadonlyMap<string, ReadonlyMap<string, string>[]> {
  const found = new Map(names.map((name): [string, Map<string, string>[]] => [name, []]));
  const path: string[] = [];
  let [element, depth] = [new Map<string, string>(), Number.POSITIVE_INFINITY];
  const parser = sax.parser(true);
  parser.onerror = (error) => {
    throw error;
  };
  parser.onopentag = (tag) => {
    const tagName = tag.name.slice(tag.name.indexOf(':') + 1);
    path.push(tagName);
    if (path.length === depth + 1) {
      if (element.has(tagName)) throw new SyntaxError('one of its values comes twice');
      element.set(tagName, '');
    }
    const named = found.get(tagName);
    if (named === undefined || path.length > depth) return;
    depth = path.length;
    element = new Map();
    named.push(element);
  };
  parser.ontext = parser.oncdata = (text) => {
    const tagName = path.at(-1);
    if (tagName !== undefined && path.length === depth + 1)
      element.set(tagName, (element.get(tagName) ?? '') + text);
  };
  parser.onclosetag = () => {
    if (path.length === depth) depth = Number.POSITIVE_INFINITY;
    path.pop();
  };
  parser.write(xml).close();
  return found;
}
