import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { policiesIn } from './policies.ts';
import { asText, propertiesOf, synthesise } from './synthesis.ts';

const plain = synthesise();
const capped = synthesise({ apiRequestsPerSecond: 20 });

type Template = typeof plain;
const Environment = v.object({ Variables: v.record(v.string(), v.unknown()) });

/** The variables of a function that say how fast the API may be asked. */
function paceOf(template: Template, name: string): unknown[] {
  const functions = Object.values(propertiesOf(template, 'AWS::Lambda::Function'));
  const found = functions.find(({ FunctionName }) => FunctionName === `cfe-lake-${name}`);
  const { Variables } = v.parse(Environment, found?.Environment);
  return [Variables.COMPANIES_AT_ONCE, Variables.API_REQUESTS_PER_SECOND];
}

function mostAtOnce(template: Template): unknown {
  const [machine] = Object.values(propertiesOf(template, 'AWS::StepFunctions::StateMachine'));
  return JSON.parse(asText(machine?.DefinitionString)).States.ExportCompanies.MaxConcurrency;
}

/** Whether start-run may take leases. */
function mayStartRunTakeLeases(template: Template): boolean {
  const ofStartRun = policiesIn(template).filter(({ roles }) =>
    roles.some((role) => role.startsWith('ExporterStartRunRole')),
  );
  return JSON.stringify(ofStartRun).includes('/.leases/*');
}

describe('apiRequestsPerSecond', () => {
  it('tells both functions that call the API the cap and the places that share it', () => {
    for (const name of ['start-run', 'export-company']) expect(paceOf(capped, name)).toEqual(['8', '20']);
    expect(mostAtOnce(capped)).toBe(8);
    expect(mayStartRunTakeLeases(capped)).toBe(true);
  });

  it('lowers the places to it, so that none sends less than one request a second', () => {
    const low = synthesise({ apiRequestsPerSecond: 3 });
    for (const name of ['start-run', 'export-company']) expect(paceOf(low, name)).toEqual(['3', '3']);
    expect(mostAtOnce(low)).toBe(3);
  });

  it('changes nothing when absent: no variable, no permission, no fewer places', () => {
    expect(paceOf(plain, 'start-run')).toEqual([undefined, undefined]);
    expect(paceOf(plain, 'export-company')).toEqual(['8', undefined]);
    expect([mostAtOnce(plain), mayStartRunTakeLeases(plain)]).toEqual([8, false]);
  });

  it('makes no resource', () => {
    const idsOf = (of: Template) => Object.keys(of.toJSON().Resources).sort();
    expect(idsOf(capped)).toEqual(idsOf(plain));
  });
});
