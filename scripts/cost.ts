import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measure } from './cost/measure.ts';
import { readMeasurements, saveMeasurements } from './cost/measurements.ts';
import { costPage } from './cost/page.ts';
import { readPrices } from './cost/prices.ts';

/** Writes docs/cost.md. With --measure, measures first, which takes a minute. */
const { values } = parseArgs({ options: { measure: { type: 'boolean', default: false } } });
if (values.measure) saveMeasurements(await measure());
writeFileSync(new URL('../docs/cost.md', import.meta.url), costPage(readMeasurements(), readPrices()));
console.log('docs/cost.md is written.');
