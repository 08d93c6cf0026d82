import fc from 'fast-check';

/** Any code point. fast-check's own unit 'binary' is the same, but first makes a map of all of them, for a second. */
const CODE_POINT = fc.integer({ min: 0, max: 0x10f7ff }).map(
  (place) => String.fromCodePoint(place < 0xd800 ? place : place + 0x800),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point))
      throw new TypeError('not one code point');
    return point < 0xd800 ? point : point - 0x800;
  },
);

/** Texts of any code points. */
export function anyText(maxLength?: number): fc.Arbitrary<string> {
  return fc.string({ unit: CODE_POINT, maxLength });
}
