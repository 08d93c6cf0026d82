import { beforeAll, describe, expect, it } from 'vitest';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { answerOf } from '../../lib/report/parts.ts';
import { type Report, readReport, readReports } from '../../lib/report/read-report.ts';
import { currencyHint, verdictOf } from '../../lib/report/verdict.ts';
import { type Day, daysBetween } from '../../lib/time/days.ts';
import { sharedFolder } from '../support/lake/lake-folder.ts';
import { type MadeRow, madeLakeFolder } from '../support/query/made-lake.ts';
import { detail, issued, received } from '../support/query/made-receipts.ts';

const MONTH = { from: '2026-05-01', to: '2026-05-31', today: '2026-11-20' } as const;
const fecha: Day = '2026-05-05';
const READ_AT = '2026-08-10T02:00:00';

/** What a company issued, and of some the detail; and what it received. */
interface Made {
  issued: readonly { receipt: MadeRow; detail?: MadeRow }[];
  received?: readonly MadeRow[];
}

let numbers = 0;
function nextNumber(): string {
  numbers += 1;
  return `A${numbers}`;
}

/** An issued receipt and, if it has any, its detail with these totals. */
function sold(tipo_comprobante: number, totales?: string): Made['issued'][number] {
  const receipt = issued(fecha, nextNumber(), { tipo_comprobante });
  return totales === undefined ? { receipt } : { receipt, detail: detail(receipt, { totales }) };
}

/** An e-Ticket that nobody answered. 5,000 UI of 2026 are 32,104 pesos. */
function ticket(net: string): Required<Made['issued'][number]> {
  const answers = { estado_dgi_codigo: 'NE', estado_receptor_codigo: '', receptor_ruc: '' };
  const receipt = issued(fecha, nextNumber(), { tipo_comprobante: 101, totales_total: net, ...answers });
  const totales = JSON.stringify({ moneda: 'UYU', mnt_no_gravado: Number(net) });
  return { receipt, detail: detail(receipt, { totales }) };
}

const bought = () => received(fecha, nextNumber());
const { moneda: _, ...withoutCurrency } = bought();
const small = () => ['1200.00', '32103.99', '0.01'].map(ticket);

const UNREAD = '210000000017';
const UNNAMED = '210000000025';
const RECEIVED = '210000000033';
const KNOWN = '210000000041';
const SMALL = '210000000058';
const LARGE = '210000000066';
const UNKNOWN_SIZE = '210000000074';

/** By RUT. All are in one lake: reading a month takes as long of all companies as of one. */
const MADE: Readonly<Record<string, Made>> = {
  [UNREAD]: { issued: [sold(101), sold(151)], received: [bought()] },
  [UNNAMED]: { issued: [sold(101, '{"divisa":"UYU"}'), sold(151, '{}')] },
  [RECEIVED]: { issued: [sold(101)], received: [bought(), withoutCurrency] },
  [KNOWN]: {
    issued: [sold(101, '{"moneda":"UYU"}'), sold(151, '{"moneda":"UYU"}')],
    received: [bought()],
  },
  [SMALL]: { issued: small() },
  [LARGE]: { issued: [...small(), ticket('32104.00')] },
  [UNKNOWN_SIZE]: { issued: [...small(), { receipt: ticket('1.00').receipt }] },
};

const reports = new Map<string, Report>();
beforeAll(async () => {
  const ofCompanies = (rows: (made: Made) => readonly MadeRow[]) =>
    Object.entries(MADE).flatMap(([rut, made]) => rows(made).map((row) => ({ ...row, rut })));
  const emitidos = ofCompanies((made) => made.issued.map(({ receipt }) => receipt));
  const recibidos = ofCompanies((made) => made.received ?? []);
  const emitidos_detalle = ofCompanies((made) =>
    made.issued.flatMap((receipt) => (receipt.detail === undefined ? [] : [receipt.detail])),
  );
  // Every day was read, after its 65 days.
  const exportaciones = ofCompanies(() =>
    daysBetween(MONTH.from, MONTH.to).flatMap((day) =>
      ['emitidos', 'recibidos'].map((direccion) => ({
        fecha_corrida: '2026-08-10',
        corrida: 'night',
        direccion,
        fecha: day,
        estado: 'sin_cambios',
        inicio: READ_AT,
        fin: READ_AT,
        filas: 0,
      })),
    ),
  );
  const rows = { emitidos, recibidos, emitidos_detalle, exportaciones };
  const folder = await madeLakeFolder(rows, sharedFolder());
  for await (const { report } of readReports(new FolderStore(folder), MONTH)) {
    if ('error' in report) throw report.error;
    reports.set(report.rut, report);
  }
});

