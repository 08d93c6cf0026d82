import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { synthesise } from './synthesis.ts';

it('docs/first-deployment.md counts the resources and names the outputs of the stack that it deploys', () => {
  const page = readFileSync(new URL('../../docs/first-deployment.md', import.meta.url), 'utf8');
  const { Resources: resources, Outputs: outputs } = synthesise({
    alarmEmail: 'you@example.com',
    removalPolicy: 'destroy',
  }).toJSON();
  expect(page).toContain(`creates ${Object.keys(resources).length} resources`);
  const [, named = ''] = /with nine outputs: ([^.]+)\./.exec(page) ?? [];
  expect([...named.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(Object.keys(outputs).sort());
});
