interface MutationReport {
  files: Record<string, { mutants: { status: string; killedBy?: string[] }[] }>;
  testFiles?: Record<string, { tests: { id: string; name: string }[] }>;
}

/** The tests, all of which can go together and no further mutant lives; those that kill least go first. */
export function needlessTests(report: string): string[] {
  const { files, testFiles = {} } = JSON.parse(report) as MutationReport;
  const killers = Object.values(files)
    .flatMap(({ mutants }) => mutants)
    .filter(({ status }) => status === 'Killed')
    .map(({ killedBy = [] }) => new Set(killedBy));
  const killed = (id: string): Set<string>[] => killers.filter((ids) => ids.has(id));
  const tests = Object.entries(testFiles).flatMap(([file, { tests: named }]) =>
    named.map(({ id, name }) => ({ id, title: `${file}: ${name} (${killed(id).length})` })),
  );
  const needless = [];
  for (const { id, title } of tests.toSorted((a, b) => killed(a.id).length - killed(b.id).length)) {
    if (killed(id).some((ids) => ids.size === 1)) continue;
    for (const ids of killers) ids.delete(id);
    needless.push(title);
  }
  return needless;
}
