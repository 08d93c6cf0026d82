import { PROGRAM, PROGRAM_FILE } from '../../program.ts';
import { type Command, defineCommand, type ListedCommand } from '../command.ts';
import {
  bashCompletion,
  type CompletionModel,
  completionModel,
  fishCompletion,
  zshCompletion,
} from '../completion.ts';

const SHELLS: Readonly<Record<string, (model: CompletionModel) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Takes the commands that it completes, of which it is one. */
export function completionCommand(allCommands: () => Promise<readonly ListedCommand[]>): Command {
  return defineCommand({
    name: 'completion',
    argument: Object.keys(SHELLS).join('|'),
    argumentChoices: Object.keys(SHELLS),
    options: {},
    examples: ['completion bash', 'completion zsh > ~/.cfe-lake.zsh'],
    notes: [
      `In bash and zsh:  source <(${PROGRAM} completion bash)`,
      `In fish:          ${PROGRAM} completion fish | source`,
      'From then on, cfe-lake runs this program in every folder. To have it in every',
      "terminal, write the script to a file and source that in your shell's start-up file.",
    ],
    run: async (_options, [shell = ''], terminal) => {
      const model = completionModel(await allCommands(), [
        process.execPath,
        '--max-semi-space-size=8',
        PROGRAM_FILE,
      ]);
      terminal.stdout.write(SHELLS[shell]?.(model) ?? '');
      return 0;
    },
  });
}
