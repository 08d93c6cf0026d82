import { describe, expect, it } from 'vitest';
import { isWritten } from '../../lib/lake/layout.ts';
import { isNight } from '../../lib/run/messages.ts';
import { readRunRequest } from '../../lib/run/run-request.ts';
import { type Day, FIRST_DAY } from '../../lib/time/days.ts';

/** 2026-11-20T03:30 in Uruguay. */
const NOW = Date.parse('2026-11-20T06:30:00Z');
const A = '211003420017';
const B = '219999830019';

const SCHEDULED = {
  origen: 'programado',
  nombre: 'nocturna',
  direcciones: ['recibidos'],
  dias: 3,
  programado: '2026-11-20T05:00:00Z',
  ejecucion: 'd32c5kddcf5bb8c3',
};

describe('a scheduled event', () => {
  it('asks for the days before the one that it was due on, in Uruguay', () => {
    expect(readRunRequest(SCHEDULED, NOW, FIRST_DAY)).toEqual({
      run: { id: '20261120020000-nocturna', day: '2026-11-20' },
      from: '2026-11-17',
      to: '2026-11-19',
      directions: ['recibidos'],
    });
  });

  it('means the same days however late it comes', () => {
    const sixHoursLater = NOW + 6 * 3_600_000;
    expect(readRunRequest(SCHEDULED, sixHoursLater, FIRST_DAY)).toEqual(
      readRunRequest(SCHEDULED, NOW, FIRST_DAY),
    );
  });

  it('takes the day of Uruguay, not of UTC', () => {
    const beforeMidnight = { ...SCHEDULED, programado: '2026-11-20T02:59:00Z' };
    expect(readRunRequest(beforeMidnight, NOW, FIRST_DAY)).toMatchObject({
      run: { day: '2026-11-19' },
      to: '2026-11-18',
    });
  });

  it('is the same run when it is delivered again, and another one for another moment', () => {
    const id = (changes: object) => readRunRequest({ ...SCHEDULED, ...changes }, NOW, FIRST_DAY).run.id;
    expect(id({ ejecucion: 'another-attempt' })).toBe(id({}));
    expect(id({ programado: '2026-11-20T04:00:00Z' })).not.toBe(id({}));
  });

  it('makes a name that an execution may have, by which a night is known', () => {
    const { id } = readRunRequest(SCHEDULED, NOW, FIRST_DAY).run;
    expect(id).toMatch(/^[\w-]{1,80}$/);
    expect(isWritten(`exportaciones/fecha_corrida=2026-11-20/${id}.parquet`)).toBe(true);
    expect(isNight(id)).toBe(true);
  });

  it('asks for more days on one day of the week', () => {
    const from = (day: string, dia: string) => {
      const event = { ...SCHEDULED, programado: `${day}T05:00:00Z`, semanal: { dia, dias: 65 } };
      return readRunRequest(event, Date.parse(event.programado), FIRST_DAY).from;
    };
    // The 22nd is a Sunday.
    expect(from('2026-11-22', 'SUN')).toBe('2026-09-18');
    expect(from('2026-11-21', 'SUN')).toBe('2026-11-18');
    expect(from('2026-11-21', 'SAT')).toBe('2026-09-17');
    expect(() => from('2026-11-22', 'DOM')).toThrow('semanal.dia');
  });

  it('asks for its share of older days besides, however late it comes', () => {
    const deep = { ...SCHEDULED, edades: { desde: 66, hasta: 400 } };
    for (const lateMs of [0, 6 * 3_600_000]) {
      expect(readRunRequest(deep, NOW + lateMs, FIRST_DAY)).toMatchObject({
        from: '2026-11-17',
        to: '2026-11-19',
        older: { from: '2026-01-17', to: '2026-01-27' },
      });
    }
    const tooFew = { ...deep, edades: { desde: 66, hasta: 95 } };
    expect(() => readRunRequest(tooFew, NOW, FIRST_DAY)).toThrow('edades must be at least 31 ages');
  });

  it.each([
    ['a minute from now', '2026-11-20T06:31:00Z', 'in the future'],
    ['a day and a minute ago', '2026-11-19T06:29:00Z', 'more than a day ago'],
    ['a day that does not exist', '2026-02-30T05:00:00Z', 'programado'],
  ])('uses up no other run: it is refused when due %s', (_, programado, message) => {
    for (const event of [SCHEDULED, { ...SCHEDULED, edades: { desde: 66, hasta: 400 } }]) {
      const reading = () => readRunRequest({ ...event, programado }, NOW, FIRST_DAY);
      expect(reading).toThrow(expect.objectContaining({ name: 'MessageError' }));
      expect(reading).toThrow(message);
    }
  });

  it('asks for no day before firstDay, and is refused if all are', () => {
    const read = (changes: object, firstDay: Day) =>
      readRunRequest({ ...SCHEDULED, ...changes }, NOW, firstDay);
    expect(read({}, '2026-11-18')).toMatchObject({ from: '2026-11-18', to: '2026-11-19' });
    expect(read({ dias: 65 }, '2026-11-19')).toMatchObject({ from: '2026-11-19', to: '2026-11-19' });
    const deep = { edades: { desde: 66, hasta: 400 } };
    expect(read(deep, '2026-01-20').older).toEqual({ from: '2026-01-20', to: '2026-01-27' });
    expect(read(deep, '2026-01-28').older).toBeUndefined();
    for (const [changes, firstDay] of [
      [{}, '2026-11-20'],
      [{ dias: 3_660 }, '2027-01-01'],
    ] as const) {
      expect(() => read(changes, firstDay)).toThrow(`before ${firstDay}, the stack's setting firstDay`);
    }
  });

  it.each([
    [{ dias: 0 }, 'dias'],
    [{ dias: 1.5 }, 'dias'],
    [{ direcciones: [] }, 'direcciones must name recibidos, emitidos or both'],
    [{ direcciones: ['ambos'] }, 'direcciones.0 must be recibidos or emitidos'],
    [{ nombre: 'Con Espacios' }, 'nombre must be nocturna'],
    [
      { programado: '<aws.scheduler.scheduled-time>' },
      'programado must be a moment such as 2026-11-20T05:00:00Z',
    ],
    [{ programado: undefined }, 'programado is missing'],
    [{ origen: 'otro' }, 'origen must be "programado"'],
  ])('is refused with %j', (changes, message) => {
    expect(() => readRunRequest({ ...SCHEDULED, ...changes }, NOW, FIRST_DAY)).toThrow(message);
  });
});

