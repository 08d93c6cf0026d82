import * as v from 'valibot';

/** `told` is the same in each stack that has it; `make` changes the template. */
type Mutant = readonly [told: string, make: () => unknown];

const Resource = v.object({ Type: v.string(), Properties: v.optional(v.record(v.string(), v.unknown())) });
const Template = v.object({ Resources: v.record(v.string(), Resource) });
const Statement = v.looseObject({ Effect: v.string(), Action: v.unknown() });

/** What takes the place of an alarm's property, besides a number's neighbours. */
const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  Statistic: ['Sum', 'Maximum', 'Minimum'],
  ComparisonOperator: ['LessThan', 'LessThanOrEqualTo', 'GreaterThan', 'GreaterThanOrEqualTo'].map(
    (name) => `${name}Threshold`,
  ),
  TreatMissingData: ['missing', 'notBreaching', 'breaching'],
  Namespace: ['AWS/Other'],
  MetricName: ['Errors'],
  Dimensions: [[]],
};

/** All mutants of a template's alarms, or of all else that has policies, but of what CDK makes for itself. */
export function mutantsIn(template: unknown, kind: 'alarms' | 'policies'): Mutant[] {
  v.assert(Template, template);
  const { Resources: resources } = template;
  const topics = Object.keys(resources).filter((id) => resources[id]?.Type === 'AWS::SNS::Topic');
  return Object.entries(resources).flatMap(([id, { Type: type, Properties: properties = {} }]) => {
    const isAlarm = type === 'AWS::CloudWatch::Alarm';
    if (id.startsWith('Custom') || isAlarm !== (kind === 'alarms')) return [];
    const removed: Mutant = ['removed', () => Reflect.deleteProperty(resources, id)];
    const mutants = isAlarm ? [removed, ...ofAlarm(properties, topics)] : ofPolicies(properties);
    return mutants.map(([title, make]): Mutant => [`${id}: ${title}`, make]);
  });
}

function ofAlarm(alarm: object, topics: readonly string[]): Mutant[] {
  return Object.entries(alarm).flatMap(([name, value]) => {
    const others = typeof value === 'number' ? [value - 1, value + 1] : [...(OTHERS[name] ?? [])];
    if (name.endsWith('Actions')) others.push(undefined, ...topics.map((Ref) => [{ Ref }]));
    return others
      .filter((other) => textOf(other) !== textOf(value))
      .map((other): Mutant => [`${name} → ${textOf(other)}`, () => Reflect.set(alarm, name, other)]);
  });
}

/** Of each statement below a value: of policies of roles, people, buckets, topics, queues and keys, and of trust. */
function ofPolicies(value: unknown): Mutant[] {
  if (typeof value !== 'object' || value === null) return [];
  const earlier: string[] = [];
  return Object.values(value).flatMap((inner, index) => {
    if (!v.is(Statement, inner)) return ofPolicies(inner);
    const actions = [inner.Action].flat().map(textOf).join(' ');
    const nth = earlier.push(actions) && earlier.filter((previous) => previous === actions).length;
    const removed: Mutant = ['removed', () => Array.isArray(value) && value.splice(index, 1)];
    return [removed, ...ofStatement(inner)].map(
      ([title, make]): Mutant => [`${actions}, ${nth}: ${title}`, make],
    );
  });
}

function ofStatement(statement: v.InferOutput<typeof Statement>): Mutant[] {
  const effect = statement.Effect === 'Allow' ? 'Deny' : 'Allow';
  const mutants: Mutant[] = [[effect, () => Reflect.set(statement, 'Effect', effect)]];
  if ('Condition' in statement)
    mutants.push(['no Condition', () => Reflect.deleteProperty(statement, 'Condition')]);
  for (const name of ['Action', 'Resource', 'Principal']) {
    const values = [statement[name] ?? []].flat();
    const put = (others: unknown[]) => () => Reflect.set(statement, name, others);
    for (const [index, value] of values.entries()) {
      const wide = name === 'Action' ? textOf(value).replace(/:.*/, ':*') : '*';
      const title = `${name} ${index + 1}`;
      if (value !== wide) mutants.push([`${title} → ${wide}`, put(values.with(index, wide))]);
      if (values.length > 1) mutants.push([`no ${title}`, put(values.toSpliced(index, 1))]);
    }
  }
  return mutants;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? 'none');
}
