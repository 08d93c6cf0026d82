import { ByteSink } from './byte-sink.ts';
import { type TypedUtf8, utf8At } from './values.ts';

/** One page holds them all; more is left to the general encoder, which makes several. */
const MAX_BYTES = 16 * 2 ** 20;
const SAMPLE_ROWS = 1000;
/** A dictionary is considered where of the sampled texts less than this part is distinct. */
const DISTINCT_SHARE = 0.9;

/** PLAIN: each text's length and its bytes. Undefined where texts repeat or are very long. */
export function plainLooseTexts(typed: TypedUtf8): ByteSink | undefined {
  const { blocks, places, lengths } = typed;
  if (hasRepeats(typed)) return undefined;
  const data = new ByteSink();
  for (let index = 0; index < lengths.length; index += 1) {
    const text = utf8At(blocks, places[index] ?? 0, lengths[index] ?? 0);
    if (text === undefined) continue;
    data.block(text);
    if (data.length > MAX_BYTES) return undefined;
  }
  return data;
}

function hasRepeats({ blocks, places, lengths }: TypedUtf8): boolean {
  const present = lengths.reduce((count, length) => (length === 0 ? count : count + 1), 0);
  const step = Math.max(1, Math.floor(present / SAMPLE_ROWS));
  const sample: string[] = [];
  let passed = 0;
  for (let index = 0; index < lengths.length; index += 1) {
    if (lengths[index] === 0) continue;
    if (passed % step === 0) {
      sample.push(utf8At(blocks, places[index] ?? 0, lengths[index] ?? 0)?.toString('latin1') ?? '');
    }
    passed += 1;
  }
  return new Set(sample).size < sample.length * DISTINCT_SHARE;
}
