import { describe, expect, it } from 'vitest';
import { writeAudit } from '../../lib/audit/write.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { EXPORTACIONES } from '../../lib/lake/tables.ts';
import type { UnitResult } from '../../lib/units/unit.ts';
import { RUT } from '../support/api/api-client.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';
import { rowsOfTable } from '../support/lake/text-rows.ts';

const RUN = { id: '20261120060000-0000abcd', day: '2026-11-20' } as const;

const EXPORTED: UnitResult = {
  rut: RUT,
  direction: 'recibidos',
  day: '2026-11-19',
  state: 'exportado',
  receipts: 730,
  appeared: 3,
  changed: 2,
  vanished: 1,
  conversionErrors: 4,
  isStable: true,
  pages: 11,
  requests: 12,
  retries: 1,
  bytes: 98_765,
  sha256: 'ab12',
  totals: [{ type: 111, currency: 'UYU', receipts: 730, withoutTotal: 1, total: '1234567.89' }],
  companyName: 'Ñandú SRL',
  startedAt: '2026-11-20T06:00:00',
  endedAt: '2026-11-20T06:00:59',
};

const FAILED: UnitResult = {
  rut: RUT,
  direction: 'emitidos',
  day: '1969-12-31',
  state: 'fallido',
  conversionErrors: 0,
  pages: 0,
  requests: 6,
  retries: 5,
  bytes: 0,
  error: 'Ñandú: the API answered status 500',
  startedAt: '2026-11-20T06:00:00',
  endedAt: '2026-11-20T06:01:00',
};

describe('the audit', () => {
  it('has a row for each unit, with what is known of it', async () => {
    const folder = newFolder();
    const store = new FolderStore(folder);
    await writeAudit({ store, writer: writeWithHyparquet }, RUN, [EXPORTED, FAILED]);
    expect(filesIn(folder)).toEqual([
      expect.stringContaining(`.open-runs/2026-11-20/${RUN.id}/exportaciones/${RUT}-`),
    ]);
    const [exported, failed] = await rowsOfTable(store, EXPORTACIONES);
    const began = BigInt(Date.UTC(2026, 10, 20, 6)) * 1000n;
    expect(exported).toMatchObject({
      corrida: RUN.id,
      rut: RUT,
      direccion: 'recibidos',
      fecha: 20_776,
      estado: 'exportado',
      filas: 730n,
      nuevas: 3n,
      cambiadas: 2n,
      desaparecidas: 1n,
      avisos: 4n,
      estable: true,
      paginas: 11n,
      solicitudes: 12n,
      reintentos: 1n,
      bytes: 98_765n,
      sha256: 'ab12',
      totales: '[{"tipo":111,"moneda":"UYU","comprobantes":730,"sin_total":1,"total":"1234567.89"}]',
      empresa: 'Ñandú SRL',
      error: null,
      inicio: began,
      fin: began + 59_000_000n,
    });
    expect(failed).toMatchObject({
      direccion: 'emitidos',
      fecha: -1,
      estado: 'fallido',
      filas: null,
      estable: null,
      solicitudes: 6n,
      sha256: null,
      error: 'Ñandú: the API answered status 500',
    });
  });
});
