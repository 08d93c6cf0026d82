import { type UnknownField, UnknownFieldSums } from '../../audit/run-changes.ts';
import { parseUnknownFields } from '../../lake/rows/fields.ts';
import { readAgainCommand } from '../../lake/source.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { htmlText, pageHead } from '../../text/html.ts';
import {
  type DayRange,
  dayRanges,
  daysBetween,
  isDay,
  uruguayDateTime,
  uruguayDay,
  widthDays,
} from '../../time/days.ts';
import {
  type Calendar,
  type CompanyCoverage,
  countReceipts,
  countStates,
  countTrouble,
  type DayCoverage,
  monthRows,
} from '../company-coverage.ts';
import {
  areMany,
  DAY_STATES,
  type DayState,
  isTroubled,
  MARKED_STATES,
  noStates,
  type StateCounts,
} from '../day.ts';
import { type AskedCoverage, type Coverage, readCoverage } from '../read-coverage.ts';
import {
  both,
  countText,
  ENGLISH,
  lookText,
  receiptsText,
  SPANISH,
  statesText,
  type Texts,
  term,
} from '../texts.ts';
import { dayDetail } from './day-detail.ts';
import { calendarPicture, linePicture, monthAxis, shadeSwatches, sharedPictures, swatch } from './picture.ts';
import { PAGE_SCRIPT } from './script.ts';
import { COVERAGE_STYLE } from './style.ts';

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
  const { from, to, onCompany, onDamaged, signal } = options;
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
  const title = titleIn(ENGLISH, options);
  const months = [...Map.groupBy(daysBetween(from, to), (day) => day.slice(0, 7)).values()];
  return `${pageHead({ language: 'en', title, style: COVERAGE_STYLE, script: PAGE_SCRIPT })}
<body data-from="${from}">
${pageTop(parts.length, options)}
<main>
${sharedPictures(months)}
<div class="tiles">${DAY_STATES.map((state) => tile(state, counts[state])).join('')}</div>
${controls(parts.length, options)}
<p class="note">${both((words) => words.noReceipts)} ${shadeSwatches()} ${both((words) => words.busyDays)}. ${both((words) => words.help)}</p>${unknownFieldsLine(unknown.list())}
<p id="nothing" hidden>${both((words) => words.nothingChosen)}</p>
${areMany(parts.length) ? overview(parts, monthAxis(months), options) : ''}
${parts.map(({ section }) => section).join('\n')}
</main>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

function titleIn(words: Texts, { from, to }: DayRange): string {
  return `${words.title} ${words.range(words.shortDay(from), words.shortDay(to))}`;
}

function pageTop(companyCount: number, { from, to, lake, nowMs }: PageOptions): string {
  const button = (words: Texts, other: Texts) =>
    `<span lang="${words.language}"><button type="button" class="language" lang="${other.language}" data-title="${titleIn(other, { from, to })} · cfe-lake" hidden>${words.otherLanguage}</button></span>`;
  const range = both((words) => words.range(words.shortDay(from), words.shortDay(to)));
  const count = both((words) => words.companies(countText(companyCount, words), companyCount === 1));
  const asOf = (words: Texts) =>
    words.asOf(`${words.shortDay(uruguayDay(nowMs))} ${uruguayDateTime(nowMs).slice(11)}`);
  return `<header>
${button(ENGLISH, SPANISH)}${button(SPANISH, ENGLISH)}
<h1>${both(({ title }) => title)}</h1>
<p>${both((words) => words.whichDays)} <b>${range}</b>, ${count}, ${both((words) => words.inLake)} <b>${htmlText(lake)}</b>. ${both(asOf)}</p>
</header>`;
}

const FIELDS_NAMED = 10;

/** What the last readings of the days had that the contract does not name; nothing if there is none. */
function unknownFieldsLine(fields: readonly UnknownField[]): string {
  if (fields.length === 0) return '';
  const more = fields.length > FIELDS_NAMED ? '; …' : '.';
  const said = fields
    .slice(0, FIELDS_NAMED)
    .map(
      ({ direction, path, receipts }) =>
        `${term(direction)} <code>${htmlText(path)}</code> (${both((words) => receiptsText(receipts, words))})`,
    );
  return `\n<p class="note">${both((words) => words.unknownFields)} ${said.join('; ')}${more}</p>`;
}

/** A state with its number of days: both legend and filter. */
function tile(state: DayState, count: number): string {
  return `<button type="button" class="tile" value="${state}" aria-pressed="false"><span class="tile-top">${swatch(state)} <b>${both((words) => countText(count, words))}</b> <span class="name">${both((words) => words.states[state])}</span></span><span class="note">${both((words) => words.meanings[state])}</span></button>`;
}

function controls(companyCount: number, { directions }: PageOptions): string {
  const radio = (value: string, label: string) =>
    `<label><input type="radio" name="direction" value="${value}"${value === '' ? ' checked' : ''}><span>${label}</span></label>`;
  const radios = [
    radio(
      '',
      both((words) => words.both),
    ),
    ...directions.map((name) => radio(name, term(name))),
  ];
  const lists =
    directions.length === 1
      ? ''
      : `<fieldset><legend>${both((words) => words.direction)}</legend>${radios.join('')}</fieldset>`;
  const isOne = companyCount === 1;
  return `<div id="choices" hidden>
