import { Names, Stack } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';

const CONTEXT = 'cfe-lake:naming';
/** The longest that fits before what is added to it: a schedule's name has 64 letters at most. */
const MAX_LENGTH = 40;

/**
 * How the resources of one CfeLake are called. Unless a name was asked for, CloudFormation makes up all that it can,
 * so that several can stand beside each other; what needs a name at synthesis gets one from its place in the app.
 */
export class Naming {
  /** What was asked for. */
  readonly given: string | undefined;
  /** That, or a name which nothing else has. */
  readonly unique: string;

  private constructor(scope: Construct, given: string | undefined) {
    this.given = given;
    this.unique = given ?? Names.uniqueResourceName(scope, { maxLength: MAX_LENGTH, separator: '-' });
  }

  /** Names what will be below the construct; to be called before anything is. */
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

  /** The name asked for with something added, or undefined: CloudFormation makes one up. */
  withSuffix(suffix: string): string | undefined {
    return this.given === undefined ? undefined : `${this.given}${suffix}`;
  }

  /** What CloudFormation's own names of log groups begin with, or those that were asked for. */
  functionLogsPattern(scope: IConstruct): string {
    return this.given === undefined ? `${Stack.of(scope).stackName}-*` : `/aws/lambda/${this.given}-*`;
  }
}

/** The group of the state machine's logs. Under this prefix, log groups don't fill up the account's policy for log delivery. */
export function runLogsName({ unique }: Naming): string {
  return `/aws/vendedlogs/states/${unique}`;
}
