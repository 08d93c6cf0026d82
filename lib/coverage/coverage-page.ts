import { type UnknownField, UnknownFieldSums } from '../audit/run-changes.ts';
import { parseUnknownFields } from '../lake/rows/fields.ts';
import { readAgainCommand } from '../lake/source.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { counted, countText, longMonth, momentText, shortMonth } from '../text/spanish.ts';
import { dayRanges, daysBetween, uruguayDateTime, uruguayDay } from '../time/days.ts';
import {
  calendar,
  calendarLine,
  calendarMarks,
  commandHtml,
  htmlText,
  note,
  page,
  swatch,
  tile,
} from '../view/parts.ts';
import {
  type Calendar,
  type CompanyCoverage,
  countReceipts,
  countStates,
  countTrouble,
  type DayCoverage,
  monthRows,
} from './company-coverage.ts';
import {
  areMany,
  busyDay,
  DAY_STATES,
  type DayState,
  isTroubled,
  MARKED_STATES,
  noStates,
  SHADES,
  type StateCounts,
  shadeOf,
} from './day.ts';
import { dayDetail } from './day-detail.ts';
import { type AskedCoverage, type Coverage, readCoverage } from './read-coverage.ts';
import { lookText, MEANINGS, rangeInWords, rangeText, receiptsText, STATES } from './words.ts';

/**
 * Days that a page has in full, with their readings and totals: some 2 KB each. With more, it has the newest that failed
 * or are unstable, but fewer, since its pictures are large; and always all in words, as ranges.
 */
const DAYS_IN_FULL = 2_500;

export interface PageOptions extends Omit<AskedCoverage, 'today'> {
  /** The lake's address. */
  lake: string;
  /** The command that reads days of the lake again, without the options for days and companies. */
  readAgain: string;
  /** Milliseconds since the epoch. */
  nowMs: number;
  onCompany?: (done: number, companyCount: number) => void;
  /** What is called with the reason why an object of the audit could not be read. */
  onDamaged?: (reason: string) => void;
  signal?: AbortSignal;
}

/** Reads a lake's audit and renders its coverage. `program`: the command by which a reader of the page runs it. */
export async function renderCoverageHtml(
  store: LakeStore,
  { program, ...options }: Omit<PageOptions, 'lake' | 'readAgain'> & { program: string },
): Promise<string> {
  const coverage = await readCoverage(store, { ...options, today: uruguayDay(options.nowMs) });
  const readAgain = await readAgainCommand(program, store);
  return await coveragePage(coverage, { ...options, lake: store.address, readAgain });
}

/** The coverage as one HTML file, which requests nothing. */
export async function coveragePage(coverage: Coverage, options: PageOptions): Promise<string> {
  const { from, to, lake, nowMs, onCompany, onDamaged, signal } = options;
  const counts = noStates();
  const parts: { trouble: number; html: string }[] = [];
  const unknown = new UnknownFieldSums();
  for (const reason of coverage.damaged) onDamaged?.(reason);
  for await (const company of coverage.companies) {
    signal?.throwIfAborted();
    const states = statesOf(company.calendars);
    for (const state of DAY_STATES) counts[state] += states[state];
    for (const { direction, days } of company.calendars) {
      for (const { readings } of days) {
        unknown.add(direction, parseUnknownFields(readings?.lastGood?.unknownFields ?? null));
      }
    }
    const html = companyHtml(company, coverage.ruts.length, options);
    parts.push({ trouble: countTrouble(company.calendars), html });
    onCompany?.(parts.length, coverage.ruts.length);
  }
  // Companies with problems come first; the sort keeps the order by RUT among equals.
  parts.sort((a, b) => b.trouble - a.trouble);
  const months = new Map(daysBetween(from, to).map((day) => [day.slice(0, 7), shortMonth(day)]));
  const shades = Array.from({ length: SHADES + 1 }, (_, shade) => swatch(`exported s${shade}`));
  const companies = countedCompanies(parts.length);
  return page({
    title: `Cobertura ${rangeText({ from, to })}`,
    heading: 'Cobertura',
    aboutHtml: `Qué fechas de emisión hay en el lago: <b>${rangeText({ from, to })}</b>, ${companies}, en <b>${htmlText(lake)}</b>. Al ${momentText(uruguayDateTime(nowMs))}, hora de Uruguay.`,
    from,
    html: `${calendarMarks([...months.values()])}
<div class="tiles">${DAY_STATES.map((state) => stateTile(state, counts[state])).join('')}</div>
${controls(parts.length, options)}
<p class="note">sin comprobantes ${shades.join('')} tantos como en los días de más movimiento del calendario. Cada fila es un mes y cada columna un día. Cada botón deja solo las empresas con días así; un clic en un día lo abre.</p>${unknownFieldsLine(unknown.list())}
<p id="nothing" hidden>Ninguna empresa coincide: hay que ampliar la búsqueda.</p>
${areMany(parts.length) ? overviewHelp(options) : ''}
${parts.map((part) => part.html).join('\n')}`,
  });
}

