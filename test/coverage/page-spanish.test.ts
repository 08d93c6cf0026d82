import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ENGLISH } from '../../lib/coverage/texts/english.ts';
import { SPANISH } from '../../lib/coverage/texts/spanish.ts';
import type { Day } from '../../lib/time/days.ts';
import { itLong } from '../support/campaign.ts';
import { hasChromium } from '../support/coverage/chromium.ts';
import { RUT } from '../support/coverage/coverage-lake.ts';
import {
  eventually,
  type OpenBrowser,
  type OpenPage,
  openBrowser,
  outsideWindow,
  troubledPage,
} from '../support/coverage/coverage-page.ts';
import { LOOKS_TO_FIT, show } from '../support/coverage/looks.ts';

/** The texts of a catalogue that take no parameters, by name. */
function plainTexts(texts: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, value]): [string, string][] => {
      if (typeof value === 'string') return [[`${path}${name}`, value]];
      return typeof value === 'object' ? [...plainTexts(value, `${path}${name}.`)] : [];
    }),
  );
}

describe('the two languages', () => {
  it('share the words of no text but one', () => {
    const spanish = plainTexts(SPANISH);
    const same = [...plainTexts(ENGLISH)].filter(([name, text]) => spanish.get(name) === text);
    expect(same).toEqual([['no', 'no']]);
    expect(spanish.size).toBeGreaterThan(50);
  });

  it('have a name and a meaning for every state that no other state has', () => {
    for (const { states, meanings } of [ENGLISH, SPANISH]) {
      const said = [...Object.values(states), ...Object.values(meanings)];
      expect(new Set(said).size).toBe(12);
    }
  });

  it('write days as they are written there', () => {
    const { shortDay, weekDay, longDay, shortMonth, longMonth } = SPANISH;
    const said = [shortDay, weekDay, longDay, shortMonth, longMonth].map((write) => write('2026-09-05'));
    expect(said).toEqual([
      '05/09/2026',
      'sábado 05/09/2026',
      'sábado 5 de setiembre de 2026',
      'set 2026',
      'setiembre de 2026',
    ]);
  });
});

