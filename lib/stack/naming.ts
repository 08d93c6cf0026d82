import { Names, Stack } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';

const CONTEXT = 'cfe-lake:naming';
/** Leaves room for a suffix: a schedule's name has at most 64 characters. */
const MAX_LENGTH = 40;

/**
 * Names of the resources of one CfeLake. Without a given name, CloudFormation generates names where it can, so that
 * several lakes fit into an account; what needs a name at synthesis gets one from its path in the app.
 */
export class Naming {
  readonly given: string | undefined;
  /** The given name, or one that is unique in the app. */
  readonly unique: string;

  private constructor(scope: Construct, given: string | undefined) {
    this.given = given;
    this.unique = given ?? Names.uniqueResourceName(scope, { maxLength: MAX_LENGTH, separator: '-' });
  }

  /** Sets the naming for everything below the construct. Must be called before anything is added there. */
  static define(scope: Construct, given: string | undefined): Naming {
    const naming = new Naming(scope, given);
    scope.node.setContext(CONTEXT, naming);
    return naming;
  }

  static of(scope: IConstruct): Naming {
    const found: unknown = scope.node.getContext(CONTEXT);
    if (!(found instanceof Naming)) throw new TypeError(`${scope.node.path} is in no CfeLake`);
    return found;
  }

  /** The Glue database: only small letters, digits and underscores are allowed. */
  get database(): string {
    return this.unique.toLowerCase().replaceAll('-', '_');
  }

  /** The given name with a suffix; undefined without a given name, so that CloudFormation generates one. */
  withSuffix(suffix: string): string | undefined {
    return this.given === undefined ? undefined : `${this.given}${suffix}`;
  }

  /** A pattern for the functions' log groups, whether named by CloudFormation or by us. */
  functionLogsPattern(scope: IConstruct): string {
    return this.given === undefined ? `${Stack.of(scope).stackName}-*` : `/aws/lambda/${this.given}-*`;
  }
}

/** The log group of the state machine. Groups with this prefix don't use up the account's policy for log delivery. */
export function runLogsName({ unique }: Naming): string {
  return `/aws/vendedlogs/states/${unique}`;
}
