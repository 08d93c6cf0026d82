import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunInput } from '../../lib/run/messages.ts';
import { type CompanyFindings, MOST_DETAIL_BYTES, runEvents } from '../../lib/run/run-event.ts';

const RUN: RunInput = {
  runId: '20261120020000-nocturna',
  runDay: '2026-11-20',
  from: '2026-11-17',
  to: '2026-11-19',
  directions: ['recibidos'],
  companiesAtOnce: 2,
  ruts: [],
};
const NOTHING = { fresh: 0, changed: 0, vanished: 0, rejected: 0, failed: 0 };

const rut = fc.integer({ min: 0, max: 10 ** 9 }).map((number) => String(210_000_000_000 + number));
const companies = fc.uniqueArray(
  fc.record({
    rut,
    fresh: fc.nat(),
    changed: fc.nat(9),
    vanished: fc.nat(1),
    rejected: fc.nat(1),
    failed: fc.nat(1),
  }),
  { selector: (company) => company.rut, maxLength: 60 },
);

function counts({ fresh, changed, vanished, rejected, failed }: Omit<CompanyFindings, 'rut'>) {
  return {
    nuevas: fresh,
    cambiadas: changed,
    desaparecidas: vanished,
    rechazadas: rejected,
    fallidas: failed,
  };
}

describe('the events of a run', () => {
  it('are none where nothing is new, changed, vanished, rejected or failed', () => {
    expect(runEvents('s3://lake', RUN, [])).toEqual([]);
    expect(runEvents('s3://lake', RUN, [{ rut: '219999830019', ...NOTHING }])).toEqual([]);
    for (const name of ['fresh', 'changed', 'vanished', 'rejected', 'failed'] as const) {
      expect(runEvents('s3://lake', RUN, [{ rut: '219999830019', ...NOTHING, [name]: 1 }])).toHaveLength(1);
    }
  });

  it('have each company in one part, in order, however small the parts must be, and in each the totals of all', () => {
    fc.assert(
      fc.property(companies, fc.integer({ min: 700, max: 5_000 }), (findings, mostBytes) => {
        const parts = runEvents('s3://lake', RUN, findings, mostBytes);
        const named = findings.filter(({ rut: _rut, ...rest }) =>
          Object.values(rest).some((number) => number > 0),
        );
        expect(parts.flatMap(({ empresas }) => empresas)).toEqual(
          named.map(({ rut, ...rest }) => ({ rut, ...counts(rest) })),
        );
        for (const [index, part] of parts.entries()) {
          expect(part).toMatchObject({ parte: index + 1, partes: parts.length });
          expect(part.empresas).not.toEqual([]);
          expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThanOrEqual(mostBytes);
          expect(part.total).toEqual({
            empresas: named.length,
            ...counts(
              named.reduce(
                (sum, finding) => ({
                  fresh: sum.fresh + finding.fresh,
                  changed: sum.changed + finding.changed,
                  vanished: sum.vanished + finding.vanished,
                  rejected: sum.rejected + finding.rejected,
                  failed: sum.failed + finding.failed,
                }),
                NOTHING,
              ),
            ),
          });
        }
      }),
    );
  });

  it('of as many companies as a run may have are a few events below the limit, each nearly full', () => {
    const many = Array.from({ length: 17_400 }, (_, index) => ({
      rut: String(210_000_000_000 + index),
      fresh: 1_000_000,
      changed: 1_000_000,
      vanished: 1_000_000,
      rejected: 1_000_000,
      failed: 1_000,
    }));
    const bytes = runEvents('s3://lake', RUN, many).map((part) => Buffer.byteLength(JSON.stringify(part)));
    expect(bytes).toHaveLength(Math.ceil((17_400 * 116) / MOST_DETAIL_BYTES));
    for (const size of bytes) expect(size).toBeLessThan(256_000 - 10_000);
    for (const size of bytes.slice(0, -1)) expect(size).toBeGreaterThan(MOST_DETAIL_BYTES - 200);
  });
});
