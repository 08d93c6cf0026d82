import type { Command } from '../../../lib/cli/command.ts';
import { LOADERS } from '../../../lib/cli/command-line.ts';
import { COMMAND_NAMES, type CommandName } from '../../../lib/cli/phrases/summaries.ts';

/** Every command, with its name. */
export async function allCommands(): Promise<readonly (Command & { name: CommandName })[]> {
  return await Promise.all(COMMAND_NAMES.map(async (name) => ({ ...(await LOADERS[name]()), name })));
}
