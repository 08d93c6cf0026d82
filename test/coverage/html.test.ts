import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PAGE_SCRIPT, PAGE_STYLE } from '../../lib/coverage/html/assets.generated.ts';
import {
  type PackedCalendars,
  type PackedDetails,
  type PackedIndex,
  unpackDay,
} from '../../lib/coverage/html/packed.ts';
import { type CoverageHtmlOptions, renderCoverageHtml } from '../../lib/coverage/html/render-html.ts';
import { writeMark } from '../../lib/lake/source.ts';
import { replaceText } from '../../lib/lake/store/store.ts';
import { escapeHtml, jsonForScript } from '../../lib/text/html.ts';
import { ASSETS_FILE, coverageAssets } from '../../scripts/coverage-assets.ts';
import {
  audit,
  failedOn,
  NOW_MS,
  newStore,
  OTHER_RUT,
  RUT,
  readOn,
  TODAY,
} from '../support/coverage/coverage-lake.ts';

const OPTIONS: CoverageHtmlOptions = {
  from: '2026-11-18',
  to: '2026-11-19',
  nowMs: NOW_MS,
  program: 'npm run -s cfe-lake --',
  directions: ['recibidos', 'emitidos'],
};
const EVIL = `</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>"'&`;

/** The page's data, as a browser reads it. */
function opened(html: string): { index: PackedIndex; calendars: PackedCalendars; details: PackedDetails } {
  const textOf = (id: string) => new RegExp(`id="${id}">([^<]*)</script>`).exec(html)?.[1] ?? '';
  const [calendars, details] = textOf('texts')
    .split('\n')
    .map((text) => JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString()));
  return { index: JSON.parse(textOf('index')), calendars, details };
}

async function troubledLake() {
  const store = newStore();
  const stored = { rut: RUT, direction: 'recibidos', day: '2026-11-18' } as const;
  const totals = [
    { type: 111, currency: EVIL, receipts: 1, withoutTotal: 0, total: '123.45' },
    { type: 999, currency: 'UYU', receipts: 1, withoutTotal: 1, total: '0.00' },
  ];
  await audit(store, 'first', [readOn('2026-11-19', stored, { receipts: 2, totals })]);
  await audit(store, 'second', [
    failedOn(TODAY, stored, EVIL),
    readOn(TODAY, { day: '2026-11-19' }, { receipts: 5, totals: undefined }),
  ]);
  return store;
}

