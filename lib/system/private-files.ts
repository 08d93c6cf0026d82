import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, link, lstat, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Said } from '../text/language.ts';
import { shellWord } from '../text/terminal.ts';
import {
  CfeLakeError,
  EXIT_WRONG_INPUT,
  hasCode,
  messageOf,
  type SystemFault,
  systemFaultOf,
  WrongInputError,
} from './errors.ts';
import { FILES } from './phrases.ts';
import {
  assertNoForeignLink,
  hasBits,
  hasForeignOwner,
  hasOtherOwner,
  modeOf,
  OTHERS_MAY_READ,
  OTHERS_MAY_WRITE,
} from './private-folders.ts';

/** Files of this program are only for the user that runs it. */
export const PRIVATE_FILE_MODE = 0o600;

/**
 * Writes a file that only this user may read, in one step, replacing an older one. A link at this path is neither
 * followed nor replaced: in a folder that others can write to, they would choose what is overwritten. `prepare` gets the
 * path of the file while nothing is in it. Throws a CfeLakeError that says why it can't be written, and what to do.
 */
export async function writePrivateFile(
  path: string,
  content: string | Uint8Array | AsyncIterable<string | Uint8Array>,
  {
    prepare,
    note,
    isSynced = false,
  }: { prepare?: Prepare | undefined; note?: string | undefined; isSynced?: boolean } = {},
): Promise<void> {
  await withPathNamed(path, async () => {
    const part = await newPart(path, prepare, note);
    try {
      await part.file.writeFile(content);
      if (isSynced) await part.file.sync();
      await part.file.close();
      await rename(part.path, path);
    } catch (error) {
      await dropped(part);
      throw error;
    }
  });
}

type Prepare = (part: string) => Promise<unknown>;

interface Part {
  path: string;
  file: FileHandle;
}

/** An empty file beside the one that it is to replace. */
async function newPart(path: string, prepare?: Prepare, note?: string): Promise<Part> {
  await assertReplaceable(path);
  const part = partOf(path, note);
  // Fails if anything exists at this path, so no link is followed here either.
  const opened = { path: part, file: await open(part, 'wx', PRIVATE_FILE_MODE) };
  try {
    await prepare?.(part);
    return opened;
  } catch (error) {
    await dropped(opened);
    throw error;
  }
}

/** A name of a file beside this one. A `note` (letters and digits) in it is for leftReplacements. */
function partOf(path: string, note = ''): string {
  return `${path}.${note === '' ? '' : `${note}.`}${randomUUID()}.part`;
}

async function dropped({ path, file }: Part): Promise<void> {
  await file.close().catch(() => undefined);
  await rm(path, { force: true }).catch(() => undefined);
}

/** Throws a fault of the system as a CfeLakeError that says why the file can't be written, and what to do. */
async function withPathNamed<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const fault = systemFaultOf(error);
    throw fault === undefined ? error : notWritable(path, fault);
  }
}

/**
 * The same of a file with tokens or a login, also on Windows, which has no modes: `icacls`, in place of the folder's
 * permissions, leaves it to this user alone. Nobody has run that. By its `note`, leftReplacements finds what a kill leaves.
 */
export async function writeSecretFile(
  path: string,
  content: string | Uint8Array,
  { icacls = ICACLS, note }: { icacls?: Icacls | undefined; note?: string } = {},
) {
  // A power cut may keep the new name, and not yet what is in the file.
  await writePrivateFile(path, content, { prepare: forThisUser(icacls), note, isSynced: true });
}

type Icacls = (words: readonly string[]) => Promise<unknown>;

const ICACLS: Icacls | undefined =
  process.platform === 'win32' ? (words) => promisify(execFile)('icacls', words) : undefined;

/** A user without an entry, as in a container, has no name: it is asked for on Windows alone. */
function forThisUser(icacls: Icacls | undefined): Prepare | undefined {
  if (icacls === undefined) return undefined;
  const { USERDOMAIN: domain } = process.env;
  const { username } = userInfo();
  const user = domain === undefined ? username : `${domain}\\${username}`;
  return (part) => icacls([part, '/inheritance:r', '/grant:r', `${user}:F`]);
}

