import { expect, it } from 'vitest';
import { askWithin } from '../../lib/query/question.ts';
import { lakeForAll } from '../support/query/open-lake.ts';

const lakeOf = lakeForAll([{ rut: '219999830019', fecha: '2026-11-18', id: 1 }]);

it('an answer that breaks off in the middle is an error, where only its first rows are read, too', async () => {
  const sql = `SELECT repeat('x', 200), CASE WHEN i = 150000 THEN CAST(i AS TINYINT) END FROM range(200000) t(i)`;
  expect(await askWithin(lakeOf(), sql, { rows: 1_000, bytes: 2 ** 30 })).toMatchObject({ isCut: true });
  await expect(askWithin(lakeOf(), sql, { rows: 1_000_000, bytes: 2 ** 30 })).rejects.toThrow(
    /broke off in the middle of the answer/,
  );
});
