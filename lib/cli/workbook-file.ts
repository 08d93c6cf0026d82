import { writePrivateFile } from '../private-files.ts';
import type { AnswerSheet, WorkbookTexts } from '../query/workbook.ts';
import type { Printer } from './printer.ts';
import { UsageError } from './usage.ts';

/** Excel opens no workbook under another extension without a warning. Throws UsageError. */
export function assertWorkbookName(file: string | undefined): void {
  if (file !== undefined && !/\.xlsx$/i.test(file)) {
    throw new UsageError('--xlsx: give the file a name that ends with .xlsx.');
  }
}

/** Writes a workbook, and tells what is in it. Throws PrivateFileError and WorkbookTooLargeError. */
export async function writeWorkbook(
  file: string,
  { sheets, notes }: { sheets: readonly AnswerSheet[]; notes: readonly string[] },
  texts: Partial<WorkbookTexts>,
  what: string,
  told: { stdout: Printer; stderr: Printer },
): Promise<void> {
  const { workbookOf } = await import('../query/workbook.ts');
  const { bytes, remarks } = await workbookOf(sheets, notes, texts);
  await writePrivateFile(file, bytes);
  told.stdout.write(`Wrote ${file}: ${what}.\n`);
  for (const remark of remarks) told.stderr.write(`${remark}\n`);
}