describe('an event by hand', () => {
  it('asks for a range of days, of all companies and both directions unless it says which', () => {
    const request = readRunRequest({ desde: '2026-01-01', hasta: '2026-03-31' }, NOW, FIRST_DAY);
    expect(request).toMatchObject({
      from: '2026-01-01',
      to: '2026-03-31',
      directions: ['recibidos', 'emitidos'],
    });
    expect(request.ruts).toBeUndefined();
    expect(request.run).toEqual({
      id: expect.stringMatching(/^20261120033000-[0-9a-f]{8}$/),
      day: '2026-11-20',
    });
  });

  it('takes companies and directions, each once', () => {
    const event = {
      desde: '2026-01-01',
      hasta: '2026-01-01',
      ruts: [B, A, B],
      direcciones: ['emitidos', 'emitidos'],
    };
    expect(readRunRequest(event, NOW, FIRST_DAY)).toMatchObject({ ruts: [A, B], directions: ['emitidos'] });
  });

  it('asks for details of some directions, or leaves that to the settings', () => {
    const days = { desde: '2026-01-01', hasta: '2026-01-01' };
    const both = { ...days, detalles: ['emitidos', 'recibidos', 'emitidos'] };
    expect(readRunRequest(both, NOW, FIRST_DAY).details).toEqual(['recibidos', 'emitidos']);
    expect(readRunRequest(days, NOW, FIRST_DAY).details).toBeUndefined();
  });

  it('is another run each time, of no schedule', () => {
    const event = { desde: '2026-01-01', hasta: '2026-01-01' };
    expect(isNight(readRunRequest(event, NOW, FIRST_DAY).run.id)).toBe(false);
    expect(readRunRequest(event, NOW, FIRST_DAY).run.id).not.toBe(
      readRunRequest(event, NOW, FIRST_DAY).run.id,
    );
  });

  const whole = { desde: '2026-01-01', hasta: '2026-01-31' };

  it('takes at most 5,000 RUTs, and looks at none of more', () => {
    const ask = (length: number, rut: unknown) =>
      readRunRequest({ ...whole, ruts: Array.from({ length }, () => rut) }, NOW, FIRST_DAY);
    expect(ask(5_000, A).ruts).toEqual([A]);
    expect(() => ask(400_000, {})).toThrow(/ruts must name at most 5000: start several runs.*all\.$/);
  });

  it.each([
    [undefined, 'it is missing'],
    ['2026-01-01', 'it must be an object'],
    [{}, 'desde is missing; hasta is missing'],
    [{ desde: '2026-01-01' }, 'hasta is missing'],
    [{ ...whole, desde: '2026-02-30' }, 'desde must be a day that exists, such as 2026-01-31'],
    [{ ...whole, desde: 20260101 }, 'desde must be text'],
    [{ ...whole, desde: '2026-02-01' }, 'hasta (2026-01-31) is before desde (2026-02-01)'],
    [{ ...whole, hasta: '2027-02-01' }, 'hasta (2027-02-01) is after 2027-01-19, the last day with receipts'],
    [{ ...whole, desde: '2015-01-01' }, 'days are more than the 3660 of one run: ask for them in parts'],
    [
      { ...whole, desde: '2011-12-31' },
      "desde (2011-12-31) is before 2012-01-01, the stack's setting firstDay: Athena would not see it",
    ],
    [{ ...whole, ruts: [] }, 'ruts must name a RUT, or be left out for all'],
    [{ ...whole, ruts: ['210303670014'] }, 'ruts.0 must be a valid RUT: 12 digits with the check digit'],
    [{ ...whole, fuente: 'otra' }, 'fuente must be mudada or adoptada'],
    [{ ...whole, ruts: Array.from({ length: 22 }, () => 'x') }, 'and 2 more'],
    [{ ...whole, direcciones: [] }, 'direcciones must name recibidos, emitidos or both'],
    [{ ...whole, detalles: [] }, 'detalles must name recibidos, emitidos or both'],
    [{ ...whole, detalles: true }, 'detalles must be a list'],
    [
      { ...whole, direcciones: ['recibidos'], detalles: ['emitidos'] },
      'detalles names emitidos, which direcciones does not',
    ],
    [{ ...whole, rut: A }, 'rut is not known: check for a typing error'],
  ])('is refused when it is %j', (event, message) => {
    let error: unknown;
    try {
      readRunRequest(event, NOW, FIRST_DAY);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ name: 'MessageError' });
    expect(String(error)).toContain(message);
  });
});
