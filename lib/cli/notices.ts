import { assertCertificateChecked } from '../api/access.ts';
import { BodyError } from '../api/body.ts';
import { ConnectionPool, exchange, isSuccess } from '../api/connection-pool.ts';
import { networkFault } from '../api/retry.ts';
import type { EndedRun } from '../run/notice.ts';
import { WrongInputError } from '../system/errors.ts';
import { parseNoticeAddress } from '../text/api-address.ts';
import { flag, oneValue, type Parsed, type Terminal } from './command.ts';
import { SAY } from './phrases/export.ts';

export const NOTICE_OPTIONS = {
  notify: oneValue('URL', SAY.notify()),
  'notify-names': flag(SAY.notifyNames()),
  ping: oneValue('URL', SAY.ping()),
};

/** An export does not wait longer for anybody who is told of it. */
const TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 64 * 1024;

/**
 * What tells of the end of a run; undefined if nobody asked for it. That never throws: an export does not fail because
 * nobody could be told. Throws WrongInputError for an address that is not encrypted.
 */
export function askedNotices(
  { notify, 'notify-names': isNaming = false, ping }: Parsed<typeof NOTICE_OPTIONS>,
  { stderr, signal }: Pick<Terminal, 'stderr' | 'signal'>,
): ((end: EndedRun) => Promise<void>) | undefined {
  if (isNaming && notify === undefined) throw new WrongInputError(SAY.namesNeedNotify());
  const notifyUrl = askedAddress('--notify', notify);
  const pingUrl = askedAddress('--ping', ping);
  if (notifyUrl === undefined && pingUrl === undefined) return undefined;
  return async (end) => {
    // Loaded only for those who are told.
    const { noticeOf } = await import('../run/notice.ts');
    const tell = async (option: string, url: URL, body?: string) => {
      const fault = await faultOfTelling(url, body, signal);
      // Of the address, the host alone: whoever has it all can post.
      if (fault !== undefined)
        stderr.writeWarning(`${option}: ${url.host} was not told: ${fault}. The export is not affected.`);
    };
    await Promise.all([
      notifyUrl && tell('--notify', notifyUrl, JSON.stringify(noticeOf(end, isNaming))),
      pingUrl && end.isComplete && tell('--ping', pingUrl),
    ]);
  };
}

function askedAddress(option: string, text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = parseNoticeAddress(text, option);
  assertCertificateChecked(url);
  return url;
}

/** Posts the body, or asks without one, once. Returns why it was not taken. Never throws. */
async function faultOfTelling(
  url: URL,
  body: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const pool = new ConnectionPool();
  const send = () =>
    body === undefined
      ? pool.get(url.href, {})
      : pool.post(url.href, { 'content-type': 'application/json; charset=utf-8' }, body);
  try {
    const answer = await exchange(send, { timeoutMs: TIMEOUT_MS, maxBodyBytes: MAX_BODY_BYTES, signal });
    answer.release();
    return isSuccess(answer.status) ? undefined : `it answered status ${answer.status}`;
  } catch (error) {
    // It was told, and answers more than anybody reads.
    if (error instanceof BodyError) return undefined;
    return networkFault(error).fault;
  } finally {
    await pool.destroy();
  }
}
