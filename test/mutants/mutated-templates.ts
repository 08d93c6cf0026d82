import { hash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { vi } from 'vitest';
import { mutantsIn } from './stack-mutants.ts';

// The file of each mutant loads the tests anew. Packages stay loaded.
vi.resetModules();

// Templates are made once for all mutants.
vi.mock('../infra/synthesis.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../infra/synthesis.ts')>();
  const templates = new Map<string, Template>();
  const synthesise: typeof original.synthesise = (settings) => {
    const file = `${process.env.FOLDER}/${hash('sha1', JSON.stringify(settings ?? {}))}.json`;
    if (!existsSync(file)) writeFileSync(file, JSON.stringify(original.synthesise(settings).toJSON()));
    const template = JSON.parse(readFileSync(file, 'utf8'));
    const mutants = [...mutantsIn(template, 'alarms'), ...mutantsIn(template, 'policies')];
    mutants.find(([title]) => title === process.env.MUTANT)?.[1]();
    const made = templates.get(file) ?? Template.fromJSON(template);
    templates.set(file, made);
    return made;
  };
  return { ...original, synthesise };
});
