import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { propertiesOf, STACKS, synthesise } from './synthesis.ts';

const page = readFileSync('docs/first-deployment.md', 'utf8');

it('docs/first-deployment.md counts the resources and names the outputs of the stack that it deploys', () => {
  // It has the stack's own key besides.
  const template = synthesise(STACKS.own);
  const { Resources: resources, Outputs: outputs } = template.toJSON();
  const keys = Object.keys(propertiesOf(template, 'AWS::KMS::Key'));
  expect(page).toContain(`creates ${Object.keys(resources).length - keys.length} resources`);
  const [, named = ''] = /with nine outputs: ([^.]+)\./.exec(page) ?? [];
  expect([...named.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(Object.keys(outputs).sort());
});

it('docs/first-deployment.md names the cost of a mid-size company that docs/cost.md calculates', () => {
  const [, sum = 'none'] = /^\| B: .*\*\*([\d.]+)\*\* \|$/m.exec(readFileSync('docs/cost.md', 'utf8')) ?? [];
  expect(page).toContain(`calculated at ${sum} USD`);
});
