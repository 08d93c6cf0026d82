import { Template } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { IntegrationStack } from '../../examples/integration/integration-stack.ts';
import { handler } from '../../examples/integration/sandbox-function.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { BUNDLES, newApp, propertiesOf } from '../infra/synthesis.ts';

const template = Template.fromStack(
  new IntegrationStack(newApp(), 'Integration', { sandboxBundle: BUNDLES.publish, bundles: BUNDLES }),
);
const [company] = sandboxCompanies();
const asked = (rawPath: string, rawQueryString = '') => ({
  rawPath,
  rawQueryString,
  headers: { authorization: `Bearer ${company?.token}`, 'x-emisor': company?.rut },
});
const Answer = v.object({ statusCode: v.number(), body: v.pipe(v.string(), v.parseJson()) });

describe('the integration stack', () => {
  it('is the lake beside a sandbox, whose address its functions get', () => {
    template.resourceCountIs('AWS::S3::Bucket', 1);
    template.resourceCountIs('AWS::Lambda::Url', 1);
    const [url] = Object.keys(template.findResources('AWS::Lambda::Url'));
    const ofApi = Object.values(propertiesOf(template, 'AWS::Lambda::Function')).filter((lambda) =>
      JSON.stringify(lambda.Environment ?? {}).includes(
        `"API_ADDRESS":{"Fn::GetAtt":["${url}","FunctionUrl"]}`,
      ),
    );
    expect(ofApi).toHaveLength(2);
    expect(Object.keys(template.findOutputs('*'))).toEqual(
      expect.arrayContaining(['LakeBucket', 'StartRunFunction', 'ApiAddress']),
    );
  });

  it('leaves nothing: bucket, secret and logs go with it', () => {
    const types = ['AWS::S3::Bucket', 'AWS::SecretsManager::Secret', 'AWS::Logs::LogGroup'];
    for (const type of types)
      for (const { DeletionPolicy } of Object.values(template.findResources(type)))
        expect(DeletionPolicy ?? 'Delete').toBe('Delete');
  });
});

describe('its sandbox', () => {
  it('answers lists and details, to who has a token', async () => {
    const query = 'FechaDesde=2026-11-19&FechaHasta=2026-11-19&pageNumber=1&pageSize=10';
    const list = v.parse(Answer, await handler(asked('/v2/consulta/comprobantes/emitidos', query)));
    const { items } = v.parse(v.object({ items: v.array(v.object({ id: v.number() })) }), list.body);
    expect(items).toHaveLength(10);
    const detail = await handler(asked(`/v2/consulta/comprobantes/emitidos/${items[0]?.id}`));
    expect(v.parse(Answer, detail)).toMatchObject({ statusCode: 200, body: { id: items[0]?.id } });
  });

  it('answers old lists, and refuses what it does not know', async () => {
    expect(v.parse(Answer, await handler(asked('/consulta/comprobantes/recibidos'))).statusCode).toBe(200);
    expect(v.parse(Answer, await handler(asked('/v2/consulta/nothing'))).statusCode).toBe(404);
    const stranger = { ...asked('/v2/consulta/comprobantes/emitidos'), headers: {} };
    expect(v.parse(Answer, await handler(stranger)).statusCode).toBe(401);
  });
});
