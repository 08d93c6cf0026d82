import { type UnknownField, UnknownFieldSums } from '../audit/run-changes.ts';
import { parseUnknownFields } from '../lake/rows/fields.ts';
import { readAgainCommand } from '../lake/source.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { countText, counted, longMonth, momentText, shortDay, shortMonth } from '../text/spanish.ts';
import {
  type DayRange,
  dayRanges,
  daysBetween,
  isDay,
  uruguayDateTime,
  uruguayDay,
  widthDays,
} from '../time/days.ts';
import {
  calendar,
  calendarLine,
  calendarMarks,
  htmlText,
  monthAxis,
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
import { lookText, MEANINGS, receiptsText, STATES } from './words.ts';

/**
 * Days that a page has in full, with their readings and totals: some 2 KB each. With more, it has the newest that failed
 * or are unstable, but fewer, since its pictures are large; and always all in words, as ranges.
 */
const DAYS_IN_FULL = 2_500;
/** The overview has two blocks side by side with more companies than these, if the days leave room. */
const ROWS_OF_A_BLOCK = 20;
const MOST_DAYS_OF_A_BLOCK = 110;

export interface CoverageHtmlOptions extends Omit<AskedCoverage, 'today'> {
  /** The command by which a reader of the page runs this program. */
  program: string;
  /** Milliseconds since the epoch. */
  nowMs: number;
  /** Called when a company is done. */
  onCompany?: (done: number, of: number) => void;
  /** Called for each object of the audit that could not be read, with the reason. */
  onDamaged?: (reason: string) => void;
  signal?: AbortSignal;
}

/** Reads a lake's audit and renders its coverage as one HTML file, which requests nothing. */
export async function renderCoverageHtml(store: LakeStore, options: CoverageHtmlOptions): Promise<string> {
  const today = uruguayDay(options.nowMs);
  const coverage = await readCoverage(store, { ...options, today });
  return await coverageHtml(coverage, store, options);
}

/** The same for calendars that were read already. */
export async function coverageHtml(
  coverage: Coverage,
  store: LakeStore,
  options: CoverageHtmlOptions,
): Promise<string> {
  const readAgain = await readAgainCommand(options.program, store);
  return await coveragePage(coverage, { ...options, lake: store.address, readAgain });
}

export interface PageOptions extends CoverageHtmlOptions {
  /** The lake's address. */
  lake: string;
  /** The command that reads days of the lake again, without the options for days and companies. */
  readAgain: string;
}

/** A company on the page: its row in the overview, and its calendars. */
interface CompanyPart {
  trouble: number;
  row: string;
  section: string;
}

export async function coveragePage(coverage: Coverage, options: PageOptions): Promise<string> {
  const { from, to, lake, nowMs, onCompany, onDamaged, signal } = options;
  const counts = noStates();
  const parts: CompanyPart[] = [];
  const unknown = new UnknownFieldSums();
  for (const reason of coverage.damaged) onDamaged?.(reason);
  for await (const company of coverage.companies) {
    signal?.throwIfAborted();
    const states = statesOf(company.calendars);
    for (const state of DAY_STATES) counts[state] += states[state];
    for (const { direction, days } of company.calendars) {
      for (const { readings } of days) {
        unknown.add(direction, parseUnknownFields(readings?.unknownFields ?? null));
      }
    }
    parts.push(companyPart(company, coverage.ruts.length, options));
    onCompany?.(parts.length, coverage.ruts.length);
  }
  // Companies with problems come first; the sort keeps the order by RUT among equals.
  parts.sort((one, other) => other.trouble - one.trouble);
  const months = [...Map.groupBy(daysBetween(from, to), (day) => day.slice(0, 7)).values()].flatMap((days) =>
    days[0] === undefined ? [] : { name: shortMonth(days[0]), dayCount: days.length },
  );
  const shades = Array.from({ length: SHADES + 1 }, (_, shade) => swatch(`exported s${shade}`));
  const companies = countedCompanies(parts.length);
  return page({
    title: `Cobertura ${rangeText({ from, to })}`,
    heading: 'Cobertura',
    aboutHtml: `Qué fechas de emisión hay en el lago: <b>${rangeText({ from, to })}</b>, ${companies}, en <b>${htmlText(lake)}</b>. Al ${momentText(uruguayDateTime(nowMs))}, hora de Uruguay.`,
    from,
    html: `${calendarMarks(months.map(({ name }) => name))}
<div class="tiles">${DAY_STATES.map((state) => stateTile(state, counts[state])).join('')}</div>
${controls(parts.length, options)}
<p class="note">sin comprobantes ${shades.join('')} tantos como en los días de más movimiento del calendario. Cada fila es un mes y cada columna un día. Los botones muestran las empresas que tienen días así; un clic en un día lo abre.</p>${unknownFieldsLine(unknown.list())}
<p id="nothing" hidden>Ninguna empresa cumple con eso: hay que ampliar la búsqueda.</p>
${areMany(parts.length) ? overview(parts, monthAxis(months), options) : ''}
${parts.map((part) => part.section).join('\n')}`,
  });
}

function countedCompanies(count: number): string {
  return counted(count, ['empresa', 'empresas']);
}

/** `del 01/11/2026 al 19/11/2026`. */
function rangeText({ from, to }: DayRange): string {
  return `del ${shortDay(from)} al ${shortDay(to)}`;
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
  return `\n${note('Campos que el contrato no nombra, guardados en otros:', said.join(';') + more)}`;
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
    directions.length === 1
      ? ''
      : `<fieldset><legend>Comprobantes</legend>${radios.join('')}</fieldset>\n`;
  return `<div id="choices" hidden>
<label class="find" for="search">Empresa: nombre o RUT<input type="search" id="search" autocomplete="off"></label>
${lists}<p role="status"><span id="shown"></span> de ${countedCompanies(companyCount)}</p>
</div>`;
}

/** All companies, a row each: how many days need a new reading, and a line of days per direction. */
function overview(
  parts: readonly CompanyPart[],
  axis: string,
  { directions: [upper, lower], from, to }: PageOptions,
): string {
  const hasTwo = parts.length > ROWS_OF_A_BLOCK && widthDays({ from, to }) <= MOST_DAYS_OF_A_BLOCK;
  const rowCount = hasTwo ? Math.ceil(parts.length / 2) : parts.length;
  const blocks = [parts.slice(0, rowCount), parts.slice(rowCount)].filter(({ length }) => length > 0);
  const lists = blocks.map(
    (rows) => `<div class="block">${axis}<ul>${rows.map(({ row }) => row).join('\n')}</ul></div>`,
  );
  const which = lower === undefined ? upper : `${upper} arriba, ${lower} abajo`;
  const help = `Cada fila es una empresa y cada columna un día: ${which}. Media altura: sin lectura final; tres cuartos: se sigue releyendo; pálido: sin comprobantes. El número cuenta los días sin exportar, con error o con lista inestable.`;
  return `<nav class="card overview" id="overview"><h2>Resumen</h2>
${note(help)}
<div class="blocks">${lists.join('')}</div></nav>`;
}

function companyPart(company: CompanyCoverage, companyCount: number, options: PageOptions): CompanyPart {
  const { rut, name, calendars } = company;
  const trouble = countTrouble(calendars);
  const id = htmlText(rut);
  const title = name === undefined ? id : `${htmlText(name)} <span class="rut">${id}</span>`;
  const states = statesOf(calendars);
  const chips = MARKED_STATES.filter((state) => states[state] > 0).map(
    (state) => `<span>${swatch(lookOf(state))} ${countText(states[state])} ${STATES[state]}</span>`,
  );
  const isOneOfMany = areMany(companyCount);
  const daysInFull = Math.floor(DAYS_IN_FULL / (companyCount * calendars.length));
  const drawn = calendars.map((each) => calendarHtml(each, company, daysInFull, options));
  return {
    trouble,
    row: isOneOfMany ? overviewRow(company, trouble) : '',
    section: `<details class="card company${isOneOfMany ? ' section' : ''}" id="${id}" open><summary><h2>${title}</h2></summary>
<p class="chips">${chips.join('')}${isOneOfMany ? '<a href="#overview">↑ Resumen</a>' : ''}</p>
<div class="calendars">${drawn.join('\n')}</div></details>`,
  };
}

function statesOf(calendars: readonly Calendar[]): StateCounts {
  return countStates(calendars.flatMap(({ days }) => days));
}

function overviewRow({ rut, name, calendars }: CompanyCoverage, trouble: number): string {
  const said = calendars.map(({ direction, days }) => `${direction}: ${lookText(countStates(days))}`);
  const lines = calendars.map(({ direction, days }) =>
    calendarLine(
      days.map(({ state, receipts }) => lookOf(state, (receipts ?? 0) > 0 ? SOME_RECEIPTS : 0)),
      direction,
    ),
  );
  return `<li><a href="#${htmlText(rut)}"><span class="name${trouble === 0 ? '' : ' troubled'}">${htmlText(name ?? rut)}</span><span class="hidden">${name === undefined ? '' : htmlText(rut)} ${said.join('; ')}</span><span class="number" aria-hidden="true">${trouble === 0 ? '' : countText(trouble)}</span><span class="lines">${lines.join('')}</span></a></li>`;
}

/** The shade that stands for all days with receipts. */
const SOME_RECEIPTS = 3;

/** How a day looks: by colour how many receipts it has, or, in trouble, by a colour and a mark of its state. */
function lookOf(state: DayState, shade = SOME_RECEIPTS): string {
  return isTroubled(state) ? state : `${state} s${shade}`;
}

/** A calendar: a picture, and its days in words. */
function calendarHtml(
  of: Calendar,
  { rut, name = rut }: CompanyCoverage,
  daysInFull: number,
  options: PageOptions,
): string {
  const { direction, days } = of;
  const busy = busyDay(days.map(({ receipts }) => receipts));
  const rows = monthRows(of).map(({ first, days }) => ({
    x: Number(first.slice(8)) - 1,
    looks: days.map(({ state, receipts }) => lookOf(state, shadeOf(receipts ?? 0, busy))),
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
    const ranges = dayRanges(days.filter((each) => each.state === state).map(({ day }) => day));
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
  return `${why}${note('Para volver a leerlo: ', `<code>${htmlText(command)}</code>`)}`;
}

/** `del 01/11/2026 al 03/11/2026`, or one day. */
function rangeInWords(range: string): string {
  const [from = '', to = from] = range.split('..');
  if (!isDay(from) || !isDay(to)) return range;
  return from === to ? shortDay(from) : rangeText({ from, to });
}
