import * as v from 'valibot';

type Path = readonly string[];
/** `told` is the same in each stack that has it. Without a value, what is at the path goes. */
type Mutant = readonly [told: string, path: Path, value?: unknown];

const Properties = v.optional(v.record(v.string(), v.unknown()), {});
const Template = v.object({ Resources: v.record(v.string(), v.object({ Type: v.string(), Properties })) });
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
  const { Resources: resources } = v.parse(Template, template);
  const topics = Object.keys(resources).filter((id) => resources[id]?.Type === 'AWS::SNS::Topic');
  return Object.entries(resources).flatMap(([id, { Type: type, Properties: properties }]) => {
    const isAlarm = type === 'AWS::CloudWatch::Alarm';
    if (id.startsWith('Custom') || isAlarm !== (kind === 'alarms')) return [];
    const path = ['Resources', id, 'Properties'];
    const removed: Mutant = ['removed', path.slice(0, 2)];
    const mutants = isAlarm ? [removed, ...ofAlarm(properties, path, topics)] : ofPolicies(properties, path);
    return mutants.map(([told, ...change]): Mutant => [`${id}: ${told}`, ...change]);
  });
}

function ofAlarm(properties: object, path: Path, topics: readonly string[]): Mutant[] {
  return Object.entries(properties).flatMap(([name, value]) => {
    const others = typeof value === 'number' ? [value - 1, value + 1] : [...(OTHERS[name] ?? [])];
    if (name.endsWith('Actions')) others.push(undefined, ...topics.map((Ref) => [{ Ref }]));
    return others
      .filter((other) => textOf(other) !== textOf(value))
      .map((other) => [`${name} → ${textOf(other)}`, [...path, name], other] as const);
  });
}

/** Of each statement below a value: of policies of roles, people, buckets, topics, queues and keys, and of trust. */
function ofPolicies(value: unknown, path: Path): Mutant[] {
  if (typeof value !== 'object' || value === null) return [];
  const earlier: string[] = [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (!v.is(Statement, inner)) return ofPolicies(inner, [...path, name]);
    const actions = [inner.Action].flat().map(textOf).join(' ');
    const nth = earlier.push(actions) && earlier.filter((one) => one === actions).length;
    return ofStatement(inner, [...path, name]).map(
      ([told, ...change]): Mutant => [`${actions}, ${nth}: ${told}`, ...change],
    );
  });
}

function ofStatement(statement: v.InferOutput<typeof Statement>, path: Path): Mutant[] {
  const effect = statement.Effect === 'Allow' ? 'Deny' : 'Allow';
  const mutants: Mutant[] = [
    ['removed', path],
    [effect, [...path, 'Effect'], effect],
  ];
  if ('Condition' in statement) mutants.push(['no Condition', [...path, 'Condition']]);
  for (const name of ['Action', 'Resource', 'Principal']) {
    const values = [statement[name] ?? []].flat();
    for (const [index, value] of values.entries()) {
      const wide = name === 'Action' ? textOf(value).replace(/:.*/, ':*') : '*';
      const told = `${name} ${index + 1}`;
      if (value !== wide) mutants.push([`${told} → ${wide}`, [...path, name], values.with(index, wide)]);
      if (values.length > 1) mutants.push([`no ${told}`, [...path, name], values.toSpliced(index, 1)]);
    }
  }
  return mutants;
}

/** Makes the template this mutant, if it has it. */
export function mutate(template: object, told: string): void {
  const mutants = [...mutantsIn(template, 'alarms'), ...mutantsIn(template, 'policies')];
  const [, path, value] = mutants.find(([name]) => name === told) ?? [];
  if (path === undefined) return;
  const [name = ''] = path.slice(-1);
  const place = path.slice(0, -1).reduce<object>((at, step) => Reflect.get(at, step), template);
  if (value !== undefined) Reflect.set(place, name, value);
  else if (Array.isArray(place)) place.splice(Number(name), 1);
  else Reflect.deleteProperty(place, name);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? 'none');
}