describe.runIf(hasChromium('the coverage page in Spanish'))('the coverage page in a Spanish browser', () => {
  let browser: OpenBrowser;
  let opened: OpenPage;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser(await troubledPage(), 'es-UY');
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    opened = await browser.open();
    ({ page } = opened);
    await page.getByRole('gridcell').first().waitFor();
  });
  afterEach(async () => {
    expect([opened.errors, opened.requests]).toEqual([[], []]);
    await page.evaluate('localStorage.clear()');
  });

  const openDay = async (day: Day) => {
    await page.evaluate(`location.hash = '#${RUT}/recibidos/${day}'`);
    await page.getByRole('heading', { name: SPANISH.longDay(day) }).waitFor();
    return (await page.locator('.detail').innerText()).replaceAll(/\s+/g, ' ');
  };
  /** All visible text, and all text that is only read aloud or shown as a placeholder. */
  const everything = () =>
    page.evaluate<string[]>(`[
      ...document.body.innerText.split(/[\\n\\t]/),
      ...[...document.querySelectorAll('[aria-label], [placeholder], .hidden, .month')].flatMap((each) =>
        [each.ariaLabel, each.getAttribute('placeholder'), each.dataset.label, each.className === 'hidden' ? each.textContent : '']),
    ].map((text) => (text ?? '').trim())`);

  it('begins in Spanish, and says so', async () => {
    expect(await page.evaluate('document.documentElement.lang')).toBe('es');
    expect(await page.title()).toBe('Cobertura del 01/06/2026 al 19/11/2026 · cfe-lake');
    const top = (await page.locator('header').innerText()).replaceAll(/\s+/g, ' ');
    expect(top).toContain(
      'Qué fechas de emisión hay en el lago: del 01/06/2026 al 19/11/2026, 2 empresas, en memory. Al 20/11/2026 03:12:00, hora de Uruguay.',
    );
  });

  it('has no English word in any view', async () => {
    const spanish = plainTexts(SPANISH);
    const english = new Set(
      [...plainTexts(ENGLISH)]
        .filter(([name, text]) => spanish.get(name) !== text && text.length > 1)
        .map(([, text]) => text),
    );
    // The switch names the other language in that language.
    english.delete(ENGLISH.otherLanguage);
    const seen = await everything();
    const days = [
      '2026-06-01',
      '2026-06-02',
      '2026-06-03',
      '2026-11-16',
      '2026-11-17',
      '2026-11-19',
    ] as const;
    for (const day of days) {
      await openDay(day);
      seen.push(...(await everything()));
    }
    await page.getByLabel('tabla', { exact: true }).check();
    await page.locator('.table-view td').first().waitFor();
    seen.push(...(await everything()));
    expect(seen.length).toBeGreaterThan(500);
    expect(seen.filter((text) => english.has(text))).toEqual([]);
    // Sentences made of parts are recognised by words that only English has.
    const words =
      /(?<!\p{L})(?:the|of|and|receipts?|read|days?|company|companies|show|missing|failed|settled|Thursday)(?!\p{L})/iu;
    const others = seen.filter((text) => words.test(text) && !/^the API refused|npm run/.test(text));
    expect(others).toEqual([]);
  });

  it('says of a day what it says in English: dates, amounts and the command as they are there', async () => {
    const settled = await openDay('2026-06-03');
    expect(settled).toContain(
      '20 comprobantes, según la lectura del 10/11/2026, 160 días después de su fecha de emisión. Ya habían pasado 65 días desde la fecha de emisión.',
    );
    const open = await openDay('2026-11-17');
    expect(open).toContain('martes 17 de noviembre de 2026 todavía en lectura recibidos de Ñandú');
    expect(open).toContain('Se sigue leyendo, porque todavía puede cambiar, hasta el 21/01/2027.');
    expect(open).toContain('111 e-Factura UYU 2 123.456.789.012.345,68');
    expect(open).toContain('19/11/2026 03:00:00');
    const failed = await openDay('2026-11-19');
    expect(failed).toContain('Todas las lecturas de este día fallaron; en el lago no hay nada de él.');
    expect(failed).toContain(
      `Para volver a leerlo: npm run -s cfe-lake -- export --lake memory --companies companies.json --from 2026-11-19 --to 2026-11-19 --rut ${RUT} --direction recibidos`,
    );
  });

  itLong(
    'is switched to English and back: the open day, what was typed and chosen stay, and the next page begins so',
    async () => {
      await page.getByRole('searchbox', { name: 'Empresa' }).fill('nandu');
      await page.getByRole('button', { name: '1 con falla' }).click();
      await openDay('2026-11-16');
      await page.getByRole('button', { name: 'English' }).click();
      await page.getByRole('heading', { name: 'Monday, 16 November 2026' }).waitFor();
      expect(await page.evaluate('document.documentElement.lang')).toBe('en');
      expect(await page.getByRole('searchbox', { name: 'Company' }).inputValue()).toBe('nandu');
      expect(await page.getByRole('status').textContent()).toBe('1 of 2 companies');
      expect(await page.getByRole('button', { name: '1 failed' }).getAttribute('aria-pressed')).toBe('true');
      expect(await page.locator('.tip').count()).toBe(1);
      // Chromium stores the choice in another process: a reload may be faster.
      await eventually(async () => {
        await page.reload();
        return await page.getByRole('heading', { level: 1 }).textContent();
      }).toBe('Coverage');
      await page.getByRole('button', { name: 'Español' }).click();
      await page.getByRole('heading', { name: 'Cobertura', level: 1 }).waitFor();
      await eventually(() => page.getByRole('status').textContent()).toBe('2 de 2 empresas');
    },
  );

  itLong.each(LOOKS_TO_FIT)(
    'fits its window in %s, %i pixels wide, with a day open and as a table',
    async (colorScheme, width) => {
      await show(page, colorScheme, width);
      await openDay('2026-11-17');
      expect(await outsideWindow(page)).toEqual([]);
      await page.getByLabel('tabla', { exact: true }).check();
      expect(await outsideWindow(page)).toEqual([]);
    },
  );
});
