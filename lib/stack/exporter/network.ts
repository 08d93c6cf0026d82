import { Annotations, Stack } from 'aws-cdk-lib';
import { type ISecurityGroup, type IVpc, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { permit } from '../explain.ts';
import type { Settings } from '../settings.ts';

/** Where functions reach the API from, in the form of a Lambda's props. Synthesis looks nothing up. */
export interface Network {
  vpc: IVpc;
  securityGroups: ISecurityGroup[];
}

/** The user's VPC; undefined without one. */
export function networkOf(
  scope: Construct,
  { vpcId, subnetIds = [], securityGroupIds = [] }: Settings,
): Network | undefined {
  if (vpcId === undefined) return undefined;
  const network = new Construct(scope, 'Network');
  // Nothing here asks for a route table.
  Annotations.of(network).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId');
  return {
    vpc: Vpc.fromVpcAttributes(network, 'Vpc', {
      vpcId,
      privateSubnetIds: [...subnetIds],
      // CDK wants one, and a function's configuration names none.
      availabilityZones: ['any'],
    }),
    securityGroups: securityGroupIds.map((id) =>
      SecurityGroup.fromSecurityGroupId(network, id, id, { mutable: false }),
    ),
  };
}

/** What Lambda needs of a function's role to connect the function to these subnets. */
export function allowConnecting(role: Role, { subnetIds = [], securityGroupIds = [] }: Settings): void {
  const ec2 = (resource: string, resourceName: string) =>
    Stack.of(role).formatArn({ service: 'ec2', resource, resourceName });
  permit(role, {
    actions: ['ec2:CreateNetworkInterface'],
    resources: [
      ec2('network-interface', '*'),
      ...subnetIds.map((id) => ec2('subnet', id)),
      ...securityGroupIds.map((id) => ec2('security-group', id)),
    ],
    because: 'In these subnets and security groups alone; a new interface has no id yet.',
  });
  permit(role, {
    actions: ['ec2:DeleteNetworkInterface', 'ec2:AssignPrivateIpAddresses', 'ec2:UnassignPrivateIpAddresses'],
    resources: [ec2('*', '*')],
    because:
      'Lambda makes the interfaces and refuses a role that may not delete any: AWS names this resource.',
  });
  permit(role, {
    actions: ['ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets'],
    resources: ['*'],
    because: 'These actions take no resources.',
  });
}
