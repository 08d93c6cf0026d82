import * as v from 'valibot';
import { SettingsSchema } from './settings.ts';

const INTRODUCTION = `# Settings of the stack

Only \`apiAddress\` is needed. Give a setting on the command line, \`npm run deploy -- -c apiAddress=https://… -c nightlyDays=5\`, or once for all under \`"context"\` in \`cdk.json\`; the command line wins. A value that is not right stops the deployment before it begins, with one line for each.

Times are by the clock of Uruguay (America/Montevideo).
`;

/** docs/settings.md: every setting with its default and meaning. */
export function settingsPage(): string {
  const rows = Object.entries(SettingsSchema.entries).map(([name, schema]) => {
    return `| \`${name}\` | ${shownDefault(name, v.getDefault(schema))} | ${v.getDescription(schema)} |`;
  });
  return [INTRODUCTION, '| Setting | Default | Meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

function shownDefault(name: string, value: unknown): string {
  if (name === 'apiAddress') return 'none: give it';
  return value === undefined ? '' : `\`${String(value)}\``;
}
