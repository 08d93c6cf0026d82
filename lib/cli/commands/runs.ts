import type { RunDescription } from '../../deployed/runs.ts';
import { plain, STYLES, type TextForm } from '../../text/terminal.ts';
import { textTable } from '../../text/text-table.ts';
import { uruguayDateTime } from '../../time/days.ts';
import { defineCommand, wholeNumber } from '../command.ts';
import { STACK_OPTION, stackName } from '../options/lake.ts';

const DEFAULT_RUNS = 10;

export const runsCommand = defineCommand({
  name: 'runs',
  options: {
    last: { kind: 'value', placeholder: 'N', help: `how many (default ${DEFAULT_RUNS})` },
    ...STACK_OPTION,
  },
  examples: ['runs', 'runs --last 50 --stack cfe-lake-test'],
  run: async (options, _words, terminal) => {
    const last = options.last === undefined ? DEFAULT_RUNS : wholeNumber('last', options.last, 1, 1000);
    const { openDeployment } = await import('../../deployed/deployment.ts');
    const deployment = await openDeployment(stackName(options));
    terminal.stdout.writeColoured(`${runsTable(await deployment.listRuns(last), terminal.stdout)}\n`);
    return 0;
  },
});

/** A line a run, the newest first. */
export function runsTable(
  runs: readonly RunDescription[],
  { columns, paint = plain }: TextForm = {},
): string {
  const rows = runs.map(({ corrida, status, startedAt, endedAt, input, failure }) => [
    corrida,
    status,
    startedAt === undefined ? '' : uruguayDateTime(startedAt.getTime()),
    startedAt === undefined || endedAt === undefined ? '' : minutes(endedAt.getTime() - startedAt.getTime()),
    input === undefined ? '' : `${input.desde} … ${input.hasta}`,
    input === undefined ? '' : String(input.ruts.length),
    failure ?? '',
  ]);
  const headings = ['run', 'status', 'started (Uruguay)', 'minutes', 'issue dates', 'companies', 'failure'];
  return textTable(headings, rows, ['left', 'left', 'left', 'right', 'left', 'right', 'left'], {
    columns,
    paintCell: (text, heading) => {
      if (heading !== 'status' || text === 'RUNNING') return text;
      return paint(text === 'SUCCEEDED' ? STYLES.good : STYLES.failure, text);
    },
  });
}

function minutes(durationMs: number): string {
  return (durationMs / 60_000).toFixed(1);
}
