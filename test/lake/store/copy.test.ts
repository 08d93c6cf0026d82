import { describe, expect, it } from 'vitest';
import { ObjectMissingError, StaleObjectError } from '../../../lib/lake/store/store.ts';
import { labelOf, objectOf } from '../../support/lake/lake-folder.ts';
import { threeStores } from '../../support/lake/three-stores.ts';

const FROM = 'recibidos/fecha=2026-11-19/219999830019.parquet';
const TO = `unidades/${FROM}`;
const { stores } = await threeStores();

describe.each(stores)('an object copied in %s', (_where, open) => {
  it('is the same under another key, as old as it was, with what was kept beside it; again, nothing happens', async () => {
    const store = open();
    await store.replace(FROM, objectOf('one'), { metadata: { label: 'one' }, expected: undefined });
    const original = await store.find(FROM);
    await store.copy(FROM, TO);
    const copy = await store.find(TO);
    expect(copy).toMatchObject({
      byteCount: original?.byteCount,
      storedAtMs: original?.storedAtMs,
      metadata: original?.metadata,
    });
    expect(await labelOf(store, TO)).toBe('one');
    await store.copy(FROM, TO);
    expect(await store.find(TO)).toEqual(copy);
    await store.remove(FROM);
    expect(await labelOf(store, TO)).toBe('one');
    // A copy of a copy is as old as the first.
    await store.copy(TO, FROM);
    expect((await store.find(FROM))?.storedAtMs).toBe(original?.storedAtMs);
  });

  it('is replaced like any other, and is then as old as that', async () => {
    const store = open();
    await store.replace(FROM, objectOf('one'), { metadata: { label: 'one' }, expected: undefined });
    await store.copy(FROM, TO);
    const copy = await store.find(TO);
    await store.replace(TO, objectOf('two'), { metadata: { label: 'two' }, expected: copy });
    expect(await labelOf(store, TO)).toBe('two');
    expect(await labelOf(store, FROM)).toBe('one');
    await expect(store.copy(FROM, TO)).rejects.toThrow(StaleObjectError);
    expect(await labelOf(store, TO)).toBe('two');
  });

  it('must exist', async () => {
    const store = open();
    await expect(store.copy(FROM, TO)).rejects.toThrow(ObjectMissingError);
  });
});
