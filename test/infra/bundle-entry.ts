import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Agent } from 'undici';

/** Stands for a handler: it uses what the bundles have in smaller versions. */
export async function handler({ endpoint }: { endpoint: string }) {
  const agent = new Agent({ connections: 2 });
  const { statusCode, body } = await agent.request({ origin: endpoint, path: '/list', method: 'GET' });
  const list = await body.json();
  await agent.close();

  const s3 = new S3Client({ endpoint, region: 'sa-east-1', forcePathStyle: true });
  const object = await s3.send(new GetObjectCommand({ Bucket: 'lake', Key: 'a.txt' }));
  return { statusCode, list, object: await object.Body?.transformToString() };
}
