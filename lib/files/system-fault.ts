import { EXIT_FAILED, EXIT_WRONG_INPUT, type ExitCode } from '../errors.ts';

/** Why the operating system refused a file, in words, and what to do; by the code of its error. */
const FAULTS: Readonly<Record<string, { reason: string; advice: string }>> = {
  ENOSPC: { reason: 'the disk is full', advice: 'Make room there, or choose another place, and try again' },
  EDQUOT: { reason: 'your share of the disk is used up', advice: 'Make room there and try again' },
  EFBIG: {
    reason: 'the file grew past what is allowed',
    advice: 'Raise the limit (ulimit -f) and try again',
  },
  EACCES: { reason: 'permission is denied', advice: 'Change its permissions, or choose another place' },
  EPERM: { reason: 'permission is denied', advice: 'Change its permissions, or choose another place' },
  EROFS: { reason: 'the disk can only be read', advice: 'Choose another place' },
  ENOTDIR: { reason: 'a file stands where a folder should', advice: 'Choose another place' },
  EISDIR: { reason: 'it is a folder, not a file', advice: 'Choose another place' },
  EEXIST: { reason: 'a file stands where a folder should', advice: 'Choose another place' },
  ENOENT: { reason: 'there is no such file or folder', advice: 'Check its name' },
  EMFILE: { reason: 'too many files are open', advice: 'Raise the limit (ulimit -n 4096) and try again' },
  ENFILE: { reason: 'too many files are open', advice: 'Close other programs and try again' },
  EIO: { reason: 'the disk failed', advice: 'Check the disk, then try again' },
};

/** Faults of the place that was named for the file, not of the work. */
const WRONG_PLACE: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'ENOENT',
]);

/** An error of the operating system about a file. */
export interface SystemFault {
  /** `ENOSPC` and the like. */
  code: string;
  /** With the code, as the end of a sentence. */
  reason: string;
  /** What to do, a sentence without its stop. */
  advice: string;
  /** The file, where the error names it. */
  path?: string;
  /** Whether another place has to be named, or the work has failed. */
  exitCode: ExitCode;
}

/** What an error of node:fs says; undefined when it is another. */
export function systemFaultOf(error: unknown): SystemFault | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  const code = String(error.code);
  const known = FAULTS[code];
  if (known === undefined) return undefined;
  const { reason, advice } = known;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  const exitCode = WRONG_PLACE.has(code) ? EXIT_WRONG_INPUT : EXIT_FAILED;
  return { code, reason: `${reason} (${code})`, advice, path, exitCode };
}