<label class="find" for="search">${both((words) => words.company)}<input type="search" id="search" autocomplete="off"></label>
${lists}
<p role="status"><span id="shown"></span> ${both((words) => words.ofCompanies(companyCount, isOne))}</p>
</div>`;
}

/** All companies, a row each: how many days need a new reading, and a line of days per direction. */
function overview(
  parts: readonly CompanyPart[],
  axis: string,
  { directions, from, to }: PageOptions,
): string {
  const hasTwo = parts.length > ROWS_OF_A_BLOCK && widthDays({ from, to }) <= MOST_DAYS_OF_A_BLOCK;
  const rowCount = hasTwo ? Math.ceil(parts.length / 2) : parts.length;
  const blocks = [parts.slice(0, rowCount), parts.slice(rowCount)].filter(({ length }) => length > 0);
  const lists = blocks.map(
    (rows) => `<div class="block">${axis}<ul>${rows.map(({ row }) => row).join('\n')}</ul></div>`,
  );
  return `<nav class="overview" id="overview"><h2>${both((words) => words.overview)}</h2>
<p class="note">${both((words) => words.overviewHelp(directions))}</p>
<div class="blocks">${lists.join('')}</div></nav>`;
}

function companyPart(company: CompanyCoverage, companyCount: number, options: PageOptions): CompanyPart {
  const { rut, name, calendars } = company;
  const trouble = countTrouble(calendars);
  const id = htmlText(rut);
  const title = name === undefined ? id : `${htmlText(name)} <span class="rut">${id}</span>`;
  const states = statesOf(calendars);
  const chips = MARKED_STATES.filter((state) => states[state] > 0).map(
    (state) => `<span>${swatch(state)} ${both((words) => statesText(states, words, [state]))}</span>`,
  );
  const up = areMany(companyCount) ? `<a href="#overview">${both((words) => words.toOverview)}</a>` : '';
  const daysInFull = Math.floor(DAYS_IN_FULL / (companyCount * calendars.length));
  const drawn = calendars.map((calendar) => calendarHtml(calendar, company, daysInFull, options));
  return {
    trouble,
    row: areMany(companyCount) ? overviewRow(company, trouble) : '',
    section: `<section class="company" id="${id}" aria-labelledby="${id}/name">
<div class="company-top"><h2 id="${id}/name">${title}</h2>${up}<p class="chips">${chips.join('')}</p></div>
<div class="calendars">${drawn.join('\n')}</div></section>`,
  };
}

function statesOf(calendars: readonly Calendar[]): StateCounts {
  return countStates(calendars.flatMap(({ days }) => days));
}

function overviewRow({ rut, name, calendars }: CompanyCoverage, trouble: number): string {
  const said = calendars.map(({ direction, days }) => {
    const states = countStates(days);
    return `${term(direction)}: ${both((words) => lookText(states, words))}`;
  });
  const count = trouble === 0 ? '' : both((words) => countText(trouble, words));
  return `<li><a href="#${htmlText(rut)}"><span class="name${trouble === 0 ? '' : ' troubled'}">${htmlText(name ?? rut)}</span><span class="hidden">${name === undefined ? '' : htmlText(rut)} ${said.join('; ')}</span><span class="number" aria-hidden="true">${count}</span><span class="lines">${calendars.map(linePicture).join('')}</span></a></li>`;
}

/** A calendar: a picture, and its days in words. */
function calendarHtml(
  calendar: Calendar,
  { rut, name = rut }: CompanyCoverage,
  daysInFull: number,
  options: PageOptions,
): string {
  const { direction, days } = calendar;
  const most = days.reduce((greatest, { receipts }) => Math.max(greatest, receipts ?? 0), 0);
  const facts = (words: Texts) => {
    const receipts = receiptsText(countReceipts(days), words);
    return most === 0 ? receipts : `${receipts}, ${words.most(countText(most, words))}`;
  };
  const id = `${rut}/${direction}`;
  const troubled = days.filter(({ state }) => isTroubled(state));
  const inFull = days.length <= daysInFull ? days : newest(troubled, daysInFull / 2);
  const months = monthRows({ direction, days: inFull }).map((row) => {
    const details = row.days.map((day) => dayDetail(day, id, direction));
    const said = (words: Texts) =>
      `${words.longMonth(row.first)}: ${receiptsText(row.receipts, words)}; ${lookText(row.states, words)}`;
    return `<details><summary>${both(said)}</summary>${details.join('\n')}</details>`;
  });
  const said = DAY_STATES.flatMap((state) => {
    const ranges = dayRanges(days.filter((each) => each.state === state).map(({ day }) => day));
    return ranges.length === 0
      ? []
      : `<li>${swatch(state)} ${both((words) => `${words.states[state]}: ${rangesText(ranges, words)}`)}</li>`;
  });
  return `<div class="calendar ${direction}" id="${htmlText(id)}"><h3>${term(direction)} <span class="hidden">${both((words) => words.ofCompany(name))}</span><small>${both(facts)}</small></h3>
${calendarPicture(calendar)}
<details class="words"><summary>${both((words) => words.daysInWords)}</summary><ul>${said.join('')}</ul>${troubleHtml(troubled, id, options)}${months.join('\n')}</details></div>`;
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
  return `${why}<p class="note">${both((words) => words.readAgain)} <code>${htmlText(command)}</code></p>`;
}

/** `2026-11-01 to 2026-11-03, 2026-11-07`. */
function rangesText(ranges: readonly string[], words: Texts): string {
  const shown = (text: string) => (isDay(text) ? words.shortDay(text) : text);
  return ranges
    .map((range) => range.split('..'))
    .map(([from = '', to]) => (to === undefined ? shown(from) : words.range(shown(from), shown(to))))
    .join(', ');
}
