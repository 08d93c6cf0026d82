import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { messageAnswer } from '../../sandbox/answer.ts';
import { routeOf } from '../../sandbox/routes.ts';
import { sandboxService } from '../../sandbox/service.ts';

// Nothing changes while days pass: what was exported stays what is served.
const service = sandboxService({ behaviour: { lateArrivals: false, statusFlips: false } });

/** The query API of invented companies, behind a function URL. */
export async function handler({
  rawPath,
  rawQueryString,
  headers,
}: Pick<LambdaFunctionURLEvent, 'rawPath' | 'rawQueryString' | 'headers'>): Promise<LambdaFunctionURLResult> {
  const route = routeOf(rawPath);
  const answer =
    route === undefined
      ? messageAnswer(404, 'there is no such address')
      : service.answer({
          ...route,
          address: `${rawPath}?${rawQueryString}`,
          search: new URLSearchParams(rawQueryString),
          authorization: headers.authorization,
          emisor: headers['x-emisor'],
        });
  // With this behaviour, none is held back.
  if (typeof answer === 'string') return { statusCode: 500 };
  return {
    statusCode: answer.status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...answer.headers },
    body: answer.body,
  };
}
