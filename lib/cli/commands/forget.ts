import { assertCurrentLayout } from '../../lake/layout.ts';
import { loadWriter } from '../../lake/parquet/writers.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import { forgetCompany } from '../../publish/forget-company.ts';
import { defineCommand, UsageError } from '../command.ts';
import { publicationLines } from '../failure.ts';
import { DEFAULT_LAKE, LAKE_OPTION } from '../options/lake.ts';
import { checkedRut } from '../usage.ts';

export const forgetCommand = defineCommand({
  name: 'forget',
  options: {
    rut: { kind: 'value', placeholder: 'R', help: 'the company' },
    ...LAKE_OPTION,
  },
  examples: ['forget --rut 219999830019', 'forget --rut 219999830019 --lake s3://bucket'],
  notes: [
    'Removes its lists and details of all days. The record of its exports and changes stays in exportaciones and cambios.',
    'Remove it from the companies first, or the next run exports it again. A bucket keeps previous versions for a time.',
  ],
  run: async ({ rut, lake }, _words, terminal) => {
    if (rut === undefined) throw new UsageError('Which company?  --rut 219999830019');
    checkedRut(rut);
    const store = await openStoreToRead(lake ?? DEFAULT_LAKE);
    await assertCurrentLayout(store);
    const forgotten = await forgetCompany(store, await loadWriter('hyparquet'), rut);
    for (const line of publicationLines(forgotten)) terminal.stderr.writeProblem(line);
    const { units, written } = forgotten;
    terminal.stdout.write(
      `${units} units of ${rut} removed, ${written} days of tables made anew, in ${store.address}.\n`,
    );
    return forgotten.failedDays === 0 ? 0 : 1;
  },
});
