import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Calendar,
  countReceipts,
  countStates,
  type DayCoverage,
} from '../../lib/coverage/company-coverage.ts';
import { coveragePage, renderCoverageHtml } from '../../lib/coverage/coverage-page.ts';
import { DAY_STATES, type DayState } from '../../lib/coverage/day.ts';
import { dayText, receiptsText, STATES } from '../../lib/coverage/words.ts';
import { writeMark } from '../../lib/lake/source.ts';
import { replaceText } from '../../lib/lake/store/store.ts';
import { addDays, type Day, daysBetween, isDay } from '../../lib/time/days.ts';
import { escapeHtml, htmlText } from '../../lib/view/parts.ts';
import { PAGE_SCRIPT } from '../../lib/view/script.ts';
import { PAGE_STYLE } from '../../lib/view/style.ts';
import { campaign } from '../support/campaign.ts';
import { bigCoverageHtml } from '../support/coverage/big-coverage.ts';
import {
  audit,
  failedOn,
  NOW_MS,
  newStore,
  OTHER_RUT,
  RUT,
  readOn,
  runIdOf,
  TODAY,
} from '../support/coverage/coverage-lake.ts';

const OPTIONS: Parameters<typeof renderCoverageHtml>[1] = {
  from: '2026-11-18',
  to: '2026-11-19',
  nowMs: NOW_MS,
  program: 'npm run -s cfe-lake --',
  directions: ['recibidos', 'emitidos'],
};
const EVIL = `</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>"'&`;

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

