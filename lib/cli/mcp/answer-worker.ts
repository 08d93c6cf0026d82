import { openStoreToRead } from '../../lake/store/open-store.ts';
import { messageOf } from '../../system/errors.ts';
import type { AskedTool, ToolAnswer } from './answerer.ts';
import { LIMITS, TOOLS, toolText } from './tools.ts';

const MOST_ERROR_CHARACTERS = 5_000;
/** For all that is not DuckDB's, or that DuckDB does not count: one function of SQL may make gigabytes. */
const OTHER_BYTES = 512 * 2 ** 20;
const LOOKED_AT_EVERY_MS = 50;

async function answerTo({ lake, name, given }: AskedTool): Promise<ToolAnswer> {
  try {
    const answer = await TOOLS[name]?.run(await openStoreToRead(lake), given);
    return { text: toolText(answer?.value, answer?.notes), isError: false };
  } catch (error) {
    // DuckDB repeats a text that it cannot convert.
    return { text: toolText(messageOf(error).slice(0, MOST_ERROR_CHARACTERS)), isError: true };
  }
}

const end = () => process.kill(process.pid, 'SIGKILL');
// DuckDB works in threads of its own, which nothing but the end of the process stops for sure.
setInterval(() => {
  if (process.memoryUsage.rss() > LIMITS.memoryBytes + OTHER_BYTES) end();
}, LOOKED_AT_EVERY_MS);
process.on('disconnect', end);
// Ctrl-C reaches all processes of a terminal: who asked decides.
process.on('SIGINT', () => undefined);
process.on('message', async (asked: AskedTool) => process.send?.(await answerTo(asked)));
