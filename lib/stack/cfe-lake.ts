import { Annotations, CfnOutput, RemovalPolicy, Stack, Tags, Token } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { WrongInputError } from '../system/errors.ts';
import { type Bundles, builtBundles } from '../system/program.ts';
import { addCatalog, addNamedQueries, addWorkgroup } from './athena.ts';
import { addCallers, type Called, toQuery, toRun } from './callers.ts';
import { Exporter } from './exporter/exporter.ts';
import { LakeBucket } from './lake-bucket.ts';
import { alarmList } from './monitoring/alarm-list.ts';
import { addAlarms } from './monitoring/alarms.ts';
import { addDashboard } from './monitoring/dashboard.ts';
import { addSavedQuery } from './monitoring/log-queries.ts';
import { Naming } from './naming.ts';
import type { CfeLakeProps } from './props.ts';
import { readProps } from './read-settings.ts';
import { Schedules } from './schedules.ts';
import type { Settings, StackSettings } from './settings.ts';

/**
 * The lake, its tables in Athena, the exporter with its schedules, alarms and a dashboard. A person creates the
 * secret with companies and tokens, before or after: no token passes through CloudFormation.
 */
export class CfeLake extends Construct {
  /** The bucket with all tables. */
  readonly bucket: IBucket;
  /** Name of the Glue database. */
  readonly database: string;
  /** Name of the Athena workgroup. */
  readonly workgroup: string;
  /** Starts runs: on schedule, or by hand with `{"desde": "2026-01-01", "hasta": "2026-03-31"}`. */
  readonly startRun: IFunction;
  /** Each of its executions is a run. */
  readonly stateMachine: IStateMachine;
  /** The topic that urgent alarms are sent to. */
  readonly alarmTopic: ITopic;
  /** The topic of alarms that can wait until the morning; the same where one was given. */
  readonly morningTopic: ITopic;
  /** @internal */
  readonly called: Called;
  private readonly naming: Naming;
  private readonly isNightly: boolean;
  private readonly encryptionKey: IKey | undefined;

  /** Throws a SettingsError that lists every invalid prop. */
  constructor(scope: Construct, id: string, props: CfeLakeProps) {
    super(scope, id);
    const settings = props.checkout?.settings ?? settingsOf(props, this.node.path);
    const bundles = props.checkout?.bundles ?? builtBundles();
    this.naming = Naming.define(this, props.name);
    this.isNightly = settings.nightly !== undefined;
    this.encryptionKey = props.encryptionKey;

    const lake = new LakeBucket(this, 'Lake', settings, props);
    this.bucket = lake.bucket;
    this.database = this.naming.database;
    this.workgroup = this.naming.unique;
    addCatalog(this, lake.bucket, settings.firstDay);
    addNamedQueries(this, addWorkgroup(this, lake, settings.scanCutoffGiB));
    const exporter = new Exporter(this, lake, bundles, settings, props);
    const schedules = new Schedules(this, exporter, settings);
    const definitions = alarmList(exporter, schedules, settings);
    const { alarms, topics } = addAlarms(this, definitions, { ...settings, given: props.alarmTopic });
    const dashboard = addDashboard(this, exporter, alarms);
    addSavedQuery(this, exporter);
    lake.encryptTheRest(this, [exporter.startRun.role, schedules.role]);

    this.startRun = exporter.startRun.lambda;
    this.stateMachine = exporter.stateMachine;
    this.alarmTopic = topics.urgent;
    this.morningTopic = topics.soon;
    this.called = { lake, exporter, schedules, dashboard, topics };
  }

  /** Allows querying the tables, in Athena or with `cfe-lake query --lake s3://…`. Gives no access to tokens. */
  grantQuery(grantee: iam.IGrantable): iam.Grant {
    return this.granted(grantee, toQuery(this.called));
  }

  /** Allows starting runs, following them and reading their results (`cfe-lake backfill`, `runs`, `check`). */
  grantBackfill(grantee: iam.IGrantable): iam.Grant {
    return this.granted(grantee, toRun(this.called));
  }

  /**
   * Adds the stack outputs by which `cfe-lake check`, `backfill` and `runs` find it (`--stack`). Call it at most once
   * in a stack. Throws a WrongInputError if the stack has them, or a construct with the id of one.
   */
  addOutputs(): void {
    const outputs: Record<string, readonly [value: string, description: string]> = {
      LakeBucket: [this.bucket.bucketName, 'Bucket of the lake'],
      Database: [this.database, 'Glue database with the tables'],
      Workgroup: [this.workgroup, 'Athena workgroup for queries'],
      AlarmTopicArn: [this.alarmTopic.topicArn, 'Topic that urgent alarms are sent to'],
      MorningTopicArn: [this.morningTopic.topicArn, 'Topic that all other alarms are sent to'],
      StartRunFunction: [this.startRun.functionName, 'Invoke it to start a run by hand'],
      StateMachineArn: [this.stateMachine.stateMachineArn, 'Where runs can be watched'],
      ScheduleGroup: [this.naming.unique, 'Group of the schedules, whose names begin with it'],
      // Otherwise `check` could not tell it from a schedule that somebody deleted.
      ...(!this.isNightly && { NightlyRuns: ['off', 'The settings switch the nightly run off'] }),
      // So that no deployment leaves the lake without its key unnoticed.
      ...(this.encryptionKey && { EncryptionKey: [this.encryptionKey.keyArn, 'Key of the lake'] }),
    };
    const stack = Stack.of(this);
    const taken = Object.keys(outputs).find((id) => stack.node.tryFindChild(id) !== undefined);
    if (taken !== undefined)
      throw new WrongInputError(
        `The outputs of ${this.node.path} can't be added: ${stack.node.path} already has a ${taken}.`,
        {
          advice:
            'Call addOutputs once in a stack, since commands find one lake in it (--stack): put a second lake into a stack of its own, and give a construct of your own another id.',
        },
      );
    for (const [id, [value, description]] of Object.entries(outputs))
      new CfnOutput(stack, id, { value, description });
  }

