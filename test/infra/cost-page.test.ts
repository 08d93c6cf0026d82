import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { METRIC_NAMES } from '../../lib/run/lambda/telemetry.ts';
import { propertiesOf, synthesise } from './synthesis.ts';

it('docs/cost.md counts the metrics, alarms and dashboard that are deployed, and its sums are right', () => {
  const page = readFileSync('docs/cost.md', 'utf8').replace(/\n/g, ' ');
  const template = synthesise();
  const count = (type: string) => Object.keys(propertiesOf(template, type)).length;
  const alarms = count('AWS::CloudWatch::Alarm');
  const ofDetails = METRIC_NAMES.filter((name) => name.includes('Details')).length;
  // One each ten minutes, one more with a login, and some only where there is something to tell.
  const others = ['DaysNotPublished', 'LoginsFailed', 'RunsStopped', 'UnknownFields', 'RunEventNotSent'];
  const ofNight = METRIC_NAMES.filter((name) => !others.includes(name)).length - ofDetails;
  const perNight = (0.3 * 2 * 30) / 720;
  const fixed = 0.3 + ofNight * perNight + alarms * 0.1 + 3;
  expect(count('AWS::CloudWatch::Dashboard')).toBe(1);
  expect(page).toContain(
    `one metric at 0.30, ${ofNight} of the night at ${perNight.toFixed(3)}, ${alarms} alarms at 0.10 and a dashboard at ` +
      `3.00 are ${fixed.toFixed(2)} a month, with details ${ofDetails} metrics of the night more`,
  );

  const bills = [...page.matchAll(/\| [^|]+ \|((?: [\d.]+ \|){7}) \*\*([\d.]+)\*\* \|/g)];
  expect(bills).toHaveLength(7);
  for (const [row, amounts = '', sum] of bills) {
    const dollars = amounts.split('|').slice(0, -1).map(Number);
    // Each amount was rounded by itself.
    expect(Math.abs(dollars.reduce((a, b) => a + b, 0) - Number(sum)), row).toBeLessThan(0.035);
    const watching = dollars[4] ?? 0;
    if (!row.includes('once')) {
      expect(watching, row).toBeGreaterThan(
        fixed + (row.includes('with details') ? ofDetails * perNight : 0),
      );
    }
  }
});