const ROOM_BYTES = 16 * 1024;

/** A secret file could not be replaced. */
export class NotReplacedError extends CfeLakeError {
  override name = 'NotReplacedError';
  readonly isKept: boolean;

  /** `part`: where its new content is; undefined if that could be written nowhere. */
  constructor(path: string, why: string, part: string | undefined) {
    super(FILES.notReplaced(path, why), {
      advice: part === undefined ? FILES.keptNowhere() : FILES.leftBeside(part),
    });
    this.isKept = part !== undefined;
  }
}

/** The place of what is to replace a secret file, made before what cannot be had twice is asked for. */
export interface ReservedFile {
  /**
   * Replaces the file, unless a `fault` keeps it from being replaced. If it is not, the new content stays beside it, or
   * `least` of it where a full disk has no room for more than the place. Then throws a NotReplacedError.
   */
  replace(content: Uint8Array, least: Uint8Array, fault?: unknown): Promise<void>;
  /** Gives the place back, if nothing was written into it. */
  release(): Promise<void>;
}

/**
 * With room on the disk for all of the file and 16 KiB more. leftReplacements finds it by its `note`. Throws a CfeLakeError
 * that says what to do.
 */
export async function reserveSecretFile(path: string, note: string): Promise<ReservedFile> {
  return await withPathNamed(path, async () => {
    await assertNotMountedAlone(path, note);
    const part = await newPart(path, forThisUser(ICACLS), note);
    RESERVED.add(resolve(part.path));
    try {
      await part.file.writeFile(Buffer.alloc((await stat(path)).size + ROOM_BYTES, ' '));
      await part.file.sync();
    } catch (error) {
      RESERVED.delete(resolve(part.path));
      await dropped(part);
      throw error;
    }
    let isUsed = false;
    let isWritten = false;
    let isKept = false;
    const fill = async (content: Uint8Array) => {
      // A disk that is full takes a part, and says nothing of the rest.
      for (let at = 0; at < content.length; )
        at += (await part.file.write(content, at, content.length - at, at)).bytesWritten;
      isWritten = true;
      // Blanks may follow it.
      await part.file.truncate(content.length).catch(() => undefined);
      await part.file.sync();
      isKept = true;
    };
    return {
      async replace(content, least, fault) {
        isUsed = true;
        try {
          await fill(content).catch(async (error: unknown) => {
            if (!isKept) await fill(least).catch(() => undefined);
            // Some file systems write elsewhere first, and have room for that once the place is given up.
            if (!isKept)
              await part.file
                .truncate(0)
                .then(() => fill(least))
                .catch(() => undefined);
            throw error;
          });
          await part.file.close();
          if (fault !== undefined) throw fault;
          await rename(part.path, path);
        } catch (error) {
          // What was written, and not synced, may be there all the same.
          await (isWritten ? part.file.close().catch(() => undefined) : dropped(part));
          const why = systemFaultOf(error)?.reason ?? messageOf(error);
          throw new NotReplacedError(path, why, isWritten ? part.path : undefined);
        }
      },
      async release() {
        RESERVED.delete(resolve(part.path));
        if (!isUsed) await dropped(part);
      },
    };
  });
}

/** A file that is mounted alone, into a container, can't be replaced; a second name for it says so. */
async function assertNotMountedAlone(path: string, note: string): Promise<void> {
  const second = partOf(path, note);
  try {
    await link(path, second);
    await rm(second);
  } catch (error) {
    // Not all file systems know second names.
    if (!hasCode(error, 'EXDEV')) return;
    throw notWritable(path, {
      reason: 'it is mounted alone, so nothing can take its place',
      advice: 'Mount the folder that it is in',
      exitCode: EXIT_WRONG_INPUT,
    });
  }
}

/** Those that this process may still write. */
const RESERVED = new Set<string>();

