import * as v from 'valibot';
import { SettingsSchema } from './settings.ts';

const INTRODUCTION = `# Settings of the stack

Only \`apiAddress\` is needed. Settings stand in \`cfe-lake.config.json\`, in the project's folder, where every deployment finds them; keep it under version control. \`npm run settings\` asks for the few that matter, \`npm run settings -- nightlyDays=5\` writes one, \`npm run settings -- nightlyDays=\` takes it back, and an editor that knows JSON Schema completes and checks the rest. \`npm run deploy -- -c nightlyDays=5\` is for one time: it wins over the file, and the next deployment without it goes back. A value that is not right stops the deployment before it begins, with one line for each.

A deployment that would change the encryption or the bucket of a lake that is there, or make a second stack beside one that is there, is refused with what it would mean, unless \`--accept\` says that it is meant.

cdk.json has CDK's own flags and no settings.

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
