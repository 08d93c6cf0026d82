import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import { newScratchFolder } from '../../query/lake-files.ts';
import { messageOf } from '../../system/errors.ts';
import { foreignNamesNote } from '../foreign-names.ts';
import type { AskedTool, ToolAnswer } from './answerer.ts';
import { SCRATCH_PREFIX } from './limits.ts';
import { TOOLS, toolText } from './tools.ts';

const MOST_ERROR_CHARACTERS = 5_000;

let isScratchMade = false;

async function answerTo({ lake, name, given }: AskedTool): Promise<ToolAnswer> {
  try {
    // Only a process that can remove it makes it. If somebody else did, what is in it would be his to replace: an error.
    if (!isScratchMade) newScratchFolder(dirname(tmpdir()), SCRATCH_PREFIX, tmpdir());
    isScratchMade = true;
    const foreignNames = new Set<string>();
    const answer = await TOOLS[name]?.run(await openStoreToRead(lake, foreignNames), given);
    const notes = foreignNames.size === 0 ? [] : [foreignNamesNote(foreignNames)('en')];
    const all = { value: undefined, ...answer, notes: [...(answer?.notes ?? []), ...notes] };
    return { text: toolText(all), isError: false };
  } catch (error) {
    // DuckDB repeats a text that it cannot convert.
    return { text: toolText({ value: messageOf(error).slice(0, MOST_ERROR_CHARACTERS) }), isError: true };
  }
}

parentPort?.on('message', async (asked: AskedTool) => parentPort?.postMessage(await answerTo(asked)));
