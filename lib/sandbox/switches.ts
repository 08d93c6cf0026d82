import { DIRECTIONS, type Direction } from '../api/directions.ts';
import { CfeLakeError } from '../errors.ts';
import type { PageFault, RowChange, SandboxBehaviour, Target } from './behaviour.ts';
import { dayNumber } from './generator/calendar.ts';

/** An option of the command line that sets one key of the sandbox's behaviour. */
export interface SandboxSwitch {
  key: keyof SandboxBehaviour;
  /** Without the dashes. */
  flag: string;
  /** The value's placeholder in the help; undefined for an option without a value. */
  value: string | undefined;
  help: string;
  /** The part of the behaviour that the value sets. Throws a SandboxSwitchError that says what to write. */
  read(value: string): Partial<SandboxBehaviour>;
}

/** An option was given a value that it does not accept. */
export class SandboxSwitchError extends CfeLakeError {
  override readonly name = 'SandboxSwitchError';
}

/** Keys of the behaviour whose values have the type T. */
type KeyOf<T> = {
  [K in keyof SandboxBehaviour]: SandboxBehaviour[K] extends T ? K : never;
}[keyof SandboxBehaviour];
type ChoiceKey = Exclude<KeyOf<string>, 'redirectTo' | 'unauthorizedRut'>;

export const SANDBOX_SWITCHES: readonly SandboxSwitch[] = [
  whole('pageCap', 1, 'largest page given (100)'),
  choice('overCap', ['clamp', 'error'], 'a page size over the cap is reduced in silence, or gets 400'),
  whole('defaultPageSize', 1, 'rows per page when none are asked for (20)'),
  whole('pageSizeIgnored', 0, 'rows per page whatever is asked for; 0: as asked'),
  choice('pageSizeEcho', ['count', 'requested'], 'page_size says the rows in the page, or those asked for'),
  choice('upperBound', ['inclusive', 'exclusive'], "whether FechaHasta's day is in the list"),
  choice('signatureUpperBound', ['inclusive', 'exclusive'], 'whether FechaFirmaHasta itself is in the list'),
  choice('pastEnd', ['empty', 'repeat', '404'], 'a page past the end is empty, the last one again, or 404'),
  choice('order', ['id', 'id-desc', 'signature-desc', 'shuffled'], 'order of the lists'),
  choice(
    'pageParameterIgnored',
    ['no', 'echo', 'one'],
    'always page 1; page_number says the number asked, or 1',
  ),
  yes('unstableTies', 'the order differs with the page size'),
  choice('unknownParameter', ['error', 'ignore'], 'an unknown parameter gets 400, or is ignored'),
  whole('openWindowDays', 0, 'days that a list without FechaDesde goes back (90)'),
  choice(
    'legacyShape',
    ['array', 'comprobantes', 'items'],
    'a legacy list is an array, or an object with this field',
  ),
  onOff('lateArrivals', 'received receipts arrive up to 6 days late (on)'),
  onOff('statusFlips', 'statuses change as days pass (on)'),
  whole('statusFlipDays', 1, 'days within which a verdict may still be reversed (60)'),
  target('faultTarget', 'confines the faults below to these lists'),
  pageFault('emptyPage', 'this page of every list is empty'),
  pageFault('shortPage', 'this page of every list lacks half of its rows'),
  pageFault('idsMissing', "this page's first row has no id"),
  pageFault('foreignRecipient', "this page's first received row is another company's"),
  rowChange('removeRows', 'rows vanish from a day after this many list requests'),
  rowChange('insertRows', 'rows appear in a day after this many list requests'),
  yes(
    'oddValues',
    'every seventh row has a value that fits no column, or unknown fields; rare amounts have 17 digits',
  ),
  every('tooManyRequestsEvery', 'answers 429'),
  every('serverErrorEvery', 'answers 500'),
  every('badGatewayEvery', 'answers 502 with HTML'),
  every('htmlEvery', 'answers 200 with HTML'),
  every('truncatedEvery', 'answers with JSON that is cut off'),
  every('resetEvery', 'resets the connection'),
  every('hangEvery', 'never answers'),
  every('redirectEvery', 'answers 302'),
  text('redirectTo', 'URL', 'where 302 points to'),
  choice('retryAfter', ['none', 'seconds', 'date'], 'how a 429 says when to retry'),
  whole('retryAfterSeconds', 0, 'seconds that a 429 asks to wait (1)'),
  amount('rateLimit', 'requests a second; more are 429; 0: no limit'),
  choice('rateLimitScope', ['all', 'company'], 'whether companies share the limit'),
  amount('latencyMs', 'milliseconds before every answer'),
  amount('latencyPerPageMs', 'additional milliseconds for each page number'),
  whole('rotateTokenAfter', 0, "a company's token is renewed after this many requests; 0: never"),
  text('unauthorizedRut', 'RUT', 'this company always gets 401'),
  target('failingDay', 'lists that include this day answer 500'),
  whole('maxRangeDays', 0, 'the widest list in days; 0: no limit'),
  choice(
    'overRange',
    ['500', '400', 'empty', 'last', 'first'],
    'a wider list answers 500 or 400, is empty, or has its last or first days only',
  ),
  whole('resultWindow', 0, 'rows of a list that are shown; 0: all'),
];

