import { UNREADABLE } from './phrases.ts';
import { type ListTable, type TableRow, textOf, UnreadableTableError, wordsOf } from './table.ts';

/** What a column of a list holds. Net and VAT may be one column each, or one for each rate. */
export type ListField =
  | 'fecha'
  | 'tipo'
  | 'serie'
  | 'numero'
  | 'serieNumero'
  | 'emisor'
  | 'receptor'
  | 'moneda'
  | 'neto'
  | 'netoBasica'
  | 'netoMinima'
  | 'netoGravado'
  | 'netoNoGravado'
  | 'iva'
  | 'ivaBasica'
  | 'ivaMinima'
  | 'total';

export interface Heading {
  row: number;
  cells: TableRow['cells'];
  /** With those that are blank at its end. */
  cellCount: number;
  /** The place of each field's column, from 0. */
  places: ReadonlyMap<ListField, number>;
  /** Their words. */
  names: ReadonlyMap<ListField, string>;
}

/** A heading stands within this many rows that are not blank: a title and the dates come before it. */
const HEADING_WITHIN = 30;
/** No heading is longer. */
const MOST_CHARACTERS = 100;

interface FieldWords {
  field: ListField;
  /** How well words say this field; the first that fits counts. */
  words: readonly (readonly [number, RegExp])[];
  /** Words of columns that are not of this field, whatever else they say. */
  except?: RegExp;
}

const ISSUER = 'emisor|proveedor|vendedor';
const RECIPIENT = 'receptor|cliente|comprador|adquirente';
const NO_DOCUMENT =
  /\b(?:tipo|razon|social|nombre|pais|denominacion|direccion|domicilio|sucursal|suc|codigo|cod|fecha|ciudad)\b/;

/** `RUT Emisor`, `Nro. Doc. Emisor`. */
function documentOf(parties: string): FieldWords['words'] {
  const pair = (words: string) =>
    new RegExp(`\\b(?:${words})\\b.*\\b(?:${parties})\\b|\\b(?:${parties})\\b.*\\b(?:${words})\\b`);
  return [
    [100, pair('rut|ruc')],
    [95, pair('documento|doc|identificacion|numero|nro|id')],
    [20, new RegExp(`^(?:${parties})$`)],
  ];
}

function noDocumentNorOf(otherParties: string): RegExp {
  return new RegExp(`${NO_DOCUMENT.source}|\\b(?:${otherParties})\\b`);
}

