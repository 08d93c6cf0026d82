import { describe, expect, it } from 'vitest';
import { sharedSandbox } from '../support/sandbox.ts';
import { ask, LEGACY, LIST, NOW } from './support.ts';

const sandbox = await sharedSandbox({ now: NOW });

describe('a bad parameter is 400 with a message that names it', () => {
  it.each([
    'FechaDesde=2026-02-30',
    'FechaDesde=19-11-2026',
    'FechaDesde=2026-11-19T00:00:00',
    'FechaHasta=',
    'FechaFirmaDesde=2026-11-19',
    'FechaFirmaHasta=2026-11-19T24:00:00',
    'FechaFirmaHasta=2026-11-19T10:00:00.5',
    'NumeroDesde=A1',
    'NumeroHasta=-1',
    'NumeroHasta=99999999999',
    'TipoComprobante=eTicket',
    'TipoComprobante=111,112',
    'ExcluirSerie=si',
    'Serie=',
    'PageNumber=0',
    'PageNumber=1.5',
    'PageSize=0',
    'PageSize=-5',
    'PageSize=all',
    'PageNumber=1&PageNumber=2',
    'pageNumber=1',
    'Serie[]=A',
    'Sucursal=1',
    'id_externo=x',
    'EstadoDgi=AE',
    'ExcluirEmisor=true',
    'Cualquiera=1',
  ])('%s', async (query) => {
    const { status, json } = await ask(sandbox, `${LIST.recibidos}?${query}`);
    expect(status).toBe(400);
    expect(json.message).toContain(query.split('=')[0]);
  });

  it('PageNumber on the issued list, no paging on legacy lists', async () => {
    expect((await ask(sandbox, `${LIST.emitidos}?PageNumber=1`)).status).toBe(400);
    expect((await ask(sandbox, `${LEGACY.emitidos}?pageNumber=1`)).status).toBe(400);
    expect((await ask(sandbox, `${LEGACY.emitidos}?Serie=A`)).status).toBe(400);
  });
});
