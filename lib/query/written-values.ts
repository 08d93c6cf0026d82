import type { Answer } from './answer.ts';

/** Values of named queries that people read written otherwise: SQL for Athena is ASCII alone. */
const VALUES: readonly (readonly [column: RegExp, values: Readonly<Record<string, string>>])[] = [
  [/^nota$/i, { 'mas de dos decimales': 'más de dos decimales' }],
  [
    /^e[_-]ticket$/i,
    { 'bajo el limite': 'por debajo del límite', 'sobre el limite': 'por encima del límite' },
  ],
  [/^(edad|días)$/i, { '61 o mayor': '61 o más' }],
  [/^situaci[oó]n$/i, { desaparecido: 'ya no figura' }],
  [
    /^cambio$/i,
    {
      ...{ aparecio: 'apareció', reaparecio: 'reapareció', desaparecio: 'desapareció' },
      ...{ movido: 'cambió de fecha', cambio: 'cambió', primera_lectura: 'primera lectura' },
    },
  ],
];

/** The answer as people read it, under its columns' names or their headings. */
export function withWrittenValues({ columns, rows }: Answer): Answer {
  const known = columns.map(({ name }) => VALUES.find(([column]) => column.test(name))?.[1]);
  const written = (value: string | null, place: number) =>
    // A note may have several parts.
    value?.replace(/^[^,]+|(?<=, )[^,]+/g, (part) => known[place]?.[part] ?? part) ?? null;
  return { columns, rows: rows.map((row) => row.map(written)) };
}
