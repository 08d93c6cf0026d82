import type { BodyAnswer } from './answer.ts';
import { dayNumber, dayOf, dayText, weekday } from './generator/calendar.ts';
import { rateOf } from './generator/currencies.ts';

/** The central bank's path, as public programs name it. */
export const CENTRAL_BANK_PATH = '/wscotizaciones/servlet/awsbcucotizaciones';

/** Its codes; the last is the cable, which nobody should take for the dollar. */
const NAMES: Readonly<Record<string, readonly [currency: string, name: string, iso: string]>> = {
  2225: ['USD', 'DLS. USA BILLETE', 'DLS.'],
  1111: ['EUR', 'EURO', 'EURO'],
  501: ['ARS', 'PESO ARG.BILLETE', '$ARG'],
  1001: ['BRL', 'REAL BILLETE', 'R$'],
  9800: ['UYI', 'UNIDAD INDEXADA', 'U.I.'],
  9900: ['UYR', 'UNIDAD REAJUSTAB', 'U.R.'],
  2224: ['USD', 'DLS. USA CABLE', 'DLS.'],
};

/** Asked for more days, or for several currencies, it answers with an empty row in place of them. */
const MOST_DAYS = 89;
/** Every so many days it has a row of zeros. */
const ZEROS = 13;

/**
 * The central bank's rates, with what people met in its service: an empty row in place of data, dates at midnight in UTC,
 * rows of zeros, errors with status 200. Rates are near those that the sandbox's receipts state.
 */
export function centralBankAnswer(body: string, localMs: number): BodyAnswer {
  const codes = [...body.matchAll(/<(?:\w+:)?item>\s*(\d+)\s*</g)].map(([, code = '']) => code);
  const [from, to] = ['FechaDesde', 'FechaHasta'].map((name) =>
    dayNumber(new RegExp(`<(?:\\w+:)?${name}>\\s*([\\d-]+)\\s*<`).exec(body)?.[1] ?? ''),
  );
  if (codes.length === 0 || from === undefined || to === undefined)
    return salida(EMPTY, 101, 'Parámetros incorrectos');
  if (to < from) return salida(EMPTY, 103, 'Fecha Hasta es menor que Fecha Desde');
  const [code = '', ...moreCodes] = codes;
  if (moreCodes.length > 0 || to - from >= MOST_DAYS) return salida(EMPTY);
  const rows: string[] = [];
  for (let day = from; day <= Math.min(to, dayOf(localMs)); day += 1) rows.push(...rowOf(code, day));
  return rows.length > 0
    ? salida(rows.join(''))
    : salida(EMPTY, 100, 'No existe cotización para la fecha indicada');
}

function rowOf(code: string, day: number): string[] {
  const [currency = '', name = '', iso = ''] = NAMES[code] ?? [];
  const rate = rateOf(currency);
  const isUnit = currency === 'UYI' || currency === 'UYR';
  if (rate === undefined || (!isUnit && [0, 6].includes(weekday(day)))) return [];
  if (currency === 'UYR' && !dayText(day).endsWith('-01')) return [];
  // Thousandths of a peso, some ten thousandths of them more from day to day.
  const value = ((rate * (10_000 + (day % 7))) / 1e7).toFixed(6);
  const shown = day % ZEROS === 0 && !isUnit ? '0.000000' : value;
  return [row(`<Fecha>${dayText(day)}T00:00:00.000Z</Fecha>`, code, name, iso, shown)];
}

function row(date: string, code: string, name: string, iso: string, value: string): string {
  return `<datoscotizaciones.dato xmlns="Cotiza">${date}<Moneda>${code}</Moneda><Nombre>${name}</Nombre><CodigoISO>${iso}</CodigoISO><Emisor/><TCC>${value}</TCC><TCV>${value}</TCV><ArbAct>1.000000</ArbAct><FormaArbitrar>0</FormaArbitrar></datoscotizaciones.dato>`;
}

const EMPTY = row('<Fecha xsi:nil="true"/>', '0', '', '', '0.000000');

/** Its error has a code; without one the status is good. */
function salida(rows: string, code = 0, message = ''): BodyAnswer {
  const status = `<respuestastatus><status>${code === 0 ? 1 : 0}</status><codigoerror>${code}</codigoerror><mensaje>${message}</mensaje></respuestastatus>`;
  return {
    status: 200,
    headers: { 'content-type': 'text/xml; charset=utf-8' },
    body: `<?xml version="1.0" encoding="utf-8"?>
<SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><SOAP-ENV:Body><wsbcucotizaciones.ExecuteResponse xmlns="Cotiza"><Salida xmlns="Cotiza">${status}<datoscotizaciones>${rows}</datoscotizaciones></Salida></wsbcucotizaciones.ExecuteResponse></SOAP-ENV:Body></SOAP-ENV:Envelope>`,
  };
}
