import {
  CloudWatchLogsClient,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { PlayFailedError } from './process.ts';
import { clientFor, type Person } from './stack.ts';

/** What the functions write into their logs. */
export class Logs {
  private readonly client: CloudWatchLogsClient;
  private readonly seen = new Set<string>();
  /** What no log may have. */
  readonly secrets = new Set<string>();

  constructor(root: Person) {
    this.client = new CloudWatchLogsClient(clientFor(root));
  }

  /**
   * Throws PlayFailedError for a warning or an error since the last look that is not one of those that the play has
   * provoked.
   */
  async look(provoked: readonly RegExp[] = []): Promise<void> {
    const found: string[] = [];
    for await (const { message, id } of this.events()) {
      if (this.seen.has(id)) continue;
      this.seen.add(id);
      if (this.secrets.values().some((secret) => message.includes(secret)))
        throw new PlayFailedError(`A token or a password is in the log ${id.split(' ')[0]}.`);
      if (isTrouble(message) && !provoked.some((known) => known.test(message))) found.push(message);
    }
    if (found.length === 0) return;
    const shown = [...new Set(found)].slice(0, 10).map((message) => message.slice(0, 600));
    throw new PlayFailedError(`${found.length} warnings in the functions' logs:\n${shown.join('\n')}`);
  }

  /** The names of the groups that are left. */
  async groups(): Promise<string[]> {
    const names: string[] = [];
    for await (const { logGroups = [] } of paginateDescribeLogGroups({ client: this.client }, {}))
      names.push(...logGroups.flatMap(({ logGroupName }) => logGroupName ?? []));
    return names;
  }

  private async *events(): AsyncGenerator<{ message: string; id: string }> {
    for (const logGroupName of (await this.groups()).filter((name) => name.startsWith('/aws/lambda/'))) {
      const pages = paginateFilterLogEvents({ client: this.client }, { logGroupName });
      // The emulator numbers events, and their places on pages, anew at each look.
      for await (const { events = [] } of pages)
        for (const { message = '', timestamp = 0 } of events)
          yield { message, id: `${logGroupName} ${timestamp} ${message}` };
    }
  }
}

function isTrouble(message: string): boolean {
  return /"level":"(?:WARN|ERROR|CRITICAL)"|AccessDenied|not authorized|Task timed out|heap out of memory/.test(
    message,
  );
}
