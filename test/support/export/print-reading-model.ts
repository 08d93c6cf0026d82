import { KINDS, NOT_COVERED, type Outcome, playWorld } from './reading-worlds.ts';

/**
 * `node_modules/.bin/node test/support/export/print-reading-model.ts [worlds] [seed] [part of a kind's name]`: the table of
 * docs/decisions/0014-ranges-of-days.md.
 */
const [worlds = '300', seed = '1', part = ''] = process.argv.slice(2);

for (const [name, kind] of Object.entries({ ...KINDS, ...NOT_COVERED })) {
  if (!name.includes(part)) continue;
  const sum: Outcome = { companyDays: 0, lost: 0, wronglyGone: 0, failed: 0, unstable: 0, requests: 0 };
  for (let world = 0; world < Number(worlds); world += 1) {
    const outcome = await playWorld(kind, Number(seed) * 1_000_003 + world);
    for (const field of Object.keys(sum) as (keyof Outcome)[]) sum[field] += outcome[field];
  }
  const { companyDays, lost, wronglyGone, failed, unstable, requests } = sum;
  const cells = [name, companyDays, lost, wronglyGone, failed, unstable, (requests / companyDays).toFixed(2)];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
