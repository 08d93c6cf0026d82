import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  canonicalJsonObject,
  ExactNumber,
  parseExactJson,
  readInt64,
} from '../../lib/text/exact-json.ts';
import { campaign } from '../support/campaign.ts';

/** The number that a JSON text stands for: its digits without zeros at either end, and a power of ten. */
function numberOf(source: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (match === null) throw new Error(`${source} is no JSON number`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return '0';
  const short = digits.replace(/0+$/, '');
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length);
  return `${sign}${short}e${power}`;
}

function textOf(parsed: unknown): string {
  return parsed instanceof ExactNumber ? parsed.source : String(parsed);
}

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });
const wholePart = digits(1, 20).map((text) => text.replace(/^0+(?=\d)/, ''));
const exponent = fc
  .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(1, 3))
  .map((parts) => parts.join(''));
/** Any JSON number of up to 40 digits, with or without a point and an exponent. */
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    wholePart,
    fc.oneof(
      fc.constant(''),
      digits(1, 20).map((text) => `.${text}`),
    ),
    fc.oneof({ weight: 3, arbitrary: fc.constant('') }, exponent),
  )
  .map((parts) => parts.join(''));
const space = fc.constantFrom('', ' ', '\n', '\t', '\r\n  ');

/** Places for a number in a document, and the path to find it again. */
const PLACES: readonly [wrap: (text: string) => string, path: readonly (string | number)[]][] = [
  [(text) => text, []],
  [(text) => `{"n":${text}}`, ['n']],
  [(text) => `[${text}]`, [0]],
  [(text) => `[0,${text},{"a":"x"}]`, [1]],
  [(text) => `{"a":[[{"b":${text},"c":null}]]}`, ['a', 0, 0, 'b']],
];

function at(parsed: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, key) => Object(value)[key], parsed);
}

describe('parseExactJson', () => {
  it('loses no digit of any number of up to 40 digits, wherever it is', () => {
    fc.assert(
      fc.property(numberText, fc.constantFrom(...PLACES), space, (text, [wrap, path], gap) => {
        expect(numberOf(textOf(at(parseExactJson(wrap(`${gap}${text}${gap}`)), path)))).toBe(numberOf(text));
      }),
      { numRuns: campaign({ quick: 300, long: 5000 }) },
    );
  });

  it('keeps a number with more zeros after the point than a double can have', () => {
    const text = `0.${'0'.repeat(400)}1`;
    expect(parseExactJson(`[${text}]`)).toEqual([new ExactNumber(text)]);
  });

  it('returns plain numbers where they are exact', () => {
    expect(parseExactJson('{"a":617.5,"b":-0.01,"c":123456789012345,"d":0.1}')).toEqual({
      a: 617.5,
      b: -0.01,
      c: 123456789012345,
      d: 0.1,
    });
  });

  it('returns what JSON.parse returns for everything but numbers', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (json) => {
        const text = JSON.stringify(JSON.parse(json), (_key, inner) =>
          typeof inner === 'number' ? 1 : inner,
        );
        // A long number anywhere makes the parser take its other path.
        for (const wrapped of [`[${text}]`, `[${text},12345678901234567890]`]) {
          expect(at(parseExactJson(wrapped), [0])).toEqual(JSON.parse(text));
        }
      }),
    );
  });

  it('keeps __proto__ as a field of its own, on both paths', () => {
    for (const long of ['', ',"n":12345678901234567890']) {
      const parsed = parseExactJson(`{"__proto__":{"id":1}${long}}`);
      expect(Object.hasOwn(Object(parsed), '__proto__')).toBe(true);
      expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    }
  });
});

describe('canonicalJson', () => {
  const shuffledTwice = fc
    .array(fc.tuple(fc.string(), fc.jsonValue()), { maxLength: 8 })
    .map((members) => [...new Map(members)])
    .chain((members) =>
      fc.tuple(fc.constant(members), fc.shuffledSubarray(members, { minLength: members.length })),
    );

  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(shuffledTwice, ([value, reordered]) => {
        expect(canonicalJsonObject(value)).toBe(canonicalJsonObject(reordered));
        expect(canonicalJson({ inner: Object.fromEntries(value) })).toBe(
          canonicalJson({ inner: Object.fromEntries(reordered) }),
        );
      }),
    );
  });

  it('stands for the same value', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(canonicalJson(JSON.parse(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('writes a long number as it came, at any depth', () => {
    const text = '{"a":[123456789012345678901234567890.10,{"b":1e2}],"c":-9007199254740993}';
    expect(canonicalJson(parseExactJson(text))).toBe(text);
  });

  it('keeps __proto__', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"x":2}}'))).toBe('{"__proto__":{"x":2},"b":1}');
  });

  it('writes a lone surrogate as the text of its escape: DuckDB refuses documents that hold one', () => {
    const value: unknown = JSON.parse('{"n\\udc00":1,"a":["cut \\ud83d","whole \\ud83d\\ude00"]}');
    expect(canonicalJson(value)).toBe('{"a":["cut \\\\ud83d","whole 😀"],"n\\\\udc00":1}');
  });

  it.each([65_534, 65_535, 65_536, 131_071])('leaves a pair whole after %i letters', (letters) => {
    const before = 'x'.repeat(letters);
    expect(canonicalJson(`${before}😀\ud800`)).toBe(`"${before}😀\\\\ud800"`);
  });
});

describe('readInt64', () => {
  it('reads every 64-bit integer exactly, as a number only where that is safe', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
        const read = readInt64(at(parseExactJson(`[${integer}]`), [0]));
        expect(BigInt(read ?? 0)).toBe(integer);
        expect(typeof read).toBe(Number.isSafeInteger(Number(integer)) ? 'number' : 'bigint');
      }),
    );
  });

  const TOO_LARGE = ['9223372036854775808', '-9223372036854775809', '1e400'];
  it.each([...TOO_LARGE, '1.5', 'null', 'true', '""', '" 1"', '"1.0"', '[1]', '{}'])('refuses %s', (text) => {
    expect(readInt64(at(parseExactJson(`[${text}]`), [0]))).toBeUndefined();
  });

  it('accepts an integer that came as text', () => {
    expect(readInt64('9223372036854775807')).toBe(9223372036854775807n);
    expect(readInt64('42')).toBe(42);
  });
});
