import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startAwsStandIn } from './stand-in.ts';

/** A server of S3 and Secrets Manager, for tests that must hold for any such server. */
export interface AwsServer {
  /** For the test report: which server the assertions ran on. */
  name: string;
  url: string;
  close(): Promise<void>;
}

/** Settings of any AWS client to talk to it; forcePathStyle is for S3. */
export function clientSettings({ url }: { url: string }) {
  return {
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    forcePathStyle: true,
  };
}

/**
 * Starts moto_server if it is installed, else the stand-in. MOTO_SERVER names the program (default: the one on the
 * PATH), or is `none` for the stand-in. Throws if the named one does not start.
 */
export async function startAwsServer(): Promise<AwsServer> {
  const named = process.env.MOTO_SERVER;
  const command = named === undefined ? 'moto_server' : named;
  const moto = command === 'none' ? undefined : await startMoto(command);
  if (moto === undefined && named !== undefined && named !== 'none') {
    throw new Error(`MOTO_SERVER=${named} does not start: install it with pip install 'moto[server]'`);
  }
  const server = moto ?? (await startStandIn());
  process.stdout.write(`S3 and Secrets Manager in this test: ${server.name}\n`);
  return server;
}

/** The stand-in, in this process. */
export async function startStandIn(): Promise<AwsServer> {
  const standIn = await startAwsStandIn();
  return { name: 'the stand-in (no moto_server)', url: standIn.url, close: standIn.close };
}

async function startMoto(command: string): Promise<AwsServer | undefined> {
  const child = spawn(command, ['-H', '127.0.0.1', '-p', '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  // Without moto_server, listeningUrl returns undefined.
  child.once('error', () => undefined);
  child.stdout.resume();
  const url = await listeningUrl(child);
  if (url === undefined) return undefined;
  return {
    name: 'moto_server',
    url,
    close: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** The URL that the server prints once it listens; undefined if it exits instead. */
async function listeningUrl(child: ChildProcess): Promise<string | undefined> {
  if (child.stderr === null) return undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /Running on (http:\/\/[\w.]+:\d+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stderr.resume();
    return url;
  }
  return undefined;
}
