import { randomUUID } from 'node:crypto';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { CfeLakeError, EXIT_WRONG_INPUT, type ExitCode } from '../errors.ts';
import { systemFaultOf } from './system-fault.ts';

/** What this program makes is for the user that runs it. */
export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;

/** A file can't be written there; says why, and what to do. */
export class PrivateFileError extends CfeLakeError {
  override name = 'PrivateFileError';
  override readonly exitCode: ExitCode;
  constructor(path: string, reason: string, advice: string, exitCode: ExitCode = EXIT_WRONG_INPUT) {
    super(`${path} can't be written: ${reason}.`, { advice: `${advice}.` });
    this.exitCode = exitCode;
  }
}

/**
 * Writes a file that only this user may read, in one step, in place of an older one. A link that stands there is
 * not followed, nor replaced: in a folder that others write to too, they would choose what is overwritten.
 * Throws PrivateFileError.
 */
export async function writePrivateFile(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await assertReplaceable(path);
    try {
      // Fails where anything stands there, so no link is followed here either.
      const file = await open(part, 'wx', PRIVATE_FILE_MODE);
      try {
        await file.writeFile(content);
      } finally {
        await file.close();
      }
      await rename(part, path);
    } catch (error) {
      await rm(part, { force: true }).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    const fault = systemFaultOf(error);
    if (fault === undefined) throw error;
    throw new PrivateFileError(path, fault.reason, fault.advice, fault.exitCode);
  }
}

async function assertReplaceable(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || found.isFile()) return;
  throw found.isSymbolicLink()
    ? new PrivateFileError(path, 'it is a link', 'Remove the link, or name another file')
    : new PrivateFileError(path, 'it is no file', 'Remove it, or name another file');
}

/** Whether other users of this machine may read or change the file. Windows has lists in place of modes: false. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  const found = process.platform === 'win32' ? undefined : await stat(path).catch(() => undefined);
  return found?.isFile() === true && (found.mode & ~PRIVATE_FILE_MODE & 0o666) !== 0;
}
