import { DuckDBTimestampTZValue } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../../lib/query/question.ts';
import { lakeForAll } from '../support/query/open-lake.ts';

const lakeOf = lakeForAll([{ rut: '219999830019', fecha: '2026-11-18', id: 1 }]);

describe('a moment in an answer, on a machine in Tokyo', () => {
  const ofMachine = DuckDBTimestampTZValue.timezoneOffsetInMinutes;
  beforeEach(() => {
    DuckDBTimestampTZValue.timezoneOffsetInMinutes = 9 * 60;
  });
  afterEach(() => {
    DuckDBTimestampTZValue.timezoneOffsetInMinutes = ofMachine;
  });

  it.each([
    ['2026-11-20 02:59:59.5+00', '2026-11-19 23:59:59.5-03'],
    // Summer time was in force until 2015, and half an hour of it once.
    ['2014-12-24 12:00:00+00', '2014-12-24 10:00:00-02'],
    ['1930-06-01 12:00:00+00', '1930-06-01 08:30:00-03:30'],
    ['1900-01-01 12:00:00+00', '1900-01-01 08:15:09-03:44'],
    ['infinity', 'infinity'],
  ])('%s is shown as %s, as SQL makes a text of it', async (moment, text) => {
    const value = `TIMESTAMPTZ '${moment}'`;
    const { rows } = await ask(lakeOf(), `SELECT ${value}, ${value}::VARCHAR`);
    expect(rows).toEqual([[text, text]]);
  });

  it('is shown alike within other values', async () => {
    const value = "TIMESTAMPTZ '2026-11-20 02:00:00+00'";
    const sql = `SELECT [${value}], {'a': ${value}}, MAP {1: ${value}}, array_value(${value}), union_value(a := ${value})`;
    const text = '2026-11-19 23:00:00-03';
    const { rows } = await ask(lakeOf(), sql);
    expect(rows).toEqual([[`[${text}]`, `{'a': ${text}}`, `{1: ${text}}`, `[${text}]`, text]]);
  });

  it('of a year without four digits is shown with the offset of today', async () => {
    const { rows } = await ask(lakeOf(), "SELECT TIMESTAMPTZ '12026-11-20 02:00:00+00'");
    expect(rows).toEqual([['12026-11-19 23:00:00-03']]);
  });
});
