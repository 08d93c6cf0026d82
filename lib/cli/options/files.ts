import { dirname } from 'node:path';
import { WrongInputError } from '../../system/errors.ts';
import { assertReplaceable, isFolder, isOpenToOthers } from '../../system/private-files.ts';
import { shellWord } from '../../text/terminal.ts';
import type { OptionTable, Terminal } from '../command.ts';

/** Checks the files that options name, before work that may take minutes. Throws CfeLakeError. */
export async function checkFiles(
  options: OptionTable,
  values: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<void> {
  for (const [option, { file }] of Object.entries(options)) {
    const path = values[option];
    if (typeof path !== 'string') continue;
    if (file === 'tokens') await warnOfReaders(path, terminal);
    // Excel opens no workbook under another extension without a warning.
    if (file === 'workbook' && !/\.xlsx$/i.test(path))
      throw new WrongInputError(`--${option}: give the file a name that ends with .xlsx.`);
    if (file === 'written' || file === 'workbook') await assertFileCanBe(option, path);
  }
}

/** Only warns: somebody may share the file with a group on purpose. */
async function warnOfReaders(file: string, { stderr }: Terminal): Promise<void> {
  if (!(await isOpenToOthers(file))) return;
  stderr.writeProblem(
    `${file} holds tokens, and other users of this machine may read or change it. Run: chmod 600 ${shellWord(file)}`,
    'Warning:',
    'warning',
  );
}

/** Its folder must exist, and it may be no folder, link or device itself. */
export async function assertFileCanBe(option: string, file: string): Promise<void> {
  await assertReplaceable(file);
  const folder = dirname(file);
  if (await isFolder(folder)) return;
  throw new WrongInputError(`--${option}: there is no folder ${folder}. Create it, or name another file.`);
}
