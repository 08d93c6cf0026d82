import type { Value } from '../../../lib/lake/parquet/writer.ts';
import { RECIBIDOS } from '../../../lib/lake/tables.ts';
import type { Row } from './files.ts';

const DAY = BigInt(Date.UTC(2026, 10, 19)) * 1000n;

/** A day of received receipts as a busy company has them: many issuers, each with its own running numbers. */
export function receiptsOfADay(count: number): Row[] {
  const random = randomNumbers(1);
  const pick = <T>(choices: readonly T[]): T | null => choices[Math.floor(random() * choices.length)] ?? null;
  const issuers = Array.from({ length: 300 }, (_, i) => ({
    ruc: `21${String(Math.floor(random() * 1e7)).padStart(7, '0')}001${i % 10}`,
    name: `${pick(['DISTRIBUIDORA', 'FERRETERIA', 'ESTUDIO', 'IMPORTADORA'])} ${i} ${pick(['S.A.', 'LTDA', 'SRL'])}`,
    serie: String.fromCharCode(65 + (i % 26)),
    numero: Math.floor(random() * 5e6),
  }));
  let id = 7_345_678_901_234n;
  return Array.from({ length: count }, (_, i): Row => {
    const issuer = issuers[Math.floor(random() * random() * issuers.length)];
    if (issuer === undefined) throw new RangeError('There is an issuer for every number below 1');
    id += BigInt(1 + Math.floor(random() * random() * 400));
    issuer.numero += 1 + Math.floor(random() * 3);
    const total = BigInt(Math.floor(Math.exp(4 + random() * 6) * 100));
    const given: Record<string, Value> = {
      id,
      rut: '211003420017',
      tipo_comprobante: pick([101, 101, 101, 111, 111, 102, 112]),
      serie: issuer.serie,
      numero: issuer.numero,
      forma_pago: pick([1, 1, 2, null]),
      moneda: pick(['UYU', 'UYU', 'UYU', 'USD']),
      fecha_emision: DAY,
      fecha_firma: DAY + ((BigInt(i) * 54_000n) / BigInt(count)) * 1_000_000n,
      emisor_ruc: issuer.ruc,
      emisor_razon_social: issuer.name,
      receptor_nro_doc: '211003420017',
      receptor_denominacion: 'CADENA DE RETAIL S.A.',
      totales_total: total,
      totales_total_pagar: random() < 0.9 ? total : total + 12n,
      estado_codigo: pick(['AE', 'AE', 'AE', 'BE']),
    };
    return Object.fromEntries(RECIBIDOS.columns.map(({ name }) => [name, given[name] ?? null]));
  });
}

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
