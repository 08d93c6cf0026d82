import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { namedQueries } from '../../lib/query/named-queries.ts';
import { asText, propertiesOf, STACKS, synthesise } from './synthesis.ts';

const template = synthesise(STACKS.other);
const NamedQuery = v.strictObject({
  Name: v.string(),
  Description: v.string(),
  Database: v.string(),
  QueryString: v.string(),
  WorkGroup: v.unknown(),
});
const inTemplate = Object.values(propertiesOf(template, 'AWS::Athena::NamedQuery')).map((properties) =>
  v.parse(NamedQuery, properties),
);

describe('the named queries in Athena', () => {
  it('are those of the command line, letter for letter', () => {
    const expected = namedQueries().map(({ name, summary, sql }) => [name, summary, sql]);
    const found = inTemplate.map((query) => [query.Name, query.Description, query.QueryString]);
    expect(found.sort()).toEqual(expected.sort());
  });

  it("are asked of the stack's database, in its workgroup, which is made first", () => {
    const [workgroupId] = Object.keys(propertiesOf(template, 'AWS::Athena::WorkGroup'));
    template.hasResourceProperties('AWS::Glue::Database', { DatabaseInput: { Name: 'otro_lago' } });
    for (const { Database: database, WorkGroup: workgroup } of inTemplate) {
      expect(database).toBe('otro_lago');
      expect(asText(workgroup)).toBe(`<${workgroupId}>`);
    }
  });

  it('stay within what Athena accepts', () => {
    for (const { Name: name, Description: description, QueryString: sql } of inTemplate) {
      expect(name).toMatch(/^[\x20-\x7e]{1,128}$/);
      expect(description).toMatch(/^[\x20-\x7e]{1,1024}$/);
      expect(Buffer.byteLength(sql)).toBeLessThanOrEqual(262_144);
    }
  });

  it('leave the template room to grow', () => {
    // CloudFormation's limit is 1 MB.
    expect(Buffer.byteLength(JSON.stringify(template.toJSON()))).toBeLessThan(500_000);
  });
});
