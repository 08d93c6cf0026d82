import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { addDays, uruguayDateTime, uruguayDay } from '../../lib/time/days.ts';
import { installEmulator, makeCertificate, NoEmulatorError, startEmulator } from './emulator.ts';
import { keepRunning } from './keep.ts';
import { Logs } from './logs.ts';
import { PLAYS, type Stage, setUp, UNSEEN } from './plays.ts';
import { PlayFailedError } from './process.ts';
import { startService } from './service.ts';
import { Deployer } from './stack.ts';
import { ServiceTruth } from './truth.ts';

/**
 * `npm run test:deployed`: deploys the stack to an emulator of AWS, with CDK's own bootstrap and deploy, and plays what
 * happens to it, or with `--only TEXT` the plays whose names have this text. With `--keep`, it leaves it running instead. Exits with 1 where something is not as it is promised.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { keep: { type: 'boolean', default: false }, only: { type: 'string' } },
  });
  const { keep: isToKeep, only: namedPlays = '' } = values;
  const chosen = Object.entries(PLAYS).filter(([name]) => !isToKeep && name.includes(namedPlays));
  const plays = [...Object.entries(setUp), ...chosen];
  const startedMs = performance.now();
  const python = await installEmulator();
  const folder = mkdtempSync(join(tmpdir(), 'cfe-lake-deployed-'));
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const certificate = await makeCertificate(folder);
    const nowMs = Date.now();
    const service = await startService(certificate, uruguayDateTime(nowMs));
    closing.push(service.close);
    const emulator = await startEmulator(python, folder, certificate);
    closing.push(emulator.stop);
    const end = () =>
      void close()
        .then(remove)
        .then(() => process.exit(130));
    process.once('SIGINT', end).once('SIGTERM', end);
    const deployer = new Deployer(folder, emulator.endpoint, certificate.certFile);
    const { companies } = service;
    const today = uruguayDay(nowMs);
    const stage: Stage = {
      deployer,
      emulator,
      service,
      logs: new Logs(deployer.root),
      truth: new ServiceTruth(
        service.address,
        companies.map(({ rut, token }) => ({ rut, token })),
      ),
      daysAgo: (days) => addDays(today, -days),
      startedAt: `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
      companiesFile: '',
    };
    for (const [name, play] of plays) {
      const beganMs = performance.now();
      process.stdout.write(`${name} … `);
      const { summary = '', provoked } = await play(stage);
      await stage.logs.look(provoked);
      process.stdout.write(
        `${((performance.now() - beganMs) / 1000).toFixed(1)} s${summary && `; ${summary}`}\n`,
      );
    }
    if (isToKeep) await keepRunning(stage, folder);
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    const time = `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    process.stdout.write(`${plays.length} plays, all as promised, in ${time}. The emulator can't tell:\n`);
    for (const line of UNSEEN) process.stdout.write(`- ${line}\n`);
    await close();
    remove();
    return 0;
  } catch (error) {
    await close();
    if (error instanceof NoEmulatorError) {
      remove();
      throw error;
    }
    const reason = error instanceof PlayFailedError ? error.message : inspect(error);
    process.stdout.write(`FAILED\n${reason}\nThe emulator's log and the deployer's folder: ${folder}\n`);
    return 1;
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof NoEmulatorError)) throw error;
  process.stdout.write(`test:deployed was not run. ${error.message}\n`);
}
