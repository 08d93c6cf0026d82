import * as v from 'valibot';
import { SettingsSchema } from './settings.ts';

const INTRODUCTION = `# Settings of the stack

Only \`apiAddress\` is required. Settings are kept in \`cfe-lake.config.json\`, in the project's folder, where every deployment finds them; keep the file under version control.

- \`npm run settings\` asks for the few that matter.
- \`npm run settings -- nightlyDays=5\` sets one, \`npm run settings -- nightlyDays=\` removes it.
- An editor that knows JSON Schema completes and checks the file.
- \`npm run deploy -- -c nightlyDays=5\` is for one deployment: it wins over the file, and the next deployment without it goes back.

An invalid value stops the deployment before it begins, with one line for each.

A deployment is refused, with the reason, if it would change the encryption or the bucket of an existing lake, or create a second stack beside an existing one. \`--accept\` allows it.

cdk.json has CDK's own flags and no settings. Times are Uruguayan time (America/Montevideo).
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
