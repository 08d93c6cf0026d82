import fc from 'fast-check';
import { expect, it } from 'vitest';
import { campaign } from '../../support/campaign.ts';
import { type MadeRow, madeLake } from '../../support/query/made-lake.ts';

const TODAY = '2026-11-20';
const CLOSE = '2026-11-01';
const RUT = '219999830019';
const DAYS = ['2026-09-30', '2026-10-20', '2026-11-02'] as const;
const RUN_DAYS = ['2026-10-21', '2026-10-31', '2026-11-01', '2026-11-05', '2026-11-06'] as const;

const Reading = fc.record({
  runDay: fc.constantFrom(...RUN_DAYS),
  estado: fc.constantFrom('exportado', 'sin_cambios', 'vacio', 'fallido'),
});
const Unit = fc.record({
  direccion: fc.constantFrom('recibidos' as const, 'emitidos' as const),
  fecha: fc.constantFrom(...DAYS),
  readings: fc.array(Reading, { maxLength: 4 }),
  receipts: fc.array(
    fc.record({
      isGone: fc.boolean(),
      /** The run that told of it as one that came. */
      cameOn: fc.option(fc.constantFrom('2026-10-31', '2026-11-05')),
    }),
    { maxLength: 3 },
  ),
});
const Units = fc.uniqueArray(Unit, {
  selector: ({ direccion, fecha }) => direccion + fecha,
  minLength: 1,
  maxLength: 6,
});

it('marks the receipts of days that were first read after the close, and no other', async () => {
  await fc.assert(
    fc.asyncProperty(Units, async (units) => {
      const rows: Record<string, MadeRow[]> = { exportaciones: [], cambios: [], recibidos: [], emitidos: [] };
      const expected: string[] = [];
      let id = 0;
      for (const { direccion, fecha, readings, receipts } of units) {
        const unit = { rut: RUT, direccion, fecha };
        for (const { runDay, estado } of readings) {
          const run = { fecha_corrida: runDay, corrida: `run-${runDay}`, inicio: `${runDay}T03:00:00` };
          rows.exportaciones?.push({ ...unit, ...run, estado });
        }
        const stored = readings.filter(({ estado }) => estado === 'exportado' || estado === 'sin_cambios');
        const first = stored.map(({ runDay }) => runDay).sort()[0];
        for (const { isGone, cameOn } of receipts) {
          id += 1;
          const gone: MadeRow = isGone ? { visto_por_ultima_vez: '2026-11-05T03:00:00' } : {};
          rows[direccion]?.push({ rut: RUT, fecha, id, serie: 'A', numero: id, ...gone });
          if (cameOn !== null) {
            const noticed = {
              fecha_corrida: cameOn,
              corrida: `run-${cameOn}`,
              momento: `${cameOn}T03:00:00`,
            };
            rows.cambios?.push({ ...unit, ...noticed, id, cambio: 'aparecio', despues: `{"id":"${id}"}` });
          }
          if (fecha >= CLOSE) continue;
          if (cameOn !== null && cameOn >= CLOSE) expected.push(`${id} aparecio ${cameOn}`);
          else if (first !== undefined && first >= CLOSE && !isGone)
            expected.push(`${id} primera_lectura ${first}`);
        }
      }
      const answerOf = await madeLake(rows);
      const answer = await answerOf('changes-since-close', TODAY);
      const told = answer.map((row) => `${row[7]} ${row[8]} ${row[12]?.slice(0, 10)}`);
      expect(told.toSorted()).toEqual(expected.toSorted());
    }),
    { numRuns: campaign({ quick: 10, long: 300 }) },
  );
});

it('leaves out a receipt that moved to such a day, and one that is not known to be new twice', async () => {
  const [from, to] = ['2026-10-20', '2026-10-22'];
  const unit = { rut: RUT, direccion: 'recibidos' };
  const run = { fecha_corrida: '2026-11-05', corrida: 'run' };
  const moved = { ...unit, ...run, momento: '2026-11-05T03:00:00', fecha: from, id: 1 };
  const answerOf = await madeLake({
    recibidos: [
      { rut: RUT, fecha: to, id: 1 },
      { rut: RUT, fecha: to, id: 2 },
    ],
    exportaciones: ['03', '04'].map((hour) => ({
      ...{ ...unit, ...run, fecha: to, estado: 'exportado', inicio: `2026-11-05T${hour}:00:00` },
    })),
    cambios: [{ ...moved, cambio: 'movido', campo: 'fecha', antes: from, despues: to }],
  });
  const answer = await answerOf('changes-since-close', TODAY);
  expect(answer.map((row) => [row[2], row[7], row[8]])).toEqual([
    [from, '1', 'movido'],
    [to, '2', 'primera_lectura'],
  ]);
});