const FIELDS: readonly FieldWords[] = [
  {
    field: 'fecha',
    words: [
      [
        100,
        /^(?:fecha|fec|f)(?: de| del)? (?:emision|comprobante|cfe|documento|doc|factura)(?: (?:del? )?(?:cfe|comprobante))?$/,
      ],
      [90, /^fecha$/],
      [60, /^(?:fec|dia|date)$/],
      [20, /^fecha\b/],
    ],
    except:
      /\b(?:firma|recepcion|recibido|vencimiento|venc|vto|hasta|desde|pago|carga|contable|proceso|registro|ingreso|cae|envio|respuesta|referencia|anulacion|valor|hora)\b/,
  },
  {
    field: 'tipo',
    words: [
      [100, /^(?:tipo|codigo|cod)(?: de)?(?: tipo)?(?: de)? (?:cfe|comprobante|comp|cpte)$/],
      [85, /^tipo$/],
      [80, /^tipo(?: de)? (?:documento|doc|dte)$/],
      [70, /^cfe$/],
      [65, /^(?:nombre|descripcion|desc)(?: del?)?(?: tipo)?(?: de)? (?:cfe|comprobante)$/],
      [60, /^comprobante$/],
      [50, /^tipo\b/],
    ],
    except:
      /\b(?:cambio|moneda|emisor|receptor|proveedor|cliente|pago|iva|operacion|traslado|bien|gasto|compra|venta)\b/,
  },
  {
    field: 'serieNumero',
    words: [[100, /^serie(?: y| e)? (?:numero|nro|num|no|n)(?: del?)?(?: cfe| comprobante| documento)?$/]],
  },
  {
    field: 'serie',
    words: [
      [100, /^serie(?: del?)?(?: cfe| comprobante| documento| doc| factura)?$/],
      [60, /^serie\b/],
    ],
    except: /\b(?:cae|referencia|ref|hasta|desde|numero|nro|num|no|n)\b/,
  },
  {
    field: 'numero',
    words: [
      [100, /^(?:numero|nro|num|no|n)(?: de| del)? (?:cfe|comprobante|comp|cpte|factura)$/],
      [97, /^(?:numero|nro|num|no|n)(?: de| del)? (?:documento|doc)$/],
      [98, /^numero$/],
      [90, /^nro$/],
      [85, /^num$/],
      [50, /^folio$/],
      [40, /^(?:numero|nro)\b/],
      // Often a counter: any other column is better.
      [30, /^(?:n|no)$/],
    ],
    except:
      /\b(?:emisor|receptor|proveedor|cliente|sucursal|suc|cae|linea|orden|interno|ruc|rut|asiento|caja|registro|fila|item|referencia|ref|lote|pedido|compra|cuenta|desde|hasta|transaccion|id|serie)\b/,
  },
  {
    field: 'emisor',
    words: [...documentOf(ISSUER), [50, /^(?:rut|ruc)$/], [45, /^(?:numero|nro|n)(?: de)? (?:rut|ruc)$/]],
    except: noDocumentNorOf(RECIPIENT),
  },
  { field: 'receptor', words: documentOf(RECIPIENT), except: noDocumentNorOf(ISSUER) },
  {
    field: 'moneda',
    words: [
      [
        100,
        /^(?:tipo(?: de)? |codigo(?: de)? |cod )?(?:moneda|divisa)(?: (?:del? )?(?:cfe|comprobante|documento))?$/,
      ],
      [60, /^(?:moneda|divisa)\b/],
      [40, /^mon$/],
    ],
    except: /\b(?:cambio|cotizacion|nacional|monto|importe)\b/,
  },
  {
    field: 'netoBasica',
    words: [[100, /^(?=.*\b(?:neto|gravado|base|imponible|imp)\b).*\b(?:basica|basico|22)\b/]],
    except: /\b(?:no gravado)\b/,
  },
  {
    field: 'netoMinima',
    words: [[100, /^(?=.*\b(?:neto|gravado|base|imponible|imp)\b).*\b(?:minima|minimo|10)\b/]],
    except: /\b(?:no gravado)\b/,
  },
  {
    field: 'netoGravado',
    words: [[100, /^(?:monto |importe |total )?(?:(?:neto )?gravado|(?:base )?imponible)$/]],
  },
  { field: 'netoNoGravado', words: [[100, /\b(?:no gravado|exento|exenta)\b/]], except: /\bexportacion\b/ },
  {
    field: 'neto',
    words: [
      [100, /^(?:monto |importe |total )?neto(?: total)?$/],
      [90, /^(?:monto|importe|total) (?:sin|s) iva$|^neto (?:sin|s) iva$/],
      [70, /^(?:subtotal|sub total)$/],
    ],
  },
  {
    field: 'ivaBasica',
    words: [[100, /^(?=.*\biva\b).*\b(?:basica|basico|22)\b/]],
    except: /\b(?:neto|gravado|base|imponible|sin|retenido|ret|percibido)\b|^tasa\b/,
  },
  {
    field: 'ivaMinima',
    words: [[100, /^(?=.*\biva\b).*\b(?:minima|minimo|10)\b/]],
    except: /\b(?:neto|gravado|base|imponible|sin|retenido|ret|percibido)\b|^tasa\b/,
  },
  { field: 'iva', words: [[100, /^(?:monto |importe |total )?(?:de )?iva(?: total| facturado)?$/]] },
  {
    field: 'total',
    words: [
      [
        100,
        /^(?:monto |importe |valor )total(?: (?:del? )?(?:cfe|comprobante|documento|doc|factura|operacion))?$/,
      ],
      [97, /^total (?:del? )?(?:cfe|comprobante|documento|doc|factura|general|operacion)$/],
      [95, /^total$/],
      [
        80,
        /\b(?:total|monto|importe)\b.*\b(?:con|c) iva\b|\b(?:total|monto|importe)\b.*\biva (?:inc|incl|incluido)\b/,
      ],
      [60, /^(?:monto|importe)$/],
      [55, /^(?:monto|importe)(?: del?)? (?:cfe|comprobante|documento|factura)$/],
      [50, /^(?:(?:monto|importe) )?total (?!.*\biva\b)/],
    ],
    except:
      /\b(?:ret|retenid[oa]s?|retencion|retenciones|per|percepcion|percepciones|percibid[oa]s?|pagar|pagado|pago|neto|gravado|exento|credito|fiscal|descuentos?|unidades|cantidad|sin|nacional|pesos|uyu|usd|dolares|items?|lineas|facturable|basica|minima|suspenso|exportacion|saldo)\b/,
  },
];

