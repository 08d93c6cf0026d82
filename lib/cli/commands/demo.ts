import { defineCommand, PROGRAM } from '../command.ts';
import { exportCommand } from './export.ts';
import { queryCommand } from './query.ts';

const QUESTION = `SELECT moneda, count(*) AS comprobantes,
       sum(CASE WHEN tipo_comprobante % 10 = 2 THEN -totales_total ELSE totales_total END) AS total
FROM recibidos
WHERE totales_total IS NOT NULL
GROUP BY moneda ORDER BY comprobantes DESC`;

/** What `npm start` shows: the whole idea in one go, without any account. */
export const demoCommand = defineCommand({
  name: 'demo',
  summary: "Export the sandbox's receipts of yesterday into ./lake and ask one question.",
  options: {},
  examples: ['demo'],
  run: async (_options, _words, terminal) => {
    const { stdout } = terminal;
    stdout.write("Yesterday's receipts of the sandbox's companies, over HTTP, into ./lake:\n\n");
    const exitCode = await exportCommand.run([], terminal);
    if (exitCode !== 0) return exitCode;
    stdout.write(`\nWhat was received, by currency (credit notes count negative):\n\n${QUESTION}\n\n`);
    await queryCommand.run([QUESTION], terminal);
    stdout.write(
      '\nAsk the next one yourself:\n' +
        `  ${PROGRAM} query "SELECT emisor_razon_social, count(*) AS n FROM recibidos GROUP BY ALL ORDER BY n DESC LIMIT 5"\n`,
    );
    return 0;
  },
});