/** Files of this user beside this one that were to replace it and are nobody's any more, each with its note. */
export async function leftReplacements(path: string): Promise<{ part: string; note: string }[]> {
  const names = await readdir(dirname(path)).catch(() => []);
  const found = names.map(async (name) => {
    if (!name.startsWith(`${basename(path)}.`)) return [];
    const [, note] = /^(\w+)\.[\da-f-]{36}\.part$/.exec(name.slice(basename(path).length + 1)) ?? [];
    const part = join(dirname(path), name);
    if (RESERVED.has(resolve(part))) return [];
    const stats = note === undefined ? undefined : await lstat(part).catch(() => undefined);
    return note !== undefined && stats?.isFile() === true && !hasOtherOwner(stats) ? [{ part, note }] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Opens a file to read it, whatever it is: a pipe is not waited for. Throws the system's error. */
export async function openAtOnce(path: string): Promise<FileHandle> {
  return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
}

/** The bytes of an ordinary file. Throws the system's error, or a CfeLakeError that is the end of a sentence. */
export async function readSmallFile(path: string, mostBytes: number): Promise<Buffer> {
  return await readOrdinaryFile(path, mostBytes, () => undefined);
}

/**
 * The same of a file that says which secrets are sent where. Throws a WrongInputError if another user than root owns it, or
 * may write it: the secrets of this user would go where that one likes.
 */
export async function readOwnFile(path: string, mostBytes: number): Promise<Buffer> {
  return await readOrdinaryFile(path, mostBytes, (found) => {
    if (found.isDirectory()) return;
    const word = shellWord(path);
    const refusal = (what: Said, command: string) =>
      new WrongInputError(what, { advice: FILES.mend(command) });
    if (hasForeignOwner(found))
      throw refusal(FILES.ofAnother(path), `sudo chown "$(id -u)" ${word} && chmod 600 ${word}`);
    if (hasBits(found, OTHERS_MAY_WRITE))
      throw refusal(FILES.openToOthers(path, modeOf(found)), `chmod 600 ${word}`);
  });
}

async function readOrdinaryFile(
  path: string,
  mostBytes: number,
  check: (found: Stats) => void,
): Promise<Buffer> {
  return await buffer(ordinaryFile(path, mostBytes, check));
}

/** The bytes of an ordinary file as they are read. Throws what readSmallFile throws. */
export async function* ordinaryFile(
  path: string,
  mostBytes: number,
  check: (found: Stats) => void = () => undefined,
): AsyncGenerator<Buffer, void, undefined> {
  const file = await openAtOnce(path);
  try {
    const found = await file.stat();
    // Of a folder the system says that it is one.
    if (!found.isFile() && !found.isDirectory()) throw new CfeLakeError('it is not an ordinary file');
    check(found);
    let byteCount = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 64 * 1024 })) {
      byteCount += chunk.length;
      if (byteCount > mostBytes) throw new CfeLakeError(`it has more than ${mostBytes} bytes`);
      yield chunk;
    }
  } catch (error) {
    // Node names the file of what fails when it is opened, and not when it is read.
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  } finally {
    await file.close();
  }
}

/** Whether there is a folder at this path, or a link to one. */
export async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function notWritable(
  path: string,
  { reason, advice, exitCode }: Pick<SystemFault, 'reason' | 'advice' | 'exitCode'>,
): CfeLakeError {
  return new CfeLakeError(`${path} can't be written: ${reason}.`, { advice: `${advice}.`, exitCode });
}

/** Throws CfeLakeError if something that is no file is at this path, or another user's link on the way to it. */
export async function assertReplaceable(path: string): Promise<void> {
  assertNoForeignLink(dirname(path));
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || found.isFile()) return;
  const [reason, advice] = found.isSymbolicLink()
    ? ['it is a link', 'Remove the link, or name another file']
    : found.isDirectory()
      ? ['it is a folder', 'Name a file in it']
      : ['it is a device', 'Name an ordinary file, or redirect what is printed'];
  throw notWritable(path, { reason, advice, exitCode: EXIT_WRONG_INPUT });
}

/** Whether other users of this machine may read the file. False on Windows, which has no modes. */
export async function mayOthersRead(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && hasBits(found, OTHERS_MAY_READ);
}
