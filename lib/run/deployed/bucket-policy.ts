import * as v from 'valibot';

const OneOrMoreSchema = v.pipe(
  v.optional(v.union([v.string(), v.array(v.string())]), []),
  v.transform((value) => (typeof value === 'string' ? [value] : value)),
);
const FlagSchema = v.pipe(
  v.union([v.string(), v.boolean(), v.array(v.union([v.string(), v.boolean()]))]),
  v.transform((value) => [value].flat().map((one) => String(one).toLowerCase())),
);
const StatementSchema = v.object({
  Effect: v.string(),
  Principal: v.optional(v.union([v.string(), v.record(v.string(), v.unknown())])),
  Action: OneOrMoreSchema,
  Resource: OneOrMoreSchema,
  Condition: v.optional(v.record(v.string(), v.record(v.string(), v.unknown())), {}),
});
const PolicySchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    Statement: v.pipe(
      v.unknown(),
      v.transform((given): unknown[] => [given].flat()),
    ),
  }),
);

/** Whether a bucket's policy denies everybody every request to its objects without TLS, in a statement of its own. */
export function refusesPlainHttp(policy: string, bucket: string): boolean {
  const parsed = v.safeParse(PolicySchema, policy);
  if (!parsed.success) return false;
  return parsed.output.Statement.some((statement) => {
    const { success, output } = v.safeParse(StatementSchema, statement);
    if (!success || output.Effect !== 'Deny') return false;
    const { Principal: principal, Action: actions, Resource: resources } = output;
    const isOfAll =
      principal === '*' || (typeof principal === 'object' && [principal.AWS].flat().includes('*'));
    return (
      isOfAll &&
      actions.some((action) => action === '*' || action === 's3:*') &&
      resources.some((resource) => resource === '*' || resource.endsWith(`:::${bucket}/*`)) &&
      isWithoutTls(output.Condition)
    );
  });
}

/** Whether it holds for all requests without TLS. Names of keys have no case. */
function isWithoutTls(condition: v.InferOutput<typeof StatementSchema>['Condition']): boolean {
  const [operator, ...others] = Object.entries(condition);
  if (operator?.[0] !== 'Bool' || others.length > 0) return false;
  const [key, ...otherKeys] = Object.entries(operator[1]);
  if (key?.[0].toLowerCase() !== 'aws:securetransport' || otherKeys.length > 0) return false;
  const flag = v.safeParse(FlagSchema, key[1]);
  return flag.success && flag.output.includes('false');
}