/** The page of one calendar whose days are in these states. */
function pageOf(calendar: Calendar): Promise<string> {
  const [first, last] = [calendar.days[0], calendar.days.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('a calendar needs a day');
  async function* companies() {
    yield { rut: RUT, name: undefined, calendars: [calendar] };
  }
  return coveragePage(
    { ruts: [RUT], companies: companies(), damaged: [] },
    {
      ...OPTIONS,
      directions: ['recibidos'],
      from: first.day,
      to: last.day,
      lake: 'lake',
      readAgain: 'export',
    },
  );
}

/** The part of a page that shows one calendar. */
function calendarIn(html: string): string {
  return /<div class="calendar .*<\/main>/s.exec(html)?.[0] ?? '';
}

/** Each day's state and shade, as the paths of the picture draw them: a row is a month, a column a day of it. */
function drawnStates(html: string, from: Day): Map<string, string> {
  const drawn = new Map<string, string>();
  const picture = /<svg class="days".*?<\/svg>/.exec(calendarIn(html))?.[0] ?? '';
  for (const [, look = '', strokes = ''] of picture.matchAll(/<path class="([^"]+)" d="([^"]+)"/g)) {
    for (const [, x, y, length] of strokes.matchAll(/M(\d+) (\d+)h(\d+)/g)) {
      for (let place = 0; place < Number(length); place += 1) {
        const day = Date.UTC(
          Number(from.slice(0, 4)),
          Number(from.slice(5, 7)) - 1 + Number(y),
          1 + Number(x) + place,
        );
        const name = new Date(day).toISOString().slice(0, 10);
        // No day is drawn twice.
        expect(drawn.has(name)).toBe(false);
        drawn.set(name, look);
      }
    }
  }
  return drawn;
}

/** Each day's state as the words below the picture say it. */
function saidStates(html: string): Map<string, DayState> {
  const said = new Map<string, DayState>();
  for (const state of DAY_STATES) {
    const line = new RegExp(`</svg> ${STATES[state]}: ([^<]*)</li>`).exec(calendarIn(html))?.[1];
    for (const range of line?.split(', ') ?? []) {
      const [first = '', last = first] = (range.match(/\d\d\/\d\d\/\d{4}/g) ?? []).map((shown) =>
        shown.split('/').reverse().join('-'),
      );
      if (!isDay(first) || !isDay(last)) throw new RangeError(`'${range}' are no days`);
      for (const day of daysBetween(first, last)) said.set(day, state);
    }
  }
  return said;
}

const FIRST_DAY = '2026-01-27';
const days: fc.Arbitrary<DayCoverage[]> = fc
  .array(fc.record({ state: fc.constantFrom(...DAY_STATES), receipts: fc.constantFrom(null, 0, 3, 100) }), {
    minLength: 1,
    maxLength: 100,
  })
  .map((cells) =>
    cells.map(({ state, receipts }, place) => ({
      day: addDays(FIRST_DAY, place),
      state,
      receipts: state === 'missing' ? null : (receipts ?? (state === 'failed' ? null : 1)),
      readings: undefined,
    })),
  );

describe('the page', () => {
  it('has the state of every day in the picture and in words', async () => {
    await fc.assert(
      fc.asyncProperty(days, async (cells) => {
        const html = await pageOf({ direction: 'recibidos', days: cells });
        const states = new Map(cells.map(({ day, state }) => [day as string, state]));
        const drawn = [...drawnStates(html, FIRST_DAY)].map(([day, look]) => [day, look.split(' ')[0]]);
        expect(new Map(drawn as [string, string][])).toEqual(states);
        expect(saidStates(html)).toEqual(states);
        for (const { day, state, receipts } of cells)
          expect(html).toContain(`<summary>${htmlText(dayText(day, state, receipts))}</summary>`);
        const counts = countStates(cells);
        for (const state of DAY_STATES)
          expect(html).toMatch(
            new RegExp(
              `value="${state}" [^>]*><span>.* <b>${counts[state]}</b> (${STATES[state]}|se siguen)`,
            ),
          );
        expect(html).toContain(receiptsText(countReceipts(cells)));
      }),
      { numRuns: 40 },
    );
  });

  it('shows by a shade how many receipts a day has, in any state', async () => {
    const receipts = [0, 20, 40, 60, 80, 100];
    const cells = (['aged', 'open', 'exported'] as const).flatMap((state, row) =>
      receipts.map((count, place) => ({
        day: addDays('2026-11-01', row * receipts.length + place),
        state,
        receipts: count,
        readings: undefined,
      })),
    );
    const looks = [
      ...drawnStates(await pageOf({ direction: 'recibidos', days: cells }), '2026-11-01').values(),
    ];
    expect(looks).toEqual(
      ['aged', 'open', 'exported'].flatMap((state) => receipts.map((_, shade) => `${state} s${shade}`)),
    );
  });

  it('holds what the lake says of a day: readings, errors, exact totals', async () => {
    const html = await renderCoverageHtml(await troubledLake(), OPTIONS);
    const day = new RegExp(`<details class="day" id="${RUT}/recibidos/2026-11-18">(.*?)</details>`, 's').exec(
      html,
    )?.[1];
    expect(day).toContain('miércoles 18/11/2026: con error, 2 comprobantes de una lectura anterior');
    expect(day).toMatch(
      new RegExp(
        `2026-11-20 03:00:00 {2}${runIdOf('second')} {2}fallido {6}.*\\n` +
          `2026-11-19 03:00:00 {2}${runIdOf('first')} {2}exportado {6}2 `,
      ),
    );
    expect(day).toMatch(/111 e-Factura {9}1 {2}.* 123,45\n999 {19}1 {2}UYU .* –/);
    expect(day).toContain(`<p class="bad">${escapeHtml(EVIL)}</p>`);
    expect(html).toContain('Sin totales por tipo: la última lectura es anterior a que se guardaran.');
    expect(html).toContain(
      ` --desde 2026-11-18 --hasta 2026-11-18 --rut ${RUT} --direction recibidos</code>`,
    );
  });

  it('has a line with the fields that the contract does not name, of the last readings; none without such', async () => {
    const store = await troubledLake();
    expect(await renderCoverageHtml(store, OPTIONS)).not.toContain('el contrato no nombra');
    const fields = (entries: Record<string, number>) => ({ unknownFields: new Map(Object.entries(entries)) });
    await audit(store, 'gone', [readOn('2026-11-19', { day: '2026-11-19' }, fields({ gone: 1 }))]);
    await audit(store, 'z-newest', [
      readOn(TODAY, { day: '2026-11-18' }, fields({ nuevo: 1200, 'detalle:otro': 1 })),
      readOn(TODAY, { day: '2026-11-19' }, fields({ nuevo: 3 })),
      readOn(TODAY, { rut: OTHER_RUT, day: '2026-11-19' }, fields({ nuevo: 1, '<img>': 1 })),
    ]);
    const html = await renderCoverageHtml(store, OPTIONS);
    const [line = ''] = /<p class="note">[^\n]*el contrato no nombra[^\n]*/.exec(html) ?? [];
    expect(line).toContain(
      'recibidos <code>&lt;img&gt;</code> (1 comprobante); ' +
        'recibidos <code>detalle:otro</code> (1 comprobante); ' +
        'recibidos <code>nuevo</code> (1.204 comprobantes).</p>',
    );
  });

  it("lets nobody else's text become markup", async () => {
    const names = new Map([[RUT, EVIL]]);
    const store = await troubledLake();
    Object.assign(store, { address: EVIL });
    const html = await renderCoverageHtml(store, { ...OPTIONS, names });
    expect(html).toContain(`${escapeHtml(EVIL)} <span class="rut">`);
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html.match(/<\/script>/g)).toHaveLength(1);
    expect(html).not.toMatch(/<img|<!--|onerror=alert\(1\)>"/);
  });

  it('asks for nothing: no address but its own icon, and a policy that allows only its own script and style', async () => {
    const html = await renderCoverageHtml(await troubledLake(), OPTIONS);
    const addresses = html.replaceAll(PAGE_SCRIPT, '').match(/(?:https?:)?\/\/[a-z0-9.-]+\.[a-z]+/gi) ?? [];
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

  it('is the same page for the same lake', async () => {
    const store = await troubledLake();
    expect(await renderCoverageHtml(store, OPTIONS)).toBe(await renderCoverageHtml(store, OPTIONS));
  });

  it('puts companies with problems first, those with most of them on top, and others by RUT', async () => {
    const store = newStore();
    const rest = (['214198620015', OTHER_RUT] as const).flatMap((rut) => [
      readOn(TODAY, { rut, day: '2026-11-18' }),
      readOn(TODAY, { rut, day: '2026-11-19' }),
    ]);
    await audit(store, '20261120020000-00000001', [
      ...rest,
      readOn(TODAY, { rut: '218617380010', day: '2026-11-18' }),
      readOn(TODAY, { day: '2026-11-18' }, { isStable: false }),
      failedOn(TODAY, { day: '2026-11-19' }, 'refused'),
    ]);
    const html = await renderCoverageHtml(store, { ...OPTIONS, directions: ['recibidos'] });
    const ruts = Array.from(html.matchAll(/<details class="card company" id="(\d+)"/g), ([, rut]) => rut);
    expect(ruts).toEqual([RUT, '218617380010', '214198620015', OTHER_RUT]);
  });

  it('says how days of a lake are read again, without the address in its mark; a mark that cannot be read is no obstacle', async () => {
    const store = await troubledLake();
    await writeMark(store, { api: 'https://api.example.com' }, undefined);
    const html = await renderCoverageHtml(store, OPTIONS);
    expect(html).toMatch(/ exportar --lake memory --empresas companies\.json --desde /);
    expect(html).not.toMatch(/--api|api\.example\.com/);
    const damaged = await troubledLake();
    await replaceText(damaged, '.source/source.json', '{', undefined);
    expect(await renderCoverageHtml(damaged, OPTIONS)).toMatch(
      / exportar --lake memory --empresas companies\.json --desde /,
    );
  });

  it('stops at a signal', async () => {
    const signal = AbortSignal.abort(new Error('interrupted'));
    await expect(renderCoverageHtml(await troubledLake(), { ...OPTIONS, signal })).rejects.toThrow(
      'interrupted',
    );
  });

  it('has each of a few days in full, of many only those in trouble, and of very many none', async () => {
    const fullDays = async (companyCount: number, dayCount: number) =>
      (await bigCoverageHtml(companyCount, dayCount)).match(/<details class="day"/g)?.length ?? 0;
    expect(await fullDays(4, 65)).toBe(4 * 65 * 2);
    expect(await fullDays(6, 400)).toBe(18 + 18 + 16);
    expect(await fullDays(30, 100)).toBe(63);
    expect(await fullDays(1_300, 3)).toBe(0);
  });

  const { companies, dayCount, mostBytes } = campaign({
    quick: { companies: 800, dayCount: 10, mostBytes: 4e6 },
    long: { companies: 1_000, dayCount: 400, mostBytes: 12e6 },
  });
  it(`is no larger than ${mostBytes} bytes for ${companies} companies and ${dayCount} days`, async () => {
    expect(Buffer.byteLength(await bigCoverageHtml(companies, dayCount))).toBeLessThan(mostBytes);
  });
});

it('escaping leaves no character that ends a text or an attribute', () => {
  expect(escapeHtml(EVIL)).not.toMatch(/[<>"']|&(?!\w+;|#39;)/);
  expect(escapeHtml('a&b')).toBe('a&amp;b');
  expect(htmlText('a\u202eb<')).toBe('a\\u202eb&lt;');
});
