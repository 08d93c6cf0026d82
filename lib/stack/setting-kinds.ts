import * as v from 'valibot';
import { parseApiAddress } from '../text/api-address.ts';
import { isDay, WEEK_DAYS } from '../time/days.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';

/**
 * The kinds of setting values. The message says what to write and never repeats the value: an address may hold a
 * password. Of checks and transformations by a function, the JSON Schema for editors knows nothing.
 */

export function wholeNumber(min: number, max: number) {
  return v.message(
    v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)),
    `must be a whole number from ${min} to ${max}`,
  );
}

export const yesOrNo = v.boolean('must be true or false');

export function text(pattern: RegExp, message: string) {
  return v.message(v.pipe(v.string(), v.regex(pattern)), message);
}

export const bucketName = text(
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
  'must be the name of a bucket: 3 to 63 small letters, digits, dots and dashes',
);

/** A policy of the same account by name, such as `path/boundary`, or of any by ARN. */
export const managedPolicy = text(
  /^(arn:aws[\w-]*:iam::(\d{12}|aws):policy\/)?[\w+=,.@-]+(\/[\w+=,.@-]+)*$/,
  'must be the name or the ARN of a managed policy (arn:aws:iam::…:policy/…)',
);

const TAG = /^(?!aws:)[\p{L}\p{N} _.:/=+@-]*$/iu;

/** Tags as an object, or as `team=finance,env=prod`. */
export const tags = v.message(
  v.pipe(
    v.union([
      v.pipe(v.string(), v.regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/)),
      v.record(v.string(), v.string()),
    ]),
    v.transform((value) =>
      typeof value === 'string' ? Object.fromEntries(value.split(',').map(toTag)) : value,
    ),
    v.record(
      v.pipe(v.string(), v.minLength(1), v.maxLength(128), v.regex(TAG)),
      v.pipe(v.string(), v.maxLength(256), v.regex(TAG)),
    ),
    v.maxEntries(40),
  ),
  'must be at most 40 tags of letters, digits, spaces and _.:/=+@-, such as team=finance,env=prod; none begins with aws:',
);

function toTag(text: string): [key: string, value: string] {
  const [key = '', ...value] = text.split('=');
  return [key, value.join('=')];
}

export const keyArn = text(
  /^arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/[\w-]+$/,
  'must be the ARN of a KMS key (arn:aws:kms:…:key/…)',
);

const MAX_IDS = 16;

/** The id of a thing of EC2, such as `vpc-0a1b2c3d`. */
export function ec2Id(kind: string) {
  return text(idPattern(kind), `must be an id such as ${kind}-0123456789abcdef0`);
}

/** Some such ids, as a list or with commas between; each once. */
export function ec2Ids(kind: string) {
  return v.message(
    v.pipe(
      v.union([v.string(), v.array(v.string())]),
      v.transform((value) => [...new Set(typeof value === 'string' ? value.split(',') : value)]),
      v.array(v.pipe(v.string(), v.regex(idPattern(kind)))),
      v.minLength(1),
      v.maxLength(MAX_IDS),
    ),
    `must be one to ${MAX_IDS} ids such as ${kind}-0123456789abcdef0, with commas between`,
  );
}

function idPattern(kind: string): RegExp {
  return new RegExp(`^${kind}-[0-9a-f]{8,17}$`);
}

/** `recibidos,emitidos` or a list; `off` means none. Each appears once, in a fixed order. */
export const directionsOrOff = v.pipe(
  v.union(
    [
      v.picklist(['off', ...DIRECTIONS, 'recibidos,emitidos', 'emitidos,recibidos']),
      v.array(v.picklist(DIRECTIONS)),
    ],
    `must be ${DIRECTIONS.join(', ')}, both with a comma between, or off`,
  ),
  v.transform((named): Direction[] => DIRECTIONS.filter((direction) => named.includes(direction))),
);

export const day = v.message(
  v.pipe(v.string(), v.regex(/^\d{4}-\d{2}-\d{2}$/), v.guard(isDay)),
  'must be a day, YYYY-MM-DD',
);

export const httpsAddress = v.message(
  v.pipe(
    v.string(),
    v.regex(/^https:\/\/[^@?#]+$/),
    v.check((address) => {
      try {
        return parseApiAddress(address).protocol === 'https:';
      } catch {
        return false;
      }
    }),
  ),
  'must be an address that begins with https://, without user, password, ? or #',
);

/** When a schedule runs, in Uruguayan time. */
export interface ScheduleTime {
  hour: number;
  minute: number;
}

const CLOCK = '([01]\\d|2[0-3]):([0-5]\\d)';

export const dailyTime = v.pipe(
  text(new RegExp(`^(${CLOCK}|off)$`), 'must be a time such as 02:00, by the clock of Uruguay, or off'),
  v.transform((value): ScheduleTime | undefined => {
    const [hour, minute] = value.split(':').map(Number);
    return hour === undefined || minute === undefined ? undefined : { hour, minute };
  }),
);

export const weekDay = v.pipe(
  v.picklist([...WEEK_DAYS, 'off'], 'must be SUN, MON, TUE, WED, THU, FRI or SAT, or off'),
  v.transform((value) => (value === 'off' ? undefined : value)),
);