  private granted(grantee: iam.IGrantable, statements: readonly iam.PolicyStatement[]): iam.Grant {
    const grants = statements.map(({ actions, resources }) =>
      iam.Grant.addToPrincipal({ grantee, actions, resourceArns: resources }),
    );
    return grants.reduce((combined, grant) => combined.combine(grant), iam.Grant.drop(grantee, ''));
  }
}

/** The checked settings of the props. An address that only the deployment knows can't be checked before. */
function settingsOf(props: CfeLakeProps, path: string): Settings {
  const { bucket, encryptionKey, accessLogsBucket, secretKey, alarmTopic, vpc, subnets, ...settingProps } =
    props;
  const { securityGroups, removalPolicy, checkout, apiAddress, ...given } = settingProps;
  const isKnown = !Token.isUnresolved(apiAddress);
  const contradictions = [
    given.useKms === true &&
      (bucket ?? encryptionKey) &&
      'useKms: give no bucket and no encryptionKey with it',
    bucket && accessLogsBucket && 'accessLogsBucket: give no bucket with it',
    vpc === undefined && (subnets ?? securityGroups) && 'vpc: belongs to subnets and securityGroups',
  ].filter((problem) => typeof problem === 'string');
  const checked = { ...given, apiAddress: isKnown ? apiAddress : 'https://known-at-deployment.invalid' };
  return { ...readProps(checked, path, contradictions), ...(!isKnown && { apiAddress }) };
}

/** This project's stack: a CfeLake named after it, and policies for the people who work with it. */
export class CfeLakeStack extends Stack {
  constructor(scope: Construct, id: string, checkout: { settings: StackSettings; bundles: Bundles }) {
    const { settings } = checkout;
    const { permissionsBoundary, encryptionKeyArn, secretKeyArn, accessLogsBucket, tags = {} } = settings;
    super(scope, id, {
      stackName: settings.stackName,
      description: 'Fiscal receipts, from the query API to Athena',
      // CloudFormation hands them on also to what CDK makes for itself.
      tags,
    });
    // CDK leaves this id out of logical ids: stacks that were deployed before the construct existed keep theirs.
    const lake = new CfeLake(this, 'Default', {
      name: settings.stackName,
      apiAddress: settings.apiAddress,
      removalPolicy: settings.removalPolicy === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
      ...(encryptionKeyArn && {
        encryptionKey: Key.fromKeyArn(this, 'EncryptionKeyByArn', encryptionKeyArn),
      }),
      ...(secretKeyArn && { secretKey: Key.fromKeyArn(this, 'SecretKeyByArn', secretKeyArn) }),
      ...(accessLogsBucket && {
        accessLogsBucket: Bucket.fromBucketName(this, 'AccessLogsByName', accessLogsBucket),
      }),
      ...this.existingBucket(settings),
      ...this.network(settings),
      checkout,
    });
    addCallers(this, lake.called);
    lake.addOutputs();
    // Also of the roles that CDK makes for itself.
    if (permissionsBoundary !== undefined)
      iam.PermissionsBoundary.of(this).apply(managedPolicy(this, permissionsBoundary));
    for (const [key, value] of Object.entries(tags)) Tags.of(this).add(key, value);
  }

  private existingBucket({ bucketName, bucketKeyArn }: StackSettings): Pick<CfeLakeProps, 'bucket'> {
    if (bucketName === undefined) return {};
    const encryptionKey = bucketKeyArn && Key.fromKeyArn(this, 'BucketKeyByArn', bucketKeyArn);
    return {
      bucket: Bucket.fromBucketAttributes(this, 'BucketByName', {
        bucketName,
        ...(encryptionKey && { encryptionKey }),
      }),
    };
  }

  /** The user's VPC. Synthesis looks nothing up. */
  private network({
    vpcId,
    subnetIds,
    securityGroupIds,
  }: StackSettings): Pick<CfeLakeProps, 'vpc' | 'securityGroups'> {
    if (vpcId === undefined) return {};
    // Nothing here asks for a route table.
    Annotations.of(this).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId');
    return {
      // CDK wants a zone, and a function's configuration names none.
      vpc: ec2.Vpc.fromVpcAttributes(this, 'Vpc', {
        vpcId,
        privateSubnetIds: subnetIds,
        availabilityZones: ['any'],
      }),
      securityGroups: securityGroupIds?.map((id) =>
        ec2.SecurityGroup.fromSecurityGroupId(this, id, id, { mutable: false }),
      ),
    };
  }
}

function managedPolicy(scope: Construct, nameOrArn: string): iam.IManagedPolicy {
  const { fromManagedPolicyArn, fromManagedPolicyName } = iam.ManagedPolicy;
  return (nameOrArn.startsWith('arn:') ? fromManagedPolicyArn : fromManagedPolicyName)(
    scope,
    'Boundary',
    nameOrArn,
  );
}
