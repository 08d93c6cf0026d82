import { describe, expect, it } from 'vitest';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { readReport } from '../../lib/report/read-report.ts';
import { SPANISH_REPORT } from '../../lib/report/texts/spanish.ts';
import { verdictOf } from '../../lib/report/verdict.ts';
import { addDays, type Day } from '../../lib/time/days.ts';
import { type MadeRow, madeLakeFolder } from '../support/query/made-lake.ts';
import { detail, issued, RUT } from '../support/query/made-receipts.ts';

const MONTH = { from: '2026-05-01', to: '2026-05-31', today: '2026-11-20' } as const;
const READ_AT = '2026-08-10T02:00:00';

/** 5,000 UI of 2026 are 32,104 pesos. */
function ticket(number: string, net: string): { receipt: MadeRow; detail: MadeRow } {
  const receipt = issued('2026-05-05', number, {
    tipo_comprobante: 101,
    estado_dgi_codigo: 'NE',
    estado_receptor_codigo: '',
    receptor_ruc: '',
  });
  const totales = JSON.stringify({ moneda: 'UYU', mnt_neto_iva_tasa_basica: Number(net) });
  return { receipt, detail: detail(receipt, { totales }) };
}

/** The verdict on a month that was read whole, after its 65 days. */
async function verdictOn(tickets: readonly ReturnType<typeof ticket>[], unread: readonly MadeRow[] = []) {
  const days: Day[] = [MONTH.from];
  for (let day = addDays(MONTH.from, 1); day <= MONTH.to; day = addDays(day, 1)) days.push(day);
  const exportaciones = days.flatMap((day) =>
    ['emitidos', 'recibidos'].map((direccion) => {
      const isOfTickets = direccion === 'emitidos' && day === '2026-05-05';
      return {
        ...{ fecha_corrida: '2026-08-10', corrida: 'night', rut: RUT, direccion, fecha: day },
        ...{ estado: isOfTickets ? 'exportado' : 'vacio', inicio: READ_AT, fin: READ_AT },
        filas: isOfTickets ? tickets.length + unread.length : 0,
      };
    }),
  );
  const lake = await madeLakeFolder({
    exportaciones,
    emitidos: [...tickets.map(({ receipt }) => receipt), ...unread],
    emitidos_detalle: tickets.map((one) => one.detail),
  });
  const report = await readReport(new FolderStore(lake), { rut: RUT, name: undefined, ...MONTH });
  const { state, concerns } = verdictOf(report, SPANISH_REPORT);
  return { state, concerns: concerns.map(({ text, command }) => [text, command]) };
}

describe('a shop’s month of e-Tickets without an answer', () => {
  const small = ['1200.00', '32103.99', '0.01'].map((net, index) => ticket(`A${index + 1}`, net));

  it('closes clean if all are below the limit and their details were read', async () => {
    expect(await verdictOn(small)).toEqual({ state: 'complete', concerns: [] });
  });

  it('names the one that is not below it', async () => {
    const { state, concerns } = await verdictOn([...small, ticket('A4', '32104.00')]);
    expect(state).toBe('complete');
    expect(concerns).toEqual([['1 respuesta pendiente, de la DGI o de un receptor', undefined]]);
  });

  it('counts those whose detail was not read apart, with the command that reads it', async () => {
    const { receipt } = ticket('A5', '1.00');
    const { concerns } = await verdictOn(small, [receipt]);
    const found = concerns.find(([text]) => text?.includes('sin leer el detalle'));
    expect(found?.[1]).toMatch(/ export .*--from 2026-05-01 --to 2026-05-31 --details emitidos$/);
    expect(concerns.some(([text]) => text?.includes('pendiente'))).toBe(false);
  });
});
