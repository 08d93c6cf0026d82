import { addDays } from '../../time/days.ts';

export interface Month {
  /** `YYYY-MM`. */
  name: string;
  /** Weeks from Monday to Sunday, each the places of its days in the calendar. */
  weeks: number[][];
}

/** The days of a calendar, by month and week. */
export function monthsOf(from: string, dayCount: number): Month[] {
  const months: Month[] = [];
  for (let place = 0; place < dayCount; place += 1) {
    const day = addDays(from, place);
    let month = months.at(-1);
    if (month?.name !== day.slice(0, 7)) {
      month = { name: day.slice(0, 7), weeks: [] };
      months.push(month);
    }
    if (month.weeks.length === 0 || weekdayOf(day) === 0) month.weeks.push([]);
    month.weeks.at(-1)?.push(place);
  }
  return months;
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
}

/** The place of the same day so many months on; where a month is too short, of its last day. */
export function monthsOn(day: string, count: number): string {
  const date = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + count + 1, 0);
  const last = date.toISOString().slice(0, 10);
  const wanted = `${last.slice(0, 8)}${day.slice(8)}`;
  return wanted < last ? wanted : last;
}
