import { relative, resolve } from 'node:path';
import {
  CfeLakeError,
  EXIT_WRONG_INPUT,
  type ExitCode,
  type SystemFault,
  systemFaultOf,
} from '../../errors.ts';

/** A file operation in the lake's folder failed. */
export class LakeFolderError extends CfeLakeError {
  override name = 'LakeFolderError';
  override readonly exitCode: ExitCode;
  readonly address: string;
  readonly code: string;

  constructor(address: string, whatFailed: string, fault: SystemFault) {
    const { code, reason, advice, exitCode } = fault;
    super(`The lake ${address}: ${whatFailed} failed: ${reason}${placeIn(address, fault)}.`, {
      advice: `${advice}. No object was left half-written.`,
    });
    this.address = address;
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** Which folder or file of the lake is at fault: one of many may belong to another user. */
function placeIn(address: string, { path, exitCode }: SystemFault): string {
  if (path === undefined || exitCode !== EXIT_WRONG_INPUT) return '';
  const place = relative(resolve(address), path);
  return place === '' || place.startsWith('.trial-') ? '' : ` at ${place}`;
}

/** Does the work. Of an error of the file system, throws a LakeFolderError that names the reason and what to do. */
export async function explained<T>(address: string, whatFailed: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const fault = systemFaultOf(error);
    throw fault === undefined ? error : new LakeFolderError(address, whatFailed, fault);
  }
}