describe('renderCoverageHtml', () => {
  it('holds what the lake says: states, counts, readings, exact totals', async () => {
    const { index, calendars, details } = opened(await renderCoverageHtml(await troubledLake(), OPTIONS));
    expect(index).toMatchObject({
      from: '2026-11-18',
      to: '2026-11-19',
      today: TODAY,
      madeAt: '2026-11-20T03:12:00',
      lake: 'memory',
      typeNames: { 111: 'e-Factura' },
      creditNotes: [],
      companies: [{ rut: RUT, summaries: [{ states: { failed: 1, open: 1 }, receipts: 7 }, {}] }],
    });
    expect(calendars).toEqual([
      { states: 'fo', receipts: [2, 5], busy: 5 },
      { states: 'mm', receipts: [null, null], busy: 1 },
    ]);
    expect(unpackDay(details, 0, 0)).toMatchObject({
      count: 2,
      readings: [
        { runId: 'second', state: 'fallido', receipts: null, isStable: null, error: EVIL },
        { runId: 'first', state: 'exportado', receipts: 2, isStable: true, error: null },
      ],
      totals: [
        { type: 111, currency: EVIL, receipts: 1, withoutTotal: 0, total: '123.45' },
        { type: 999, currency: 'UYU', receipts: 1, withoutTotal: 1 },
      ],
    });
    expect(unpackDay(details, 0, 1)).toMatchObject({ totals: undefined });
    expect(unpackDay(details, 1, 0)).toBeUndefined();
  });

  it("lets nobody else's text become markup", async () => {
    const names = new Map([[RUT, EVIL]]);
    const store = await troubledLake();
    Object.assign(store, { address: EVIL });
    const html = await renderCoverageHtml(store, { ...OPTIONS, names });
    expect(opened(html).index.companies[0]?.name).toBe(EVIL);
    expect(html.match(/<script/g)).toHaveLength(3);
    expect(html.match(/<\/script>/g)).toHaveLength(3);
    expect(html).not.toMatch(/<img|<!--|onerror=alert\(1\)>"/);
  });

  it('asks for nothing: no address but its own icon, and a policy that allows only its own script and style', async () => {
    const html = await renderCoverageHtml(await troubledLake(), OPTIONS);
    const addresses = html.match(/(?:https?:)?\/\/[a-z0-9.-]+\.[a-z]+/gi) ?? [];
    expect(addresses).toEqual(['http://www.w3.org']);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(policy?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hash(PAGE_SCRIPT)}`,
      `style-src ${hash(PAGE_STYLE)}`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(html).toContain(`<script>${PAGE_SCRIPT}</script>`);
    expect(html).toContain(`<style>${PAGE_STYLE}</style>`);
    expect(html).not.toMatch(/ style="| on[a-z]+="/);
  });

  it('makes the same page for the same lake', async () => {
    const store = await troubledLake();
    expect(await renderCoverageHtml(store, OPTIONS)).toBe(await renderCoverageHtml(store, OPTIONS));
  });

  it('puts companies with problems first, those with most of them on top, and others by RUT', async () => {
    const store = newStore();
    const rest = (['214198620015', OTHER_RUT] as const).flatMap((rut) => [
      readOn(TODAY, { rut, day: '2026-11-18' }),
      readOn(TODAY, { rut, day: '2026-11-19' }),
    ]);
    await audit(store, 'run', [
      ...rest,
      readOn(TODAY, { rut: '218617380010', day: '2026-11-18' }),
      readOn(TODAY, { day: '2026-11-18' }, { isStable: false }),
      failedOn(TODAY, { day: '2026-11-19' }, 'refused'),
    ]);
    const { index } = opened(await renderCoverageHtml(store, { ...OPTIONS, directions: ['recibidos'] }));
    const ruts = index.companies.map(({ rut }) => rut);
    expect(ruts).toEqual([RUT, '218617380010', '214198620015', OTHER_RUT]);
  });

  it('says how days of a lake are read again by its mark; a mark that cannot be read is no obstacle', async () => {
    const store = await troubledLake();
    await writeMark(store, { api: 'https://api.example.com' }, undefined);
    const { index } = opened(await renderCoverageHtml(store, OPTIONS));
    expect(index.readAgain).toMatch(/ export --lake memory .* --api https:\/\/api\.example\.com$/);
    const damaged = await troubledLake();
    await replaceText(damaged, '.source/source.json', '{', undefined);
    const without = opened(await renderCoverageHtml(damaged, OPTIONS));
    expect(without.index.readAgain).toMatch(/ export --lake memory --companies companies\.json$/);
  });

  it('stops at a signal', async () => {
    const signal = AbortSignal.abort(new Error('interrupted'));
    await expect(renderCoverageHtml(await troubledLake(), { ...OPTIONS, signal })).rejects.toThrow(
      'interrupted',
    );
  });
});

describe('escaping', () => {
  it('leaves no character that ends a text or an attribute', () => {
    expect(escapeHtml(EVIL)).not.toMatch(/[<>"']|&(?!\w+;|#39;)/);
    expect(escapeHtml('a&b')).toBe('a&amp;b');
  });

  it('keeps JSON as it was, without any <', () => {
    const json = jsonForScript({ text: EVIL });
    expect(json).not.toContain('<');
    expect(JSON.parse(json)).toEqual({ text: EVIL });
  });
});

describe("the page's script and style", () => {
  it('are what lib/coverage/page says: npm run generate', async () => {
    expect(await readFile(ASSETS_FILE, 'utf8')).toBe(await coverageAssets());
  });

  it('can stand in their elements', () => {
    expect(PAGE_SCRIPT).not.toMatch(/<\/script|<!--/i);
    expect(PAGE_STYLE).not.toMatch(/<\/style|url\(|@import/i);
  });

  it('make no markup from texts', () => {
    expect(PAGE_SCRIPT).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(/,
    );
  });
});
