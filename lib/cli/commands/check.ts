import type { CheckLine, CheckState } from '../../deployed/check-lines.ts';
import type { CheckClients } from '../../deployed/check-stack.ts';
import { type Paint, plural, printableLine, STYLES } from '../../text/terminal.ts';
import { systemClock } from '../../time/clock.ts';
import { defineCommand, type Terminal } from '../command.ts';
import { flag, oneValue } from '../option.ts';
import { STACK_OPTION, stackName } from '../options/lake.ts';
import { checkedRut } from '../usage.ts';

export const checkCommand = defineCommand({
  name: 'check',
  options: {
    rut: oneValue(
      'RUT',
      'the company whose receipts of yesterday are read (default: the first of the secrets)',
    ),
    json: flag('print one JSON document'),
    ...STACK_OPTION,
  },
  examples: ['check', 'check --rut 219999830019', 'check --stack cfe-lake-test --json'],
  notes: [
    'Exit code 0: no failure, perhaps warnings; 1: something must be corrected before the night; 2: no such stack, or not signed in.',
  ],
  run: async (options, _words, terminal) => {
    const { rut } = options;
    if (rut !== undefined) checkedRut(rut);
    const name = stackName(options);
    const [{ checkStack }, { readStackOutputs }, { CloudFormationClient }] = await Promise.all([
      import('../../deployed/check-stack.ts'),
      import('../../deployed/deployment.ts'),
      import('@aws-sdk/client-cloudformation'),
    ]);
    const outputs = await readStackOutputs(new CloudFormationClient(), name);
    const clients = await openClients();
    const { signal } = terminal;
    const lines = checkStack(outputs, clients, { stackName: name, rut, clock: systemClock, signal });
    return await tell(lines, terminal, options.json === true);
  },
});

async function openClients(): Promise<CheckClients> {
  const [{ LambdaClient }, { AthenaClient }, { SNSClient }, { SchedulerClient }] = await Promise.all([
    import('@aws-sdk/client-lambda'),
    import('@aws-sdk/client-athena'),
    import('@aws-sdk/client-sns'),
    import('@aws-sdk/client-scheduler'),
  ]);
  return {
    // Longer than start-run's own limit; asking twice would read the API twice.
    lambda: new LambdaClient({ maxAttempts: 1, requestHandler: { requestTimeout: 130_000 } }),
    athena: new AthenaClient(),
    sns: new SNSClient(),
    scheduler: new SchedulerClient(),
  };
}

/** Prints each line as it comes, or all as one document. Returns the exit code. */
export async function tell(
  lines: AsyncIterable<CheckLine>,
  { stdout }: Terminal,
  isJson: boolean,
): Promise<number> {
  const told: CheckLine[] = [];
  for await (const line of lines) {
    told.push(line);
    if (!isJson) stdout.writeColoured(textOf(line, stdout.paint));
  }
  const count = (state: CheckState) => told.filter((line) => line.state === state).length;
  const [failures, warnings] = [count('failure'), count('warning')];
  if (isJson)
    stdout.write(
      `${JSON.stringify({ isReady: failures === 0, failures, warnings, lines: told }, null, 2)}\n`,
    );
  else stdout.write(`\n${summaryOf(failures, warnings)}\n`);
  return failures === 0 ? 0 : 1;
}

const MARK_STYLES = { ok: STYLES.good, warning: STYLES.warning, failure: STYLES.failure } as const;

function textOf({ check, state, found, todo }: CheckLine, paint: Paint): string {
  const mark = state === 'failure' ? 'FAILURE' : state.padEnd(7);
  const line = `${paint(MARK_STYLES[state], mark)}  ${check.padEnd(9)}  ${printableLine(found)}\n`;
  return todo === undefined ? line : `${line}${' '.repeat(20)}→ ${printableLine(todo)}\n`;
}

function summaryOf(failures: number, warnings: number): string {
  if (failures > 0)
    return `${plural(failures, 'failure')} to correct before the night, ${plural(warnings, 'warning')}.`;
  return warnings > 0 ? `Ready for the night, with ${plural(warnings, 'warning')}.` : 'Ready for the night.';
}
