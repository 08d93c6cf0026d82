import { paginateListSubscriptionsByTopic, type SNSClient } from '@aws-sdk/client-sns';
import { changeSetting } from '../../program.ts';
import { type CheckLine, notSeen, ok, warning } from './check-line.ts';

/** What stands in place of an ARN until the address has confirmed. */
const PENDING = 'PendingConfirmation';

/** Whether an alarm reaches anybody. */
export async function alarmLine(client: SNSClient, topicArn: string): Promise<CheckLine> {
  try {
    const states: boolean[] = [];
    for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic(
      { client },
      { TopicArn: topicArn },
    )) {
      states.push(...Subscriptions.map(({ SubscriptionArn }) => SubscriptionArn !== PENDING));
    }
    const confirmed = states.filter((isConfirmed) => isConfirmed).length;
    if (confirmed > 0) return ok('alarms', `${confirmed} confirmed subscriber${confirmed === 1 ? '' : 's'}`);
    return states.length > 0
      ? warning('alarms', 'nobody has confirmed', 'Open the e-mail from AWS Notifications and confirm it.')
      : warning('alarms', 'nobody is told', `${changeSetting('alarmEmail', 'you@example.com')}.`);
  } catch (error) {
    return notSeen('alarms', error, 'OperatorPolicy');
  }
}
