import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemFaultOf } from '../../lib/system/errors.ts';

function fault(code: string) {
  return systemFaultOf(Object.assign(new Error(`${code}: write`), { code, syscall: 'write' }));
}

describe('systemFaultOf', () => {
  it('states the reason in words with the code, the file, and what to do', async () => {
    const path = join(tmpdir(), 'a-file-that-is-not-there');
    const error = await readFile(path).catch((reason: unknown) => reason);
    expect(systemFaultOf(error)).toEqual({
      code: 'ENOENT',
      reason: 'there is no such file or folder (ENOENT)',
      advice: 'Check its name',
      path,
      exitCode: 2,
    });
  });

  it.each([
    ['ENOSPC', /disk is full/, false],
    ['EDQUOT', /disk quota/, false],
    ['EFBIG', /larger than your limit/, false],
    ['EMFILE', /too many files/, false],
    ['EACCES', /permission is denied/, true],
    ['EROFS', /is read-only/, true],
    ['ENOTDIR', /a file stands where a folder should/, true],
  ])('tells %s of a wrong place from work that failed', (code, reason, isWrongPlace) => {
    expect(fault(code)).toMatchObject({
      reason: expect.stringMatching(reason),
      exitCode: isWrongPlace ? 2 : 1,
    });
  });

  it('leaves other errors alone', () => {
    expect(systemFaultOf(new Error('no'))).toBeUndefined();
    expect(systemFaultOf(Object.assign(new Error('no'), { code: 'ENOSPC' }))).toBeUndefined();
    expect(fault('EUNHEARDOF')).toBeUndefined();
    expect(systemFaultOf('ENOSPC')).toBeUndefined();
  });
});
