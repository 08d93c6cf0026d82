import { expect, it, vi } from 'vitest';
import { openApiSession } from '../../lib/api/access.ts';
import { listMarks } from '../../lib/lake/marks.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { withStoreToWrite } from '../../lib/lake/store/open-store.ts';
import { publishedUnits } from '../../lib/lake/stored-rows.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { exportAndPublish } from '../../lib/run/export-and-publish.ts';
import { planUnits } from '../../lib/units/unit.ts';
import { newPool } from '../support/api/api-client.ts';
import { hangingFor } from '../support/api/faults.ts';
import { companiesOf } from '../support/export/export-run.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { newSandbox } from '../support/sandbox.ts';

const DAY = '2026-11-19';

it('the tables have the days of all companies but one, whose answers never end, while its run goes on', async () => {
  const sandbox = await newSandbox({ seed: 3 });
  sandbox.setNow('2026-11-20T06:00:00');
  const companies = companiesOf(sandbox);
  const [proved, interruption] = [new AbortController(), new AbortController()];
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(proved.signal);
  const silent = companies.slice(0, 1).map(({ rut }) => rut);
  sandbox.behave({ intercept: hangingFor(silent, () => proved.abort()) });
  const lock = { command: 'export', waitMs: 0, signal: interruption.signal, onWait: () => undefined };
  await withStoreToWrite(newFolder(), lock, async (store) => {
    const rutsInTable = async () => [...(await publishedUnits(store, RECIBIDOS, DAY)).keys()].sort();
    const run = exportAndPublish({
      companies,
      unitsOf: (rut) => planUnits(rut, ['recibidos'], [DAY]),
      session: openApiSession({ address: new URL(sandbox.url), pool: newPool() }),
      store,
      writer: writeWithHyparquet,
      maxInFlight: 4,
      signal: interruption.signal,
      firstPublicationMs: 1,
    });
    const others = () =>
      companies.flatMap(({ rut }) =>
        silent.includes(rut) || [...sandbox.truth(rut, 'recibidos', DAY)].length === 0 ? [] : [rut],
      );
    const areThere = async () => (await rutsInTable().catch(() => [])).length === others().length;
    while (!(await areThere())) await new Promise(setImmediate);
    // Whoever writes under them may write again.
    expect(await listMarks(store)).not.toEqual([]);
    interruption.abort(new Error('seen enough'));
    await run;
    expect({ ruts: await rutsInTable(), marks: await listMarks(store) }).toEqual({
      ruts: others(),
      marks: [],
    });
  });
});
