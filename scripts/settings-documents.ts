import { fileURLToPath } from 'node:url';
import { toJsonSchema } from '@valibot/to-json-schema';
import ts from 'typescript';
import * as v from 'valibot';
import { SettingsSchema } from '../lib/stack/settings.ts';

/** What the docstring of a setting says. */
export interface SettingText {
  description: string;
  /** Its `@default`, as it stands there; undefined if it must be given, or has none. */
  default: string | undefined;
}

/** The docstrings of the settings' interfaces in lib/stack/settings.ts. */
function readTexts(): Readonly<Record<string, SettingText>> {
  const file = fileURLToPath(new URL('../lib/stack/settings.ts', import.meta.url));
  const source = ts.createSourceFile(file, ts.sys.readFile(file) ?? '', ts.ScriptTarget.Latest, true);
  const members = source.statements.filter(ts.isInterfaceDeclaration).flatMap(({ members }) => [...members]);
  return Object.fromEntries(
    members.map((member) => {
      const [doc] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
      const tag = doc?.tags?.find(({ tagName }) => tagName.text === 'default');
      const description = ts.getTextOfJSDocComment(doc?.comment) ?? '';
      return [
        member.name?.getText(source),
        {
          description: description.replaceAll(/\s+/g, ' ').replace(/\.$/, ''),
          default: ts.getTextOfJSDocComment(tag?.comment),
        },
      ];
    }),
  );
}

/** Every setting, in the order of the schema. Throws a TypeError for one without a docstring. */
export function settingTexts(): [name: string, text: SettingText][] {
  const texts = readTexts();
  return Object.keys(SettingsSchema.entries).map((name) => {
    const text = texts[name];
    if (text === undefined || text.description === '') throw new TypeError(`${name} has no docstring`);
    return [name, text];
  });
}

/** The JSON Schema of the settings file, for editors, with each setting's default and description. */
export function settingsJsonSchema(): object {
  const schema = v.strictObject(SettingsSchema.entries);
  // Functions that check or change a value have no JSON Schema.
  const json = toJsonSchema(schema, { typeMode: 'input', ignoreActions: ['guard', 'check'] });
  const described = settingTexts().map(([name, { description }]) => {
    const property = json.properties?.[name];
    return [name, { description, ...(typeof property === 'object' && property) }];
  });
  return {
    $schema: json.$schema,
    title: 'Settings of the cfe-lake stack',
    ...json,
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(described) },
  };
}

const INTRODUCTION = `# Settings of the stack

Only \`apiAddress\` is required. Settings are kept in \`cfe-lake.config.json\`, in the project's folder, where every deployment finds them; keep the file under version control.

\`\`\`json
{
  "$schema": "./docs/cfe-lake.config.schema.json",
  "apiAddress": "https://api.your-provider.example",
  "alarmEmail": "you@example.com"
}
\`\`\`

- An editor that knows JSON Schema completes and checks the file.
- \`npx cdk deploy -c nightlyDays=5\` is for one deployment: it wins over the file, and the next deployment without it goes back.

An invalid value stops CDK before it begins, with one line for each.

Before anything changes, \`npx cdk deploy\` compares the settings with what is deployed in the account and region, and so do \`diff\` and \`synth\` where there are credentials. A deployment is refused, with the reason, if it would change the encryption or the bucket of an existing lake, or create a second stack beside an existing one; \`-c accept=encryption\`, \`bucket\` or \`second-stack\` allows it (several with commas between). If the comparison can't be made, \`-c accept=unseen\` goes on without it. Name the account by \`AWS_PROFILE\`: CDK keeps \`--profile\` to itself.

cdk.json has CDK's own flags and no settings. Times are Uruguayan time (America/Montevideo).
`;

/** Text of docs/settings.md: every setting with its default and description. */
export function settingsPage(): string {
  const rows = settingTexts().map(([name, text]) => {
    const standing = text.default === undefined ? '' : `\`${text.default.replaceAll(/^'|'$/g, '')}\``;
    return `| \`${name}\` | ${name === 'apiAddress' ? 'none: give it' : standing} | ${text.description} |`;
  });
  return [INTRODUCTION, '| Setting | Default | Meaning |', '|---|---|---|', ...rows, ''].join('\n');
}