function reportOf(rut: string): Report {
  const report = reports.get(rut);
  if (report === undefined) throw new Error(`there is no report of ${rut}`);
  return report;
}

describe('the advice of a report on receipts whose currency the list does not name', () => {
  const NAMED_NOWHERE = 'No figura en las listas ni en los detalles leídos de los emitidos.';
  /** What the report advises about the currencies of sales and of purchases. */
  const advice = (rut: string) =>
    (['ventas', 'compras'] as const).map((id) => currencyHint(reportOf(rut), id));

  it('says that details were not read, and how to read them', () => {
    const [sales, purchases] = advice(UNREAD);
    expect(sales).toBe('La moneda está en los detalles, que no se leyeron todos.');
    expect(purchases).toBe(sales);
    expect(reportOf(UNREAD).bring).toMatch(
      / export .*--from 2026-05-01 --to 2026-05-31 --details recibidos --details emitidos$/,
    );
  });

  it('is not to read details again that do not name the currency', () => {
    expect(advice(UNNAMED)).toEqual([NAMED_NOWHERE, NAMED_NOWHERE]);
    expect(reportOf(UNNAMED).bring).toBeUndefined();
  });

  it('is not to read issued receipts where a received one lacks its currency', () => {
    expect(advice(RECEIVED)[1]).toBe(NAMED_NOWHERE);
  });

  it('is not given where all currencies are known', () => {
    expect(advice(KNOWN)).toEqual([undefined, undefined]);
  });
});

describe('a shop’s month of e-Tickets without an answer', () => {
  const verdictOn = (rut: string) => verdictOf(reportOf(rut));

  it('closes clean if all are below the limit and their details were read', () => {
    expect(verdictOn(SMALL)).toMatchObject({ state: 'complete', concerns: [] });
  });

  it('names the e-Ticket that is not below the limit', () => {
    const text = '1 respuesta pendiente, de la DGI o de un receptor';
    expect(verdictOn(LARGE)).toMatchObject({ state: 'complete', concerns: [{ text }] });
  });

  it('counts apart the e-Tickets whose detail was not read', () => {
    const { concerns } = verdictOn(UNKNOWN_SIZE);
    expect(concerns.some(({ text }) => text.includes('sin leer el detalle'))).toBe(true);
    expect(concerns.some(({ text }) => text.includes('pendiente'))).toBe(false);
  });
});

it('tells as a change what came to a day that was read empty, not what was first read after the close', async () => {
  const [rut, late, first] = [RECEIVED, '2026-05-05', '2026-05-06'];
  const readings = [
    { fecha: late, day: '2026-05-06', estado: 'vacio', filas: 0 },
    { fecha: late, day: '2026-06-07', estado: 'exportado', filas: 1 },
    { fecha: first, day: '2026-06-07', estado: 'exportado', filas: 1 },
  ];
  const store = new FolderStore(
    await madeLakeFolder({
      recibidos: [late, first].map((day) => ({ ...received(day, nextNumber()), rut })),
      exportaciones: readings.map(({ day, ...reading }) => ({
        rut,
        direccion: 'recibidos',
        fecha_corrida: day,
        corrida: 'night',
        ...reading,
        inicio: `${day}T02:00:00`,
        fin: `${day}T02:00:00`,
      })),
    }),
  );
  const report = await readReport(store, { ...MONTH, rut, name: undefined });
  const changes = answerOf(report.parts, 'cambios')?.rows.map((row) => [row[1], row[6]]);
  expect(changes).toEqual([[late, 'aparecio']]);
});
