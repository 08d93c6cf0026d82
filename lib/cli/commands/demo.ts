import { resolve } from 'node:path';
import { openOnDesktop } from '../../system/open-page.ts';
import { PROGRAM } from '../../system/program.ts';
import { monthBefore, uruguayDay } from '../../time/days.ts';
import { DIRECTIONS } from '../../units/unit.ts';
import { defineCommand } from '../command.ts';
import { lakeWords, SANDBOX_LAKE } from '../options/lake.ts';
import { SAY } from '../phrases/demo.ts';
import { exportCommand } from './export.ts';
import { queryCommand } from './query.ts';
import { reportCommand } from './report.ts';

/** The width of the narrowest terminal that people use. */
const COLUMNS = 80;

/** A small company, so that a month with all details takes seconds. */
const RUT = '214844360018';
/** git leaves out the pages in this folder. */
const PAGE = 'report-sandbox.html';

const QUESTION = `SELECT emisor_razon_social AS proveedor, count(*) AS comprobantes,
       sum(CASE WHEN tipo_comprobante % 100 IN (2, 12, 22, 32, 42, 52)
           THEN -totales_total ELSE totales_total END) AS total
FROM recibidos
WHERE moneda = 'UYU'
GROUP BY emisor_razon_social ORDER BY comprobantes DESC, proveedor LIMIT 5`;

/** `npm start`: the whole idea in one go, without any account. */
export const demoCommand = defineCommand({
  options: {},
  examples: ['demo'],
  run: async (_options, _words, given) => {
    const stdout = given.stdout.withWidthElsewhere(COLUMNS);
    const terminal = { ...given, stdout };
    const { from, to } = monthBefore(uruguayDay(Date.now()));
    stdout.say(SAY.month(SANDBOX_LAKE));
    const asked = { sandbox: true, rut: [RUT], from, to, details: DIRECTIONS, lake: SANDBOX_LAKE };
    const exitCode = await exportCommand.run(asked, [], terminal);
    if (exitCode !== 0) return exitCode;
    stdout.say(SAY.page());
    const page = resolve(PAGE);
    const month = from.slice(0, 'YYYY-MM'.length);
    await reportCommand.run({ rut: RUT, month, html: page, lake: SANDBOX_LAKE }, [], terminal);
    if (given.stdout.isInteractive) openOnDesktop(page);
    stdout.say(SAY.question());
    stdout.write(`${QUESTION}\n\n`);
    await queryCommand.run({ lake: SANDBOX_LAKE }, [QUESTION], terminal);
    stdout.write(
      `\n${stdout.textOf(SAY.next())}\n` +
        `  ${stdout.textOf(`${PROGRAM} query${lakeWords(SANDBOX_LAKE)}`)} "SELECT estado_dgi_codigo, count(*) AS n FROM emitidos GROUP BY estado_dgi_codigo ORDER BY n DESC"\n`,
    );
    return 0;
  },
});
