import * as v from 'valibot';
import { parseApiAddress } from '../api/access.ts';
import { DIRECTIONS, type Direction } from '../api/directions.ts';
import { daySchema } from '../time/days.ts';

/**
 * The kinds of setting values. Each accepts what the settings file can hold (numbers, booleans, lists) and what `-c
 * name=value` gives (always text). Its message says what to write and never repeats the value: an address may hold a
 * password. Each kind has a JSON Schema, for editors.
 */

/** What an editor knows about a value. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const JSON_BY_KIND = new WeakMap<object, JsonSchema>();

function withJson<Kind extends object>(json: JsonSchema, kind: Kind): Kind {
  JSON_BY_KIND.set(kind, json);
  return kind;
}

/** The JSON Schema of a kind; undefined for any other schema. */
export function jsonOfKind(kind: object): JsonSchema | undefined {
  return JSON_BY_KIND.get(kind);
}

function numberOrDigits(message: string) {
  return v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number))], message);
}

export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return withJson(
    { type: 'integer', minimum: min, maximum: max },
    v.pipe(numberOrDigits(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message)),
  );
}

export function oneOfNumbers(options: readonly number[]) {
  const message = `must be one of ${options.join(', ')}`;
  return withJson({ enum: options }, v.pipe(numberOrDigits(message), v.picklist(options, message)));
}

export function oneOf<const T extends readonly string[]>(options: T) {
  return withJson({ enum: options }, v.picklist(options, `must be ${options.join(' or ')}`));
}

export const yesOrNo = withJson(
  { type: 'boolean' },
  v.pipe(
    v.union([v.boolean(), v.picklist(['true', 'false'])], 'must be true or false'),
    v.transform((value) => value === true || value === 'true'),
  ),
);

export function text(pattern: RegExp, message: string) {
  return withJson(jsonText(pattern), v.pipe(v.string(message), v.regex(pattern, message)));
}

export const keyArn = text(
  /^arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/[\w-]+$/,
  'must be the ARN of a KMS key (arn:aws:kms:…:key/…)',
);

function jsonText({ source }: RegExp): JsonSchema {
  return { type: 'string', pattern: source };
}

const DIRECTIONS_MESSAGE = `must be ${DIRECTIONS.join(', ')}, both with a comma between, or off`;

/** `recibidos,emitidos` or a list; `off` means none. Each appears once, in a fixed order. */
export const directionsOrOff = withJson(
  {
    anyOf: [
      { enum: ['off', DIRECTIONS.join(','), ...DIRECTIONS] },
      { type: 'array', items: { enum: DIRECTIONS } },
    ],
  },
  v.pipe(
    v.union(
      [
        v.array(v.picklist(DIRECTIONS)),
        v.pipe(
          v.string(),
          v.transform((value) => (value === 'off' ? [] : value.split(','))),
          v.array(v.picklist(DIRECTIONS)),
        ),
      ],
      DIRECTIONS_MESSAGE,
    ),
    v.transform((named): Direction[] => DIRECTIONS.filter((direction) => named.includes(direction))),
  ),
);

const DAY_MESSAGE = 'must be a day, YYYY-MM-DD';

export const day = withJson(
  jsonText(/^\d{4}-\d{2}-\d{2}$/),
  v.pipe(v.string(DAY_MESSAGE), daySchema(DAY_MESSAGE)),
);

const ADDRESS_MESSAGE = 'must be an address that begins with https://, without user, password, ? or #';

export const httpsAddress = withJson(
  jsonText(/^https:\/\/[^@?#]+$/),
  v.pipe(
    v.string(ADDRESS_MESSAGE),
    v.check((value) => {
      try {
        return parseApiAddress(value).protocol === 'https:';
      } catch {
        return false;
      }
    }, ADDRESS_MESSAGE),
  ),
);

const MAX_WAITS = 5;
const WAITS_MESSAGE = `must be at most ${MAX_WAITS} whole numbers from 1 to 1440, with commas between`;

/** Minutes, as `[2, 8]` or `2,8`; none as `[]` or empty text. */
export const waits = withJson(
  {
    anyOf: [
      { type: 'array', maxItems: MAX_WAITS, items: { type: 'integer', minimum: 1, maximum: 1440 } },
      { type: 'string', pattern: `^(\\d{1,4}(,\\d{1,4}){0,${MAX_WAITS - 1}})?$` },
    ],
  },
  v.pipe(
    v.union(
      [
        v.array(v.number()),
        v.pipe(
          v.string(),
          v.regex(/^(\d{1,4}(,\d{1,4})*)?$/),
          v.transform((value) => (value === '' ? [] : value.split(',').map(Number))),
        ),
      ],
      WAITS_MESSAGE,
    ),
    v.maxLength(MAX_WAITS, WAITS_MESSAGE),
    v.everyItem((minutes) => Number.isInteger(minutes) && minutes >= 1 && minutes <= 1440, WAITS_MESSAGE),
  ),
);

const WEEK_DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;

/** When a schedule runs, in Uruguayan time. */
export interface ScheduleTime {
  hour: number;
  minute: number;
  /** Absent: every day. */
  weekDay?: (typeof WEEK_DAYS)[number];
}

const CLOCK = '([01]\\d|2[0-3]):([0-5]\\d)';

function timeOrOff(pattern: RegExp, message: string) {
  return withJson(
    jsonText(pattern),
    v.pipe(
      v.string(message),
      v.regex(pattern, message),
      v.transform((value): ScheduleTime | undefined => {
        const [, hour, minute] = new RegExp(CLOCK).exec(value) ?? [];
        if (hour === undefined || minute === undefined) return undefined;
        const weekDay = WEEK_DAYS.find((name) => value.startsWith(name));
        return { hour: Number(hour), minute: Number(minute), ...(weekDay !== undefined && { weekDay }) };
      }),
    ),
  );
}

export const nightlyTime = timeOrOff(
  new RegExp(`^(${CLOCK}|off)$`),
  'must be a time such as 02:00, by the clock of Uruguay, or off',
);

export const weeklyTime = timeOrOff(
  new RegExp(`^((${WEEK_DAYS.join('|')}) ${CLOCK}|off)$`),
  'must be a week day and a time such as "SUN 05:00", by the clock of Uruguay, or off',
);