function countedCompanies(count: number): string {
  return counted(count, ['empresa', 'empresas']);
}

const FIELDS_NAMED = 10;

/** What the last readings of the days had that the contract does not name; nothing if there is none. */
function unknownFieldsLine(fields: readonly UnknownField[]): string {
  if (fields.length === 0) return '';
  const said = fields
    .slice(0, FIELDS_NAMED)
    .map(
      ({ direction, path, receipts }) =>
        ` ${direction} <code>${htmlText(path)}</code> (${receiptsText(receipts)})`,
    );
  const more = fields.length > FIELDS_NAMED ? '; …' : '.';
  return `\n${note('Campos que el contrato no nombra; están en la columna otros:', said.join(';') + more)}`;
}

/** A state with its number of days: both legend and filter. */
function stateTile(state: DayState, count: number): string {
  const name = state === 'open' && count !== 1 ? 'se siguen releyendo' : STATES[state];
  const top = `<span>${swatch(lookOf(state))} <b>${countText(count)}</b> ${name}</span>`;
  return tile(`${top}<span class="note">${MEANINGS[state]}</span>`, state);
}

function controls(companyCount: number, { directions }: PageOptions): string {
  const radio = (value: string, label: string) =>
    `<label><input type="radio" name="direction" value="${value}"${value === '' ? ' checked' : ''}>${label}</label>`;
  const radios = [radio('', 'todos'), ...directions.map((name) => radio(name, name))];
  const lists =
    directions.length === 1 ? '' : `<fieldset><legend>Comprobantes</legend>${radios.join('')}</fieldset>\n`;
  return `<div id="choices" hidden>
<label class="find" for="search">Empresa: nombre o RUT<input type="search" id="search" autocomplete="off"></label>
${lists}<p role="status"><span id="shown"></span> de ${countedCompanies(companyCount)}</p>
</div>`;
}

/** How to read many companies, of which each is a line to open. */
function overviewHelp({ directions: [upper, lower] }: PageOptions): string {
  const which = lower === undefined ? upper : `${upper} arriba, ${lower} abajo`;
  return note(
    `Cada línea es una empresa, que se abre con un clic, y cada columna un día: ${which}. Media altura: sin lectura final; tres cuartos: se sigue releyendo; pálido: sin comprobantes.`,
  );
}

/** A company's calendars. Of many, each is folded, with its days in a line. */
function companyHtml(
  { rut, name, calendars }: CompanyCoverage,
  companyCount: number,
  options: PageOptions,
): string {
  const id = htmlText(rut);
  const title = name === undefined ? id : `${htmlText(name)} <span class="rut">${id}</span>`;
  const states = statesOf(calendars);
  const chips = MARKED_STATES.filter((state) => states[state] > 0).map(
    (state) => `<span>${swatch(lookOf(state))} ${countText(states[state])} ${STATES[state]}</span>`,
  );
  const daysInFull = Math.floor(DAYS_IN_FULL / (companyCount * calendars.length));
  const drawn = calendars.map((drawnCalendar) =>
    calendarHtml(drawnCalendar, { rut, name }, daysInFull, options),
  );
  const lines = areMany(companyCount) ? `<span class="lines">${calendars.map(dayLine).join('')}</span>` : '';
  return `<details class="card company" id="${id}"${areMany(companyCount) ? '' : ' open'}><summary><h2>${title}</h2> <span class="chips">${chips.join('')}</span>${lines}</summary>
<div class="calendars">${drawn.join('\n')}</div></details>`;
}

