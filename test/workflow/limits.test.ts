import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { factsMessage, noFacts } from '../../lib/export/reading/service-facts.ts';
import { type CompanyAnswer, inSpanish, type RunInput } from '../../lib/run/messages.ts';
import { MAX_STATE_BYTES } from '../../lib/run/start-run.ts';
import { addDays, daysBetween } from '../../lib/time/days.ts';
import { DIRECTIONS, listUnits, planUnits, type Unit } from '../../lib/units/unit.ts';
import { rutsOf } from '../support/ruts.ts';
import { synthesisedDefinition } from './local-workflow.ts';

/** The limit of one execution of Step Functions. The arithmetic is in docs/decisions/0006. */
const MAX_HISTORY_EVENTS = 25_000;
/** Events of one task that succeeds: entered, scheduled, started, succeeded, exited. */
const TASK_EVENTS = 5;
/** Of any other state: entered, exited. */
const STATE_EVENTS = 2;

/** Scheduled, started, failed: what a task that is retried adds. */
const RETRY_EVENTS = 3;

const LONGEST_RUN_ID = 'x'.repeat(80);
const LARGEST = 1_000_000;
const LARGEST_FACTS = {
  ...noFacts(),
  provedWidthDays: LARGEST,
  widestDays: LARGEST,
  answeredWidthDays: LARGEST,
  deepestRow: LARGEST,
  longestPage: LARGEST,
};

function runInput(companyCount: number, dayCount: number): RunInput {
  const from = '2026-01-01';
  return {
    runId: LONGEST_RUN_ID,
    runDay: '2027-01-02',
    from,
    to: addDays(from, dayCount - 1),
    older: { from: '2025-01-01', to: '2025-12-31' },
    directions: [...DIRECTIONS],
    details: [...DIRECTIONS],
    service: factsMessage({ recibidos: LARGEST_FACTS, emitidos: LARGEST_FACTS }, Date.UTC(2027, 0, 2)),
    companiesAtOnce: 1_000,
    ruts: rutsOf(companyCount),
  };
}

/** The worker's longest answer: every second day failed, and there was no time for the others. */
function longestAnswer(input: RunInput): CompanyAnswer {
  const { runId, runDay, from, to, older, directions, details, service, companiesAtOnce } = input;
  const units = planUnits(input.ruts[0] ?? '0', directions, daysBetween(from, to));
  const everySecondDay = (remainder: number) => (unit: Unit) =>
    (Date.parse(unit.day) / 86_400_000) % 2 === remainder;
  return {
    runId,
    runDay,
    from,
    to,
    older,
    directions,
    details,
    service,
    companiesAtOnce,
    rut: input.ruts[0] ?? '0',
    part: 1_499,
    pending: listUnits(units.filter(everySecondDay(0))),
    failed: listUnits(units.filter(everySecondDay(1))),
    states: { exportado: 99_999, sin_cambios: 99_999, vacio: 99_999, fallido: 99_999 },
  };
}

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
/** The size of a company's state: the answer and what the workflow counts. */
const stateBytes = (input: RunInput) =>
  bytes({ ronda: 9, pausa_s: 99_999, evento: inSpanish(longestAnswer(input)) });

const CompanyStates = v.object({
  States: v.looseObject({
    ExportCompanies: v.looseObject({
      ResultPath: v.null(),
      ResultWriter: v.unknown(),
      ItemProcessor: v.looseObject({ States: v.record(v.string(), v.looseObject({ Type: v.string() })) }),
    }),
  }),
});

describe.each([
  ['5,000 companies × 1 day', 5_000, 1],
  // Five times as many companies as a run of a year is planned for.
  ['1,000 companies × 366 days, both directions', 1_000, 366],
])('a run of %s', (_, companyCount, dayCount) => {
  const input = runInput(companyCount, dayCount);

  it('fits into the input of an execution, with room for what went wrong', () => {
    expect(
      bytes({ ...inSpanish(input), mapa: { Error: 'x'.repeat(256), Cause: 'x'.repeat(32_768) } }),
    ).toBeLessThan(MAX_STATE_BYTES);
  });

  it('has states of a company that fit, when every second day failed and none of the others was begun', () => {
    expect(stateBytes(input)).toBeLessThan(MAX_STATE_BYTES / 4);
  });
});

it('the longest run that start-run takes has states of a company that fit: ten years, every second day failed', () => {
  expect(stateBytes(runInput(1, 3_660))).toBeLessThan(MAX_STATE_BYTES);
});

describe('the history', () => {
  const definition = v.parse(CompanyStates, synthesisedDefinition());
  const map = definition.States.ExportCompanies;
  const states = map.ItemProcessor.States;

  it('of a company stays within the limit at the most invocations that its workflow makes', () => {
    const choices = JSON.stringify(states.AnythingLeft);
    const maxInvocations = Number(/"NumericGreaterThanEquals":(\d+)/.exec(choices)?.[1]);
    const rounds = Number(/"NumericLessThan":(\d+)/.exec(choices)?.[1]);
    expect({ maxInvocations, rounds }).toEqual({ maxInvocations: 1_500, rounds: 2 });
    // After every invocation there is a choice, and each died twice or the service failed.
    const invocation = TASK_EVENTS + 2 * RETRY_EVENTS + STATE_EVENTS;
    const round = 2 * STATE_EVENTS;
    const ends = 2 + STATE_EVENTS;
    expect(maxInvocations * invocation + rounds * round + ends).toBeLessThan(MAX_HISTORY_EVENTS);
  });

  it('of a run does not grow with its companies: each has an execution of its own, and its answer is written elsewhere', () => {
    expect(map.ItemProcessor).toMatchObject({
      ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
    });
    expect(map.ResultWriter).toBeDefined();
    expect(map.ResultPath).toBeNull();
  });
});
