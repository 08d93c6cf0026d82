import { readFileSync } from 'node:fs';
import * as v from 'valibot';

const Context = v.record(v.string(), v.unknown());

export const CDK_JSON = v.parse(
  v.looseObject({ app: v.string(), context: Context }),
  JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')),
);
