import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measure } from './cost/measure.ts';
import { MEASUREMENTS } from './cost/measurements.ts';
import { costPage } from './cost/page.ts';

/** Writes docs/cost.md. With --measure, measures first, which takes a minute. */
const { values } = parseArgs({ options: { measure: { type: 'boolean', default: false } } });
const measurements = values.measure ? await measure() : MEASUREMENTS;
const json = `${JSON.stringify(measurements, null, 2)}\n`;
writeFileSync(new URL('cost/measurements.json', import.meta.url), json);
writeFileSync(new URL('../docs/cost.md', import.meta.url), costPage(measurements));
console.log('docs/cost.md is written.');
