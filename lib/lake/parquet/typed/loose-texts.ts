import { ByteSink } from './byte-sink.ts';
import type { TypedUtf8 } from './values.ts';

/** One page holds them all; more is left to the general encoder, which makes several. */
const MAX_BYTES = 16 * 2 ** 20;
const SAMPLE_ROWS = 1000;
/** A dictionary is considered where of the sampled texts less than this part is distinct. */
const DISTINCT_SHARE = 0.9;

export interface LooseTexts {
  data: ByteSink;
  bounds: { least: string; greatest: string };
}

/** PLAIN: each text's length and its bytes. Undefined where texts repeat, are very long, or there is none. */
export function plainLooseTexts({ texts }: TypedUtf8): LooseTexts | undefined {
  const present = texts.filter((text) => text !== undefined);
  let [least, greatest] = [present[0], present[0]];
  if (least === undefined || greatest === undefined || hasRepeats(present)) return undefined;
  const data = new ByteSink();
  for (const text of present) {
    if (text.compare(least) < 0) least = text;
    else if (text.compare(greatest) > 0) greatest = text;
    data.block(text);
    if (data.length > MAX_BYTES) return undefined;
  }
  return { data, bounds: { least: least.toString('utf8'), greatest: greatest.toString('utf8') } };
}

function hasRepeats(texts: readonly Buffer[]): boolean {
  const step = Math.max(1, Math.floor(texts.length / SAMPLE_ROWS));
  const sample = texts.filter((_, index) => index % step === 0).map((text) => text.toString('latin1'));
  return new Set(sample).size < sample.length * DISTINCT_SHARE;
}