/** The best heading of a table, and how well it fits; undefined if none of its first rows is one. */
export function headingIn({ rows }: ListTable): (Heading & { score: number }) | undefined {
  let best: (Heading & { score: number }) | undefined;
  for (const row of rows.slice(0, HEADING_WITHIN)) {
    const found = headingOf(row);
    if (found !== undefined && found.score > (best?.score ?? 0)) best = found;
  }
  return best;
}

/** The heading that a row is; undefined if it has no type, series and number. */
export function headingOf({
  row,
  cells,
  cellCount = cells.length,
}: TableRow): (Heading & { score: number }) | undefined {
  const places = new Map<ListField, number>();
  const taken = new Set<number>();
  let score = 0;
  const fits = fitsOf(cells);
  for (const { field, place, score: fitScore } of fits) {
    if (places.has(field) || taken.has(place)) continue;
    places.set(field, place);
    taken.add(place);
    score += fitScore;
  }
  if (places.has('serie') && places.has('numero')) places.delete('serieNumero');
  const hasNumber = places.has('serieNumero') || (places.has('serie') && places.has('numero'));
  if (!places.has('tipo') || !hasNumber) return undefined;
  const names = new Map([...places].map(([field, place]) => [field, textOf(cells[place]).trim()]));
  return { row, cells, cellCount, places, names, score };
}

/** Each column with each field that it may be of, the best first. */
function fitsOf(cells: TableRow['cells']) {
  const fits = cells.flatMap((cell, place) => {
    const words =
      // "% IVA" is a rate, "IVA 22%" an amount.
      typeof cell === 'string' && cell.length <= MOST_CHARACTERS && !/(?<!\d\s?)%/.test(cell)
        ? wordsOf(cell).replace(/\b(?:mnt|mto)\b/g, 'monto')
        : '';
    if (words === '') return [];
    return FIELDS.flatMap(({ field, words: forms, except }) => {
      if (except?.test(words) === true) return [];
      const score = forms.find(([, form]) => form.test(words))?.[0];
      return score === undefined ? [] : [{ field, place, score }];
    });
  });
  return fits.sort((a, b) => b.score - a.score);
}

/** Without them nothing of a receipt would be compared. */
const NEEDED = ['fecha', 'total'] as const;

/** Throws UnreadableTableError if a column is missing, or if two fit as well. */
export function checkHeading(heading: Heading): void {
  const lacking = NEEDED.find((field) => !heading.places.has(field));
  if (lacking !== undefined) throw new UnreadableTableError(UNREADABLE.noColumn(heading.row, lacking));
  const { cells } = heading;
  const fits = fitsOf(cells);
  for (const [field, place] of heading.places) {
    // Where one column has the whole, those by rate are not read.
    if (heading.places.has('neto') && field !== 'neto' && field.startsWith('neto')) continue;
    if (heading.places.has('iva') && field !== 'iva' && field.startsWith('iva')) continue;
    const score = fits.find((fit) => fit.field === field && fit.place === place)?.score;
    const rival = fits.find(
      (fit) =>
        fit.field === field &&
        fit.score === score &&
        fit.place !== place &&
        ![...heading.places.values()].includes(fit.place),
    );
    if (rival === undefined) continue;
    const columns = [place, rival.place].map(
      (column) => `"${textOf(cells[column]).trim()}" (${columnName(column)})`,
    );
    throw new UnreadableTableError(UNREADABLE.twoColumns(heading.row, field, columns.join(', ')));
  }
}

function columnName(place: number): string {
  const letter = String.fromCharCode(65 + (place % 26));
  return place < 26 ? letter : columnName(Math.floor(place / 26) - 1) + letter;
}
