import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METRIC_NAMES } from '../../lib/run/lambda/telemetry.ts';
import { billOf } from '../../scripts/cost/bill.ts';
import { ASSUMPTIONS, CASES } from '../../scripts/cost/cases.ts';
import { MEASUREMENTS } from '../../scripts/cost/measurements.ts';
import { costPage } from '../../scripts/cost/page.ts';
import { monthOf, type Usage } from '../../scripts/cost/usage.ts';
import { propertiesOf, synthesise } from '../infra/synthesis.ts';

const { metrics: METRICS, detailMetrics: DETAIL_METRICS, alarmMetrics: ALARMS } = ASSUMPTIONS;

const NOTHING: Usage = {
  requests: 0,
  invocations: 0,
  gbSeconds: 0,
  transitions: 0,
  s3Writes: 0,
  s3Reads: 0,
  storedBytes: 0,
  logBytes: 0,
  sentBytes: 0,
  secrets: 0,
  secretCalls: 0,
  scannedBytes: 0,
  hasFixedParts: false,
  hasDetails: false,
};

describe('docs/cost.md', () => {
  it('is what the script makes of the stored measurements and prices', () => {
    const page = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8');
    expect(costPage(MEASUREMENTS)).toBe(page);
  });
});

describe('what was assumed', () => {
  it('has as many alarms, metrics and dashboards as there are', () => {
    const template = synthesise();
    const count = (type: string) => Object.keys(propertiesOf(template, type)).length;
    expect(ASSUMPTIONS.alarmMetrics).toBe(count('AWS::CloudWatch::Alarm'));
    expect(ASSUMPTIONS.dashboards).toBe(count('AWS::CloudWatch::Dashboard'));
    const functions = count('AWS::Lambda::Function');
    expect(ASSUMPTIONS.metrics + ASSUMPTIONS.detailMetrics).toBe(METRIC_NAMES.length + 1 + functions);
    expect(METRIC_NAMES.filter((name) => name.includes('Details'))).toHaveLength(ASSUMPTIONS.detailMetrics);
  });

  it('has a measurement for every case', () => {
    for (const { measuredSize, hasDetails = false } of CASES) {
      expect(hasDetails ? MEASUREMENTS.detailed : MEASUREMENTS.active).toHaveProperty(String(measuredSize));
    }
  });
});

describe('a bill', () => {
  it.each([
    ['lambda', { gbSeconds: 1_000_000, invocations: 1_000_000 }, 13.3334 + 0.2],
    ['stepFunctions', { transitions: 200_000 }, 5],
    ['s3', { storedBytes: 100e9, s3Writes: 10_000, s3Reads: 100_000 }, 2.3 + 0.05 + 0.04],
    ['secrets', { secretCalls: 20_000 }, 0.1],
    ['secrets', { secrets: 3, hasFixedParts: true }, 1.2],
    ['watching', { logBytes: 4e9 }, 2],
    ['watching', { hasFixedParts: true }, METRICS * 0.3 + ALARMS * 0.1 + 3],
    [
      'watching',
      { hasFixedParts: true, hasDetails: true },
      (METRICS + DETAIL_METRICS) * 0.3 + ALARMS * 0.1 + 3,
    ],
    ['network', { sentBytes: 10e9 }, 0.9],
    ['athena', { scannedBytes: 2e12 }, 10],
  ] as const)('for %s of %o is %d dollars', (line, usage, dollars) => {
    expect(billOf({ ...NOTHING, ...usage })[line]).toBeCloseTo(dollars, 6);
  });
});

describe('a month', () => {
  const [caseA] = CASES;
  if (caseA === undefined) throw new Error('there are cases');

  const proofs = 30 * ASSUMPTIONS.requestsPerRun;

  it('of twice the receipts is twice the requests, and more invocations when the time is up', () => {
    const large = { ...caseA, companies: 1, activeCompanies: 1, measuredSize: 5_000 } as const;
    const once = monthOf({ ...large, receiptsPerUnit: 1_000_000 }, MEASUREMENTS);
    const twice = monthOf({ ...large, receiptsPerUnit: 2_000_000 }, MEASUREMENTS);
    expect(twice.requests - proofs).toBeCloseTo(2 * (once.requests - proofs), 3);
    expect(twice.invocations).toBeGreaterThan(once.invocations);
  });
});
