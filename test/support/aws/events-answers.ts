import type { StandInAnswer } from './s3-answers.ts';

export interface StandInEvent {
  Source: string;
  DetailType: string;
  Detail: string;
  EventBusName?: string;
}

/** Answers PutEvents of EventBridge and keeps the events. */
export class EventsStandIn {
  readonly events: StandInEvent[] = [];
  /** Entries that are refused, one by one, in an answer that says 200. */
  refusals = 0;

  answer(operation: string, body: string): StandInAnswer {
    if (operation !== 'PutEvents') return reply(400, { __type: 'UnknownOperationException' });
    const { Entries }: { Entries: StandInEvent[] } = JSON.parse(body);
    const answers = Entries.map((event) => {
      if (this.refusals > 0) {
        this.refusals -= 1;
        return { ErrorCode: 'InternalFailure', ErrorMessage: 'Try again.' };
      }
      this.events.push(event);
      return { EventId: `event-${this.events.length}` };
    });
    const FailedEntryCount = answers.filter((answer) => 'ErrorCode' in answer).length;
    return reply(200, { FailedEntryCount, Entries: answers });
  }
}

function reply(status: number, value: object): StandInAnswer {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify(value) };
}
