import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { bodyText } from '../../lib/api/body.ts';
import { ConnectionPool, exchange } from '../../lib/api/connection-pool.ts';

/** Stands in for a handler: it speaks HTTP and S3, whose search for credentials bundles replace. */
export async function handler({ endpoint }: { endpoint: string }) {
  const pool = new ConnectionPool();
  const limits = { timeoutMs: 10_000, maxBodyBytes: 1000 };
  const { status, body } = await exchange(() => pool.get(`${endpoint}/list`, {}), limits);
  const list = JSON.parse(bodyText(Buffer.concat(body)));
  await pool.close();

  const s3 = new S3Client({ endpoint, region: 'sa-east-1', forcePathStyle: true });
  const object = await s3.send(new GetObjectCommand({ Bucket: 'lake', Key: 'a.txt' }));
  return { statusCode: status, list, object: await object.Body?.transformToString() };
}
