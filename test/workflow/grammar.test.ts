import { StateMachine } from 'aws-local-stepfunctions';
import { expect, it } from 'vitest';
import { synthesisedDefinition } from './local-workflow.ts';

it('the state machine is one that Step Functions accepts', () => {
  const definition = synthesisedDefinition();
  // The template has references where AWS has ARNs.
  const options = { validationOptions: { checkArn: false } };
  expect(() => new StateMachine(definition, options)).not.toThrow();
  expect(() => new StateMachine({ ...definition, StartAt: 'Nowhere' }, options)).toThrow(/Nowhere|StartAt/);
});
