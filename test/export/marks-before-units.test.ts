import { expect, it } from 'vitest';
import { LAGGING_FOLDER, UNITS_FOLDER } from '../../lib/lake/layout.ts';
import { listMarks, Marks } from '../../lib/lake/marks.ts';
import { CompanyWorld } from '../support/export/company-world.ts';
import { received } from '../support/export/unit-world.ts';

it('marks a day before its unit is written, and only where something changes', async () => {
  const world = new CompanyWorld([3, 0, 2]);
  const { store, clock } = world;
  const { run } = world.tools();
  const exportWith = () => world.export({ run, marks: new Marks(store, run, clock) });
  const writes = () =>
    store.replaced
      .splice(0)
      .flatMap((key) => {
        const [folder, table, day] = key.split('/');
        return folder === LAGGING_FOLDER || folder === UNITS_FOLDER
          ? [`${folder} ${table} ${day?.replace('fecha=', '').slice(0, 10)}`]
          : [];
      })
      .sort();
  const [first = '', , last = ''] = world.days;
  await exportWith();
  expect(writes()).toEqual([
    ...[first, last].map((day) => `${LAGGING_FOLDER} recibidos ${day}`),
    ...[first, last].map((day) => `${UNITS_FOLDER} recibidos ${day}`),
  ]);
  await exportWith();
  expect(writes()).toEqual([]);
  world.listed = [...world.listed, received(77)];
  const marked: boolean[] = [];
  const replace = store.replace.bind(store);
  store.replace = async (key, ...rest) => {
    const [folder] = key.split('/');
    if (folder === UNITS_FOLDER)
      marked.push((await listMarks(store)).filter(({ day }) => day === last).length === 2);
    return await replace(key, ...rest);
  };
  await exportWith();
  expect(marked).toEqual([true]);
});
