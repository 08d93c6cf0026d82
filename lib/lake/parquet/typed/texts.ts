import type { Column } from '../../tables.ts';
import { isBefore } from '../column-values.ts';
import { misfit } from '../ranges.ts';
import { ByteSink } from './byte-sink.ts';
import { textDictionary } from './dictionary.ts';
import { type EncodedValues, type TypedChunkOptions, writeIndexes } from './encoded.ts';
import type { TypedTexts } from './values.ts';

/** One page holds them all; more is left to the general encoder, which makes several. */
const MAX_PLAIN_BYTES = 2 ** 20;

/** Undefined when one does not fit the column, or when they hardly repeat and are too long for a page. */
export function encodedTexts(
  typed: TypedTexts,
  { column }: Pick<TypedChunkOptions, 'column'>,
): EncodedValues | undefined {
  const dictionary = textDictionary(typed);
  if (dictionary === undefined) return plainTexts(typed, column);
  const distinct = new ByteSink();
  for (const text of dictionary.distinct) distinct.text(text);
  const bounds = boundsOf(dictionary.distinct, column);
  if (bounds === undefined) return undefined;
  const data = new ByteSink();
  const count = dictionary.distinct.length;
  writeIndexes(data, dictionary.indexes, count);
  return { encoding: 'RLE_DICTIONARY', data, dictionary: { data: distinct, count }, bounds };
}

function plainTexts({ codes, texts }: TypedTexts, column: Column): EncodedValues | undefined {
  const data = new ByteSink();
  const present: string[] = [];
  for (const code of codes) {
    const text = texts[code];
    if (typeof text !== 'string') continue;
    present.push(text);
    data.text(text);
    if (data.length > MAX_PLAIN_BYTES) return undefined;
  }
  const bounds = boundsOf(present, column);
  return bounds && { encoding: 'PLAIN', data, bounds };
}

/** By their UTF-8. Undefined when there is none, or one that the column can't hold. */
function boundsOf(texts: readonly string[], column: Column): EncodedValues['bounds'] {
  let [least, greatest] = [texts[0], texts[0]];
  if (least === undefined || greatest === undefined) return undefined;
  for (const text of texts) {
    if (misfit(column.type, text) !== undefined) return undefined;
    if (isBefore(text, least)) least = text;
    else if (isBefore(greatest, text)) greatest = text;
  }
  return { least, greatest };
}
