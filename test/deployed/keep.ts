import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from './plays.ts';

/** Says how to use what is running, and waits until Ctrl-C ends it. */
export async function keepRunning({ deployer, daysAgo }: Stage, folder: string): Promise<void> {
  const bucket = await deployer.output('LakeBucket');
  const file = join(folder, 'environment.sh');
  const variables = Object.entries(deployer.root).filter(([name]) => /^(AWS|NODE)_/.test(name));
  const lines = variables.map(([name, value]) => `export ${name}='${value}'\n`);
  writeFileSync(file, `unset AWS_PROFILE AWS_SESSION_TOKEN\n${lines.join('')}`);
  process.stdout.write(`
It is running, with a week of receipts. In another terminal, in this folder:

  source ${file}
  npm run -s cfe-lake -- check
  npm run -s cfe-lake -- backfill --from ${daysAgo(14)} --to ${daysAgo(8)}
  npm run -s cfe-lake -- query --lake s3://${bucket} "SELECT fecha, count(*) FROM recibidos WHERE fecha >= DATE '${daysAgo(7)}' GROUP BY fecha ORDER BY fecha"

Athena, and the coverage page (AWS CLI v2):

  aws athena start-query-execution --work-group cfe-lake --query-execution-context Database=cfe_lake --query-string "SELECT count(*) FROM recibidos WHERE fecha >= DATE '${daysAgo(7)}'"
  aws athena get-query-results --query-execution-id ID
  aws s3 cp s3://${bucket}/cobertura/index.html coverage.html

Ctrl-C ends it and removes everything.
`);
  await new Promise((resolve) => setInterval(resolve, 2 ** 31 - 1));
}
