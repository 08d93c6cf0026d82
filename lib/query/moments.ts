import {
  arrayValue,
  DuckDBArrayValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBUnionValue,
  type DuckDBValue,
  listValue,
  mapValue,
  structValue,
  unionValue,
} from '@duckdb/node-api';
import { uruguayDateTime } from '../time/days.ts';

/** A moment as DuckDB writes it in the time zone of the lake's database. Its library takes that of the machine. */
class UruguayMoment extends DuckDBTimestampTZValue {
  override toString(): string {
    if (!this.isFinite) return super.toString();
    const offset = offsetSeconds(Number(this.micros / 1000n));
    return `${new DuckDBTimestampValue(this.micros + BigInt(offset) * 1_000_000n)}${offsetText(offset)}`;
  }
}

/** The value, with all moments in it as they are written in Uruguay. */
export function inUruguay(value: DuckDBValue): DuckDBValue {
  if (value instanceof DuckDBTimestampTZValue) return new UruguayMoment(value.micros);
  if (value instanceof DuckDBListValue) return listValue(value.items.map(inUruguay));
  if (value instanceof DuckDBArrayValue) return arrayValue(value.items.map(inUruguay));
  if (value instanceof DuckDBUnionValue) return unionValue(value.tag, inUruguay(value.value));
  if (value instanceof DuckDBMapValue)
    return mapValue(
      value.entries.map((entry) => ({ key: inUruguay(entry.key), value: inUruguay(entry.value) })),
    );
  if (value instanceof DuckDBStructValue)
    return structValue(
      Object.fromEntries(Object.entries(value.entries).map(([name, inner]) => [name, inUruguay(inner)])),
    );
  return value;
}

const TODAYS_OFFSET = -3 * 3600;
const DAY_SECONDS = 86_400;

/** Today's for a year that is not of four digits: no date is parsed there. */
function offsetSeconds(epochMs: number): number {
  const offset = Date.parse(`${uruguayDateTime(epochMs)}Z`) / 1000 - Math.floor(epochMs / 1000);
  return Math.abs(offset) < DAY_SECONDS ? offset : TODAYS_OFFSET;
}

/** `-03`, `-03:30`. Seconds, which none has since 1908, are left out, as by DuckDB. */
function offsetText(seconds: number): string {
  const inMinutes = Math.floor(Math.abs(seconds) / 60);
  const [hours, minutes] = [Math.floor(inMinutes / 60), inMinutes % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${seconds < 0 ? '-' : '+'}${hours}${minutes === '00' ? '' : `:${minutes}`}`;
}