function statesOf(calendars: readonly Calendar[]): StateCounts {
  return countStates(calendars.flatMap(({ days }) => days));
}

function dayLine({ direction, days }: Calendar): string {
  const looks = days.map(({ state, receipts }) => lookOf(state, (receipts ?? 0) > 0 ? SOME_RECEIPTS : 0));
  return calendarLine(looks, direction);
}

/** The shade that stands for all days with receipts. */
const SOME_RECEIPTS = 3;

/** How a day looks: by colour how many receipts it has, or, in trouble, by a colour and a mark of its state. */
function lookOf(state: DayState, shade = SOME_RECEIPTS): string {
  return isTroubled(state) ? state : `${state} s${shade}`;
}

/** A calendar: a picture, and its days in words. */
function calendarHtml(
  listCalendar: Calendar,
  { rut, name = rut }: Pick<CompanyCoverage, 'rut' | 'name'>,
  daysInFull: number,
  options: PageOptions,
): string {
  const { direction, days } = listCalendar;
  const busy = busyDay(days.map(({ receipts }) => receipts));
  const rows = monthRows(listCalendar).map((month) => ({
    x: Number(month.first.slice(8)) - 1,
    looks: month.days.map(({ state, receipts }) => lookOf(state, shadeOf(receipts ?? 0, busy))),
  }));
  const most = days.reduce((greatest, { receipts }) => Math.max(greatest, receipts ?? 0), 0);
  const facts = `${receiptsText(countReceipts(days))}${most === 0 ? '' : `, hasta ${countText(most)} por día`}`;
  const id = `${rut}/${direction}`;
  const troubled = days.filter(({ state }) => isTroubled(state));
  const inFull = days.length <= daysInFull ? days : newest(troubled, daysInFull / 2);
  const months = monthRows({ direction, days: inFull }).map((row) => {
    const details = row.days.map((day) => dayDetail(day, id, direction));
    const said = `${longMonth(row.first)}: ${receiptsText(row.receipts)}; ${lookText(row.states)}`;
    return `<details><summary>${said}</summary>${details.join('\n')}</details>`;
  });
  const said = DAY_STATES.flatMap((state) => {
    const ranges = dayRanges(days.filter((day) => day.state === state).map(({ day }) => day));
    if (ranges.length === 0) return [];
    return `<li>${swatch(lookOf(state))} ${STATES[state]}: ${ranges.map(rangeInWords).join(', ')}</li>`;
  });
  return `<div class="calendar ${direction}" id="${htmlText(id)}"><h3>${direction} <span class="hidden">de ${htmlText(name)}</span><small>${facts}</small></h3>
${calendar(rows)}
<details class="said"><summary>Los días en palabras</summary><ul>${said.join('')}</ul>${troubleHtml(troubled, id, options)}${months.join('\n')}</details></div>`;
}

function newest<T>(days: readonly T[], count: number): T[] {
  return days.slice(Math.max(0, days.length - Math.floor(count)));
}

/** What went wrong last, and the command that reads the days again. */
function troubleHtml(troubled: readonly DayCoverage[], id: string, { readAgain }: PageOptions): string {
  const [first, last] = [troubled[0], troubled.at(-1)];
  if (first === undefined || last === undefined) return '';
  const [rut, direction] = id.split('/');
  const error = troubled.findLast(({ state }) => state === 'failed')?.readings?.last.error;
  const command = `${readAgain} --from ${first.day} --to ${last.day} --rut ${rut} --direction ${direction}`;
  const why = typeof error === 'string' ? `<p class="bad">${htmlText(error)}</p>` : '';
  return `${why}${note('Para volver a leerlo: ', commandHtml(command))}`;
}
