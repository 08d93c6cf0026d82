import { assertCurrentLayout } from '../../lake/layout.ts';
import { loadWriter } from '../../lake/parquet/writers.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import { RECEIPT_TABLES } from '../../lake/tables.ts';
import { publishDays, publishLagging } from '../../publish/publish-lagging.ts';
import { systemClock } from '../../time/clock.ts';
import { daysBetween } from '../../time/days.ts';
import { defineCommand } from '../command.ts';
import { publicationLines, publicationSummary } from '../failure.ts';
import { checkedDay, checkOrder } from '../options/days.ts';
import { DEFAULT_LAKE, LAKE_OPTION } from '../options/lake.ts';

export const publishCommand = defineCommand({
  name: 'publish',
  options: {
    from: {
      kind: 'value',
      placeholder: 'D',
      help: 'first day to look at (default: only the days recorded as lagging)',
    },
    to: { kind: 'value', placeholder: 'D', help: 'last day, included (default: --from)' },
    ...LAKE_OPTION,
  },
  examples: ['publish', 'publish --lake s3://bucket --from 2026-11-01 --to 2026-11-19'],
  run: async (options, _words, terminal) => {
    const { from, to = from } = options;
    if (from !== undefined) checkedDay('from', from);
    if (to !== undefined) checkedDay('to', to);
    if (from !== undefined && to !== undefined) checkOrder(from, to);
    const store = await openStoreToRead(options.lake ?? DEFAULT_LAKE);
    await assertCurrentLayout(store);
    const writer = await loadWriter('hyparquet');
    const isTimeUp = () => terminal.signal.aborted;
    const published =
      to === undefined
        ? await publishLagging(store, writer, { nowMs: systemClock.now(), isTimeUp })
        : await publishDays(
            store,
            writer,
            daysBetween(from ?? to, to).flatMap((day) => RECEIPT_TABLES.map((table) => ({ table, day }))),
            { isTimeUp },
          );
    terminal.signal.throwIfAborted();
    for (const line of publicationLines(published)) terminal.stderr.writeProblem(line);
    terminal.stdout.write(`${publicationSummary(published, store.address)}\n`);
    return published.problems.length === 0 ? 0 : 1;
  },
});
