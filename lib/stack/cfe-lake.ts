import { CfnOutput, RemovalPolicy, Stack, Tags, Token } from 'aws-cdk-lib';
import {
  Grant,
  type IGrantable,
  type IManagedPolicy,
  ManagedPolicy,
  PermissionsBoundary,
  type PolicyStatement,
} from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
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
import { addSavedQueries } from './monitoring/saved-queries.ts';
import { Naming } from './naming.ts';
import { readProps } from './read-settings.ts';
import { Schedules } from './schedules.ts';
import type { CfeLakeSettings, Settings } from './settings.ts';

/** The settings of a lake, and what has a type of CDK's own. */
export interface CfeLakeProps extends CfeLakeSettings {
  /**
   * Name, or prefix of the names, of the resources: at most 32 letters, digits and dashes, beginning with a letter. One
   * account and region can't hold two lakes with the same name.
   * @default - CloudFormation generates names; what needs one at synthesis gets it from the construct's path
   */
  readonly name?: string;
  /**
   * A bucket for the lake, empty or a lake already, in the same account and region. Its encryption, versioning, lifecycle
   * and policy are left as they are; its `encryptionKey` is used if it has one. It should refuse requests without TLS
   * (`enforceSSL`).
   * @default - a new bucket: encrypted, versioned, TLS only, closed to the public
   */
  readonly bucket?: IBucket;
  /**
   * What happens to the new bucket and its key when they are removed from the stack. `DESTROY` deletes all receipts.
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * For a checkout, which bundles the functions itself and may have read its settings already.
   * @internal
   */
  readonly checkout?: { readonly settings?: Settings; readonly bundles: Bundles };
}

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
  /** The topic that alarms are sent to. */
  readonly alarmTopic: ITopic;
  /** @internal */
  readonly called: Called;
  private readonly naming: Naming;
  private readonly settings: Settings;

  /** Throws a SettingsError that lists every invalid prop. */
  constructor(scope: Construct, id: string, props: CfeLakeProps) {
    super(scope, id);
    const { name, bucket, checkout } = props;
    const settings = checkout?.settings ?? settingsOf(props, this.node.path);
    this.settings = settings;
    const bundles = checkout?.bundles ?? builtBundles();
    this.naming = Naming.define(this, name);

    const lake = new LakeBucket(this, 'Lake', settings, bucket);
    this.bucket = lake.bucket;
    this.database = this.naming.database;
    this.workgroup = this.naming.unique;
    addCatalog(this, lake.bucket, settings.firstDay);
    addNamedQueries(this, addWorkgroup(this, lake, settings.scanCutoffGiB));
    const exporter = new Exporter(this, lake, bundles, settings);
    const schedules = new Schedules(this, exporter, settings);
    const definitions = alarmList(exporter, schedules, settings);
    const { alarms, topic } = addAlarms(this, definitions, settings.alarmEmail);
    addDashboard(this, exporter, alarms);
    addSavedQueries(this, exporter);
    lake.encryptTheRest(this, [exporter.startRun.role, schedules.role]);

    this.startRun = exporter.startRun.lambda;
    this.stateMachine = exporter.stateMachine;
    this.alarmTopic = topic;
    this.called = { lake, exporter, alarmTopic: topic };
  }

  /** Allows querying the tables, in Athena or with `cfe-lake query --lake s3://…`. Gives no access to tokens. */
  grantQuery(grantee: IGrantable): Grant {
    return this.granted(grantee, toQuery(this.called));
  }

  /** Allows starting runs, following them and reading their results (`cfe-lake backfill`, `runs`, `check`). */
  grantBackfill(grantee: IGrantable): Grant {
    return this.granted(grantee, toRun(this.called));
  }

  /**
   * Adds the stack outputs by which `cfe-lake check`, `backfill` and `runs` find it (`--stack`). Call it at most once
   * in a stack. Throws a WrongInputError if the stack has them, or a construct with the id of one.
   */
  addOutputs(): void {
    const { nightly, encryptionKeyArn } = this.settings;
    const outputs: Record<string, readonly [value: string, description: string]> = {
      LakeBucket: [this.bucket.bucketName, 'Bucket of the lake'],
      Database: [this.database, 'Glue database with the tables'],
      Workgroup: [this.workgroup, 'Athena workgroup for queries'],
      AlarmTopicArn: [this.alarmTopic.topicArn, 'Topic that alarms are sent to'],
      StartRunFunction: [this.startRun.functionName, 'Invoke it to start a run by hand'],
      StateMachineArn: [this.stateMachine.stateMachineArn, 'Where runs can be watched'],
      ScheduleGroup: [this.naming.unique, 'Group of the schedules, whose names begin with it'],
      // Otherwise `check` could not tell it from a schedule that somebody deleted.
      ...(nightly === undefined && { NightlyRuns: ['off', 'The settings switch the nightly run off'] }),
      // So that no deployment leaves the lake without its key unnoticed.
      ...(encryptionKeyArn !== undefined && { EncryptionKey: [encryptionKeyArn, 'Key of the lake'] }),
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

  private granted(grantee: IGrantable, statements: readonly PolicyStatement[]): Grant {
    const grants = statements.map(({ actions, resources }) =>
      Grant.addToPrincipal({ grantee, actions, resourceArns: resources }),
    );
    return grants.reduce((all, one) => all.combine(one), Grant.drop(grantee, ''));
  }
}

/** The checked settings of the props. An address that only the deployment knows can't be checked before. */
function settingsOf(
  { name, bucket, removalPolicy, checkout, ...given }: CfeLakeProps,
  path: string,
): Settings {
  const isKnown = !Token.isUnresolved(given.apiAddress);
  const settings = readProps(
    {
      ...given,
      apiAddress: isKnown ? given.apiAddress : 'https://known-at-deployment.invalid',
      stackName: name,
      removalPolicy: removalPolicy === RemovalPolicy.DESTROY ? 'destroy' : 'retain',
    },
    path,
  );
  return { ...settings, apiAddress: isKnown ? settings.apiAddress : given.apiAddress };
}

/** This project's stack: a CfeLake named after it, and policies for the people who work with it. */
export class CfeLakeStack extends Stack {
  constructor(scope: Construct, id: string, checkout: { settings: Settings; bundles: Bundles }) {
    const { settings } = checkout;
    const { permissionsBoundary: boundary, tags = {} } = settings;
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
      bucket: this.existingBucket(settings),
      checkout,
    });
    addCallers(this, lake.called);
    lake.addOutputs();
    // Also of the roles that CDK makes for itself.
    if (boundary !== undefined) PermissionsBoundary.of(this).apply(managedPolicy(this, boundary));
    for (const [key, value] of Object.entries(tags)) Tags.of(this).add(key, value);
  }

  private existingBucket({ bucketName, bucketKeyArn }: Settings): IBucket | undefined {
    if (bucketName === undefined) return undefined;
    const encryptionKey =
      bucketKeyArn === undefined ? undefined : Key.fromKeyArn(this, 'ExistingKey', bucketKeyArn);
    return Bucket.fromBucketAttributes(this, 'ExistingBucket', { bucketName, encryptionKey });
  }
}

function managedPolicy(scope: Construct, nameOrArn: string): IManagedPolicy {
  return nameOrArn.startsWith('arn:')
    ? ManagedPolicy.fromManagedPolicyArn(scope, 'Boundary', nameOrArn)
    : ManagedPolicy.fromManagedPolicyName(scope, 'Boundary', nameOrArn);
}
