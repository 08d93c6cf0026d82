import { describe, expect, it } from 'vitest';
import { propertiesOf, synthesise } from './synthesis.ts';

const NETWORK = {
  vpcId: 'vpc-0123456789abcdef0',
  subnetIds: 'subnet-0123456789abcdef0,subnet-0123456789abcdef1',
  securityGroupIds: ['sg-0123456789abcdef0'],
};
const template = synthesise(NETWORK);
const plain = synthesise();

describe('vpcId, subnetIds and securityGroupIds', () => {
  it('connect the functions that call the API, and no others', () => {
    const connected = Object.values(propertiesOf(template, 'AWS::Lambda::Function')).filter(
      ({ VpcConfig }) => VpcConfig !== undefined,
    );
    expect(connected.map(({ FunctionName }) => FunctionName).sort()).toEqual([
      'cfe-lake-export-company',
      'cfe-lake-start-run',
    ]);
    for (const { VpcConfig } of connected) {
      expect(VpcConfig).toEqual({
        SubnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
        SecurityGroupIds: ['sg-0123456789abcdef0'],
      });
    }
  });

  it('make no resource, and look nothing up', () => {
    const idsOf = (of: typeof template) => Object.keys(of.toJSON().Resources).sort();
    expect(idsOf(template)).toEqual(idsOf(plain));
  });

  it('leave the functions in AWS’s own network when absent', () => {
    for (const properties of Object.values(propertiesOf(plain, 'AWS::Lambda::Function')))
      expect(properties).not.toHaveProperty('VpcConfig');
  });
});
