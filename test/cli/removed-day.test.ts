import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { dayKey } from '../../lib/lake/layout.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { S3Store } from '../../lib/lake/store/s3.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { askServer } from '../support/aws/asked-server.ts';
import { clientSettings, startStandIn } from '../support/aws/aws-server.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runMain } from '../support/program/run-main.ts';

const DAYS = ['--from', '2026-11-17', '--to', '2026-11-19'];
const REMOVED = '2026-11-18';
const BUCKET = 'cfe-lake-removed';

const sandbox = await startSandbox({ now: '2026-11-20T03:00:00', companyCount: 2, receiptsPerDay: 5 });
const aws = await startStandIn();
const client = new S3Client(clientSettings(aws));
await client.send(new CreateBucketCommand({ Bucket: BUCKET }));

beforeEach(() => askServer(aws.url, newFolder()));
afterAll(async () => {
  client.destroy();
  await sandbox.close();
  await aws.close();
});

it.each(['a folder', 'a bucket'])(
  'a day that somebody removed from the tables of %s is named by verify and brought back by the next run',
  async (where) => {
    const lake = where === 'a folder' ? newFolder() : `s3://${BUCKET}/lake`;
    const store =
      where === 'a folder' ? new FolderStore(lake) : new S3Store(client, { bucket: BUCKET, prefix: 'lake' });
    const access = ['--api', sandbox.url, '--companies', writeCompanies(newFolder(), sandbox.companies)];
    const details = ['--details', 'recibidos'];
    const exported = () => runMain('export', ...access, ...DAYS, ...details, '--lake', lake);
    const answer = async () => {
      const sql = `SELECT (SELECT count(*) FROM recibidos WHERE fecha = '${REMOVED}') AS lista, (SELECT count(*) FROM recibidos_detalle WHERE fecha = '${REMOVED}') AS detalle`;
      return (await runMain('query', sql, '--lake', lake, '--format', 'csv')).stdout;
    };
    expect((await exported()).code).toBe(0);
    const whole = await answer();
    for (const table of ['recibidos', 'recibidos_detalle']) await store.remove(dayKey(table, REMOVED));
    expect(await answer()).toBe('lista,detalle\r\n0,0\n');
    for (const [from, to, companies] of [
      ['2026-11-17', '2026-11-19', ''],
      // Nobody has a row of it.
      [REMOVED, REMOVED, '(2 of 2 companies)'],
    ] as const) {
      const words = ['--named', 'received-to-check', '--from', from, '--to', to, '--lake', lake];
      const { stderr } = await runMain('query', ...words);
      expect(stderr).toContain('1 day of recibidos in this period was exported');
      expect(stderr).toContain(companies);
    }

    const verified = await runMain('verify', ...access, ...DAYS, '--lake', lake, '--json');
    const { tables } = JSON.parse(verified.stdout);
    expect(verified.code).toBe(1);
    expect(tables.map(({ table, fecha }: Record<string, string>) => `${table} ${fecha}`)).toEqual([
      `recibidos ${REMOVED}`,
      `recibidos_detalle ${REMOVED}`,
    ]);

    const again = await exported();
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/unchanged/) });
    expect(await answer()).toBe(whole);
    expect((await runMain('verify', ...access, ...DAYS, '--lake', lake)).code).toBe(0);
  },
);