function flagOf(key: keyof SandboxBehaviour): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * The behaviour that parsed options ask for. Other options are ignored. Throws a SandboxSwitchError, one line that says
 * what to write.
 */
export function behaviourFromSwitches(values: Readonly<Record<string, unknown>>): Partial<SandboxBehaviour> {
  const parts = SANDBOX_SWITCHES.flatMap((one) => {
    const value = values[one.flag];
    if (value === undefined || value === false) return [];
    return [one.read(typeof value === 'string' ? value : '')];
  });
  return Object.assign({}, ...parts);
}

function sandboxSwitch<K extends keyof SandboxBehaviour>(
  key: K,
  value: string | undefined,
  help: string,
  parse: (value: string) => SandboxBehaviour[K] | undefined,
): SandboxSwitch {
  const flag = flagOf(key);
  return {
    key,
    flag,
    value,
    help,
    read(given) {
      const parsed = parse(given);
      if (parsed === undefined) throw new SandboxSwitchError(`--${flag} ${given}: write ${value}`);
      return { [key]: parsed };
    },
  };
}

function whole(key: KeyOf<number>, least: number, help: string): SandboxSwitch {
  return sandboxSwitch(key, 'N', help, (value) =>
    /^\d{1,9}$/.test(value) && Number(value) >= least ? Number(value) : undefined,
  );
}

function amount(key: KeyOf<number>, help: string): SandboxSwitch {
  return sandboxSwitch(key, 'N', help, (value) => (/^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined));
}

function every(key: KeyOf<number>, what: string): SandboxSwitch {
  return whole(key, 0, `every N-th request ${what}; 1: each`);
}

function yes(key: KeyOf<boolean>, help: string): SandboxSwitch {
  return sandboxSwitch(key, undefined, help, () => true);
}

function onOff(key: KeyOf<boolean>, help: string): SandboxSwitch {
  return sandboxSwitch(key, 'on|off', help, (value) =>
    value === 'on' ? true : value === 'off' ? false : undefined,
  );
}

function text(key: 'redirectTo' | 'unauthorizedRut', value: string, help: string): SandboxSwitch {
  return sandboxSwitch(key, value, help, (given) => given);
}

function choice<K extends ChoiceKey>(
  key: K,
  values: readonly SandboxBehaviour[K][],
  help: string,
): SandboxSwitch {
  return sandboxSwitch(key, values.join('|'), help, (given) => values.find((value) => value === given));
}

function pageFault(key: KeyOf<PageFault | null>, help: string): SandboxSwitch {
  return sandboxSwitch(key, 'PAGE[:once|:always]', help, (given) => {
    const parts = /^([1-9]\d{0,6})(?::(once|always))?$/.exec(given);
    return parts === null
      ? undefined
      : { page: Number(parts[1]), when: parts[2] === 'always' ? 'always' : 'once' };
  });
}

function rowChange(key: 'removeRows' | 'insertRows', help: string): SandboxSwitch {
  return sandboxSwitch(key, 'REQUESTS:COUNT:start|middle|end', help, (given): RowChange | undefined => {
    const parts = /^(\d{1,6}):(\d{1,6}):(start|middle|end)$/.exec(given);
    const position = (['start', 'middle', 'end'] as const).find((p) => p === parts?.[3]);
    if (parts === null || position === undefined) return undefined;
    return { afterListRequests: Number(parts[1]), count: Number(parts[2]), position };
  });
}

function target(key: 'faultTarget' | 'failingDay', help: string): SandboxSwitch {
  return sandboxSwitch(key, 'RUT|*:recibidos|emitidos|*:DAY|*', help, targetOf);
}

/** `214844360018:recibidos:2026-11-19`, with `*` for any. */
function targetOf(given: string): Target | undefined {
  const [rut, side, day, ...rest] = given.split(':');
  const direction: Direction | undefined = DIRECTIONS.find((d) => d === side);
  const isRut = rut === '*' || /^\d{12}$/.test(rut ?? '');
  const isDay = day === '*' || dayNumber(day ?? '') !== undefined;
  if (!isRut || !isDay || rest.length > 0 || (direction === undefined && side !== '*')) return undefined;
  return {
    ...(rut === '*' || rut === undefined ? {} : { rut }),
    ...(direction === undefined ? {} : { direction }),
    ...(day === '*' || day === undefined ? {} : { day }),
  };
}
