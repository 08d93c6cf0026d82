import { expect, it } from 'vitest';
import { STACKS, synthesise } from './synthesis.ts';

/** Where a template holds a character that CloudFormation gives back as `?`. */
function placesBeyondAscii(value: unknown, place: string): string[] {
  if (typeof value === 'string') return /[^\x20-\x7e\n]/.test(value) ? [`${place}: ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...placesBeyondAscii(name, place),
    ...placesBeyondAscii(inner, `${place}/${name}`),
  ]);
}

it.each(Object.entries(STACKS))(
  'the template is ASCII, names and comments too, as the stack %s',
  (_, settings) => {
    expect(placesBeyondAscii(synthesise(settings).toJSON(), '')).toEqual([]);
  },
);
