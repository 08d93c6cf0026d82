import type { DayState } from '../coverage/day-state.ts';
import type { Answer } from '../query/answer.ts';
import { addDays, CHANGING_DAYS } from '../time/days.ts';
import type { AnsweredPart, ReportDay } from './read-report.ts';
import { counted, dayText } from './words.ts';

/** Whether the month may be called complete, and what to look into. */
export interface Verdict {
  /** incomplete: something is not there. open: all is there and may still change. complete: read when it was settled. */
  state: 'incomplete' | 'open' | 'complete';
  sentence: string;
  /** Worst first; `anchor` is the part that shows it. */
  concerns: readonly { text: string; anchor: string }[];
}

/** Days that are not whole, the worst first. */
export const TROUBLE: readonly DayState[] = ['missing', 'failed', 'unstable', 'aged'];

const DAY_WORDS: Readonly<Partial<Record<DayState, readonly [one: string, many: string]>>> = {
  missing: ['nunca se leyó', 'nunca se leyeron'],
  failed: ['falló en su última lectura', 'fallaron en su última lectura'],
  unstable: ['cambió en cada lectura', 'cambiaron en cada lectura'],
  aged: [
    `se leyó por última vez antes de cumplir ${CHANGING_DAYS} días`,
    `se leyeron por última vez antes de cumplir ${CHANGING_DAYS} días`,
  ],
};

interface Month {
  days: readonly ReportDay[];
  parts: readonly AnsweredPart[];
  from: string;
  to: string;
  today: string;
  /** Whether the tables lack something that was exported; undefined where that could not be told. */
  isLagging: boolean | undefined;
}

const LAGGING =
  'Hay días exportados que las tablas todavía no tienen: una exportación está en marcha, o se interrumpió (publish)';
const LAG_UNKNOWN = 'No se pudo saber si las tablas tienen todo lo exportado';

export function verdictOf({ days, parts, from, to, today, isLagging }: Month): Verdict {
  const dayConcerns = TROUBLE.flatMap((state) => {
    const [one = '', many = ''] = DAY_WORDS[state] ?? [];
    const count = days.filter((day) => day.state === state).length;
    return concernOf(
      'dias',
      count,
      `día de emitidos o recibidos ${one}`,
      `días de emitidos o recibidos ${many}`,
    );
  });
  const lagConcerns =
    isLagging === false ? [] : [{ text: isLagging === true ? LAGGING : LAG_UNKNOWN, anchor: 'dias' }];
  const concerns = [...dayConcerns, ...lagConcerns, ...countConcerns(parts), ...parts.flatMap(partConcern)];
  if (today <= to) {
    return { state: 'incomplete', sentence: `El mes no terminó: va hasta el ${dayText(to)}.`, concerns };
  }
  if (dayConcerns.length > 0) {
    return {
      state: 'incomplete',
      sentence: 'El mes no está completo: hay días que no están enteros.',
      concerns,
    };
  }
  if (isLagging !== false) {
    const reason =
      isLagging === true ? 'las tablas no tienen todo lo exportado' : 'no se sabe si las tablas están al día';
    return { state: 'incomplete', sentence: `El mes no puede darse por completo: ${reason}.`, concerns };
  }
  if (days.some(({ state }) => state === 'open')) {
    const settled = dayText(addDays(to, CHANGING_DAYS));
    const sentence = `El mes está leído entero y todavía puede cambiar: sus días, desde el ${dayText(from)}, se vuelven a leer hasta el ${settled}.`;
    return { state: 'open', sentence, concerns };
  }
  return {
    state: 'complete',
    sentence: `El mes está completo: cada día se leyó cuando ya habían pasado ${CHANGING_DAYS} días.`,
    concerns,
  };
}

type Concern = Verdict['concerns'][number];

function partConcern({ part, answer }: AnsweredPart): Concern[] {
  const count = answer?.rows.length ?? 0;
  return part.concern === undefined ? [] : concernOf(part.id, count, ...part.concern);
}

function concernOf(anchor: string, count: number, one: string, many: string): Concern[] {
  return count === 0 ? [] : [{ text: counted(count, one, many), anchor }];
}

/** What is counted in the parts: sums that are not whole, and answers that did not come. */
function countConcerns(parts: readonly AnsweredPart[]): Concern[] {
  const sum = (ids: readonly string[], column: string) => sumOf(parts, ids, column);
  return [
    ...concernOf(
      'iva',
      sum(['iva'], 'Sin desglose'),
      'comprobante sin desglose de IVA: las sumas de IVA no están enteras',
      'comprobantes sin desglose de IVA: las sumas de IVA no están enteras',
    ),
    ...concernOf(
      'iva',
      sum(['iva'], 'Por revisar'),
      'comprobante con IVA por revisar',
      'comprobantes con IVA por revisar',
    ),
    ...concernOf(
      'ventas',
      sum(['ventas', 'compras'], 'Sin monto'),
      'comprobante sin un total que entre en su columna',
      'comprobantes sin un total que entre en su columna',
    ),
    ...concernOf(
      'sin-respuesta',
      sum(['sin-respuesta'], 'Cantidad'),
      'respuesta que falta, de la DGI o de un receptor',
      'respuestas que faltan, de la DGI o de receptores',
    ),
  ];
}

function sumOf(parts: readonly AnsweredPart[], ids: readonly string[], column: string): number {
  return parts
    .filter(({ part }) => ids.includes(part.id))
    .flatMap(({ answer }) => (answer === undefined ? [] : columnOf(answer, column)))
    .reduce((sum, text) => sum + Number(text ?? 0), 0);
}

/** A column's values, by its name. */
export function columnOf({ columns, rows }: Answer, name: string): (string | null)[] {
  const index = columns.findIndex((column) => column.name === name);
  return rows.map((row) => row[index] ?? null);
}
