import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DIRECTIONS } from '../../lib/units/unit.ts';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour.ts';
import { type EndpointKind, PARAMETERS } from '../../sandbox/lists/query.ts';
import { always, status429 } from '../support/api/faults.ts';
import { campaign } from '../support/campaign.ts';
import { sharedSandbox } from '../support/sandbox.ts';
import { allRows, ask, DAY, LEGACY, LIST, NOW, pageOf, truthOf } from './support.ts';

/** The parts of openapi.yaml that are read here. */
interface Contract {
  paths: Record<string, { get: { parameters?: { $ref: string }[]; responses: Record<string, Answer> } }>;
  components: {
    parameters: Record<string, { in: string; name: string; schema: { type: string } }>;
    responses: Record<string, Answer>;
    schemas: Record<string, { properties: Record<string, unknown> }>;
  };
}

interface Answer {
  $ref?: string;
  content?: unknown;
}

const contract: Contract = parse(readFileSync(new URL('../api/openapi.yaml', import.meta.url), 'utf8'));

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'contract', ...contract });

/** Checks a body against the contract's schema for a path and status. */
function expectConforming(path: string, status: number, text: string): void {
  const answers = contract.paths[path]?.get.responses ?? {};
  expect(answers).toHaveProperty(String(status));
  const named = answers[status]?.$ref?.split('/').at(-1);
  const content = (named === undefined ? answers[status] : contract.components.responses[named])?.content;
  if (content === undefined) return;
  const pointer =
    named === undefined
      ? `contract#/paths/${path.replaceAll('/', '~1')}/get/responses/${status}/content/application~1json/schema`
      : `contract#/components/responses/${named}/content/application~1json/schema`;
  const validate = ajv.getSchema(encodeURI(pointer)) ?? ajv.compile({ $ref: encodeURI(pointer) });
  expect(validate(JSON.parse(text)), `${path}: ${ajv.errorsText(validate.errors?.slice(0, 3))}`).toBe(true);
}

const REFUSED_HEADERS: Record<string, string>[] = [
  {},
  { authorization: '' },
  { authorization: 'Bearer x' },
  { 'x-emisor': 'x' },
];

const sandbox = await sharedSandbox({
  now: NOW,
  receiptsPerDay: campaign({ quick: 600, long: 3000 }),
  longAmounts: true,
});
afterEach(() => sandbox.behave(DEFAULT_BEHAVIOUR));

describe.each(DIRECTIONS)('%s', (direction) => {
  const detailPath = `${LIST[direction]}/{id}`;

  it('pages conform, full, last and empty', async () => {
    for (const company of [0, 1])
      for (let page = 1; page <= 31; page++) {
        const { status, text } = await ask(sandbox, pageOf(direction, page, 100), { company });
        expectConforming(LIST[direction], status, text);
      }
  });

  it('details conform', async () => {
    for (const company of campaign({ quick: [0], long: [0, 1] }))
      for (const receipt of truthOf(sandbox, direction, company))
        expectConforming(detailPath, 200, sandbox.detail(receipt));
    const { status, text } = await ask(sandbox, `${LIST[direction]}/${truthOf(sandbox, direction)[0]?.id}`);
    expectConforming(detailPath, status, text);
  });

  it('legacy lists conform', async () => {
    const { status, text } = await ask(sandbox, `${LEGACY[direction]}?FechaDesde=${DAY}&FechaHasta=${DAY}`);
    expectConforming(LEGACY[direction], status, text);
  });

  it('refusals conform', async () => {
    const bad = [
      [LIST[direction], `${LIST[direction]}?FechaDesde=x`],
      [LEGACY[direction], `${LEGACY[direction]}?FechaDesde=x`],
      [detailPath, `${LIST[direction]}/x`],
    ] as const;
    for (const [path, address] of bad) {
      for (const headers of REFUSED_HEADERS) {
        const { status, text } = await ask(sandbox, address, { headers });
        expect([400, 401]).toContain(status);
        expectConforming(path, status, text);
      }
      sandbox.behave({ intercept: always(status429('1')) });
      const refused = await ask(sandbox, address);
      expect(refused.status).toBe(429);
      expectConforming(path, refused.status, refused.text);
      sandbox.behave(DEFAULT_BEHAVIOUR);
    }
    const unknown = await ask(sandbox, `${LIST[direction]}/1`);
    expect(unknown.status).toBe(404);
    expectConforming(detailPath, unknown.status, unknown.text);
  });

  it('rows have every field that the contract names, and no other', async () => {
    const named =
      contract.components.schemas[direction === 'recibidos' ? 'ReceivedSummary' : 'IssuedSummary'];
    const sent = new Set((await allRows(sandbox, direction)).flatMap((row) => Object.keys(row)));
    expect([...sent].toSorted()).toEqual(Object.keys(named?.properties ?? {}).toSorted());
  });

  it('details have every field that the contract names, and no other', () => {
    const named = contract.components.schemas[direction === 'recibidos' ? 'ReceivedDetail' : 'IssuedDetail'];
    const details = truthOf(sandbox, direction).map((receipt) => JSON.parse(sandbox.detail(receipt)));
    const sent = new Set(details.flatMap((detail) => Object.keys(detail)));
    const unsent = direction === 'recibidos' ? ['estado_receptor'] : [];
    expect([...sent, ...unsent].toSorted()).toEqual(Object.keys(named?.properties ?? {}).toSorted());
  });

  it.each([
    ['list', LIST[direction]],
    ['legacy', LEGACY[direction]],
    ['detail', detailPath],
  ] satisfies [EndpointKind, string][])(
    'the %s knows the query parameters of the contract',
    (endpoint, path) => {
      const references = contract.paths[path]?.get.parameters ?? [];
      const resolved = references.flatMap(
        ({ $ref }) => contract.components.parameters[$ref.split('/').at(-1) ?? ''] ?? [],
      );
      const inQuery = resolved.filter((parameter) => parameter.in === 'query');
      expect(resolved).toHaveLength(references.length);
      const known = PARAMETERS[direction][endpoint];
      expect([...known.keys()].toSorted()).toEqual(inQuery.map(({ name }) => name).toSorted());
      for (const { name, schema } of inQuery)
        expect(known.get(name)?.isRepeatable, name).toBe(schema.type === 'array');
    },
  );
});
