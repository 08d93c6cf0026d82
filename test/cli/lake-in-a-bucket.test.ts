import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { Answerer } from '../../lib/cli/mcp/answerer.ts';
import { S3Store } from '../../lib/lake/store/s3.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { askServer } from '../support/aws/asked-server.ts';
import { clientSettings, startAwsServer, startStandIn } from '../support/aws/aws-server.ts';
import { campaign } from '../support/campaign.ts';
import { IDLE_RUT } from '../support/export/habits-world.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';
import { markDays } from '../support/lake/marked-days.ts';
import { type Ended, runMain, wordsOf } from '../support/program/run-main.ts';
import { putUnit } from '../support/units.ts';

const sandbox = await startSandbox({
  now: '2026-11-20T03:00:00',
  receiptsPerDay: (rut) => (rut === IDLE_RUT ? 0 : 130),
});
const aws = await campaign({ quick: startStandIn, long: startAwsServer })();
afterAll(async () => {
  await sandbox.close();
  await aws.close();
});

/** Runs the program with AWS settings for the server and an empty cache. */
function run(...words: string[]): Promise<Ended> {
  askServer(aws.url, newFolder());
  return runMain(...words);
}

it('exports into a bucket, and queries it with the same words as a folder', async () => {
  await new S3Client(clientSettings(aws)).send(new CreateBucketCommand({ Bucket: 'cfe-lake-asked' }));
  const lake = 's3://cfe-lake-asked/receipts';
  const exported = await run(
    ...wordsOf(`export --api ${sandbox.url} --date 2026-11-19 --lake ${lake} --json`),
  );
  const { totals } = JSON.parse(exported.stdout);
  expect(totals).toMatchObject({ exportado: 6, vacio: 2, fallido: 0 });

  const sql = 'SELECT (SELECT count(*) FROM recibidos) + (SELECT count(*) FROM emitidos) AS filas';
  const answer = await run('query', sql, '--lake', lake, '--format', 'csv');
  expect(answer.stdout).toBe(`filas\r\n${totals.filas}\n`);
  const none = await run('query', sql, '--lake', lake, '--format', 'csv', '--from', '2026-11-20');
  expect(none.stdout).toBe('filas\r\n0\n');
  expect(answer.stderr + none.stderr).not.toMatch(/lag/);

  const rut = sandbox.companies[0]?.rut ?? '0';
  const report = ['report', '--rut', rut, '--month', '2026-11', '--lake', lake];
  const client = new S3Client(clientSettings(aws));
  const store = new S3Store(client, { bucket: 'cfe-lake-asked', prefix: 'receipts' });
  await markDays(store, 'died', ['2026-11-19']);
  await putUnit(store, RECIBIDOS, '2026-11-19', rut, [1]);
  const lagging = await run('query', sql, '--lake', lake);
  expect(lagging.stderr).toMatch(/recibidos 2026-11-19 may lag behind/);
  const reported = await run(...report);
  expect(reported.stdout).toMatch(/Hay días leídos que las tablas todavía no tienen/);
  // One day of the month is no whole month.
  expect(reported).toMatchObject({ code: 1, stderr: '' });
  expect(reported.stdout).toMatch(/\nCompras por tipo\n\nTipo +Comprobante +Moneda +Signo +Cantidad +Total/);
  expect(await run('publish', '--lake', lake)).toMatchObject({ code: 0, stderr: '' });
  expect((await run('query', sql, '--lake', lake)).stderr).not.toMatch(/lag/);
  client.destroy();
});

it('leaves nothing of a question that an assistant cancelled, nor of one that takes too long', async () => {
  const client = new S3Client(clientSettings(aws));
  await client.send(new CreateBucketCommand({ Bucket: 'cfe-lake-assistant' }));
  client.destroy();
  const lake = 's3://cfe-lake-assistant';
  await run(...wordsOf(`export --api ${sandbox.url} --date 2026-11-19 --lake ${lake}`));
  const caches = newFolder();
  askServer(aws.url, caches);
  const held = () => filesIn(caches).filter((path) => path.includes('/held-'));
  const given = {
    sql: "SELECT count(*) FROM recibidos, range(1000000000000) WHERE fecha = DATE '2026-11-19'",
  };
  const answerer = new Answerer(4_000);
  onTestFinished(() => answerer.close());
  const cancelled = new AbortController();
  const answer = answerer.answer({ lake, name: 'sql', given }, cancelled.signal);
  await vi.waitUntil(() => held().length > 0, { timeout: 30_000 });
  cancelled.abort(new Error('cancelled'));
  await expect(answer).rejects.toThrow('cancelled');
  expect(held()).toEqual([]);
  expect(await answerer.answer({ lake, name: 'sql', given }, new AbortController().signal)).toMatchObject({
    text: expect.stringContaining('took more than 4 seconds'),
  });
  expect(held()).toEqual([]);
});

it('goes on in a bucket with a lake that was copied there from a folder', async () => {
  const folder = newFolder();
  const asked = ['--api', sandbox.url, '--date', '2026-11-19'];
  expect((await run('export', ...asked, '--lake', folder)).code).toBe(0);
  const client = new S3Client(clientSettings(aws));
  const Bucket = 'cfe-lake-copied';
  await client.send(new CreateBucketCommand({ Bucket }));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const Key = relative(folder, path).split(sep).join('/');
    await client.send(new PutObjectCommand({ Bucket, Key, Body: readFileSync(path) }));
  }
  client.destroy();

  const lake = `s3://${Bucket}`;
  const published = await run('publish', '--lake', lake, '--from', '2026-11-19');
  expect(published).toMatchObject({ code: 0, stderr: '' });
  expect((await run('verify', ...asked, '--lake', lake)).code).toBe(0);
  const again = await run('export', ...asked, '--lake', lake, '--json');
  expect(JSON.parse(again.stdout).totals).toMatchObject({ exportado: 6, vacio: 2, fallido: 0 });
  const changes = await run('query', 'SELECT count(*) AS n FROM cambios', '--lake', lake, '--format', 'csv');
  expect(changes.stdout).toBe('n\r\n0\n');
});

it('reads exchange rates into a bucket, where the same file again changes nothing', async () => {
  await new S3Client(clientSettings(aws)).send(new CreateBucketCommand({ Bucket: 'cfe-lake-rates' }));
  const lake = 's3://cfe-lake-rates/receipts';
  const file = join(newFolder(), 'bcu.csv');
  writeFileSync(file, 'Fecha;Dólar;UI\n16/10/2026;40,125;6,4611\n19/10/2026;39,98;6,462\n');
  const counts = [];
  for (let time = 0; time < 2; time += 1) {
    const { stdout } = await run('rates', file, '--lake', lake, '--json');
    const { added, unchanged } = JSON.parse(stdout);
    counts.push([added, unchanged]);
  }
  expect(counts).toEqual([
    [4, 0],
    [0, 4],
  ]);
  const sql = "SELECT sum(valor) AS suma FROM cotizaciones WHERE moneda = 'USD'";
  const answer = await run('query', sql, '--lake', lake, '--format', 'csv');
  expect(answer.stdout).toBe('suma\r\n80.105000\n');
});
