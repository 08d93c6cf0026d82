import type { SandboxReceipt } from '../generator/receipt.ts';
import type { ChoiceField } from './parameters.ts';
import type { Choice, ListQuery } from './query.ts';

/** Which receipts of a day range a query selects. */
export interface Filter {
  /** Two queries with the same key select the same rows. */
  key: string;
  /** Whether what it selects may change with the clock, as statuses do. */
  isByStatus: boolean;
  /** Set when the type alone decides: much cheaper than making the receipt. */
  matchesType: ((type: number) => boolean) | undefined;
  matches(receipt: SandboxReceipt): boolean;
}

export interface FilterRules {
  signatureUpperBound: 'inclusive' | 'exclusive';
}

/** The filter of a query, or undefined when it selects every row of its days. */
export function filterOf(query: ListQuery, rules: FilterRules): Filter | undefined {
  const { signedFrom, signedTo, idExterno, numberFrom, numberTo, choices } = query;
  const bounds = [signedFrom, signedTo, idExterno, numberFrom, numberTo];
  const hasBounds = bounds.some((bound) => bound !== undefined);
  if (!hasBounds && choices.length === 0) return undefined;
  const isByTypeOnly = !hasBounds && choices.every((choice) => choice.field === 'tipo_comprobante');
  return {
    key: JSON.stringify([bounds, choices]),
    isByStatus: choices.some((choice) => choice.field.startsWith('estado')),
    matchesType: isByTypeOnly ? (type) => choices.every((choice) => admits(choice, String(type))) : undefined,
    matches: (receipt) =>
      (numberFrom === undefined || receipt.numero >= numberFrom) &&
      (numberTo === undefined || receipt.numero <= numberTo) &&
      (idExterno === undefined || receipt.id_externo === idExterno) &&
      (signedFrom === undefined || receipt.fecha_firma.slice(0, 19) >= signedFrom) &&
      (signedTo === undefined || isSignedBefore(receipt.fecha_firma, signedTo, rules)) &&
      choices.every((choice) => isChosen(choice, receipt)),
  };
}

/** The second is compared first; within the bound's own second only a signature without fraction is at the bound. */
function isSignedBefore(signature: string, bound: string, rules: FilterRules): boolean {
  const second = signature.slice(0, 19);
  if (second !== bound) return second < bound;
  return rules.signatureUpperBound === 'inclusive' && !/[1-9]/.test(signature.slice(19));
}

function isChosen(choice: Choice, receipt: SandboxReceipt): boolean {
  if (choice.field === 'emisor' || choice.field === 'receptor') {
    const searched = receipt[choice.field]?.searchText ?? '';
    return choice.values.some((value) => searched.includes(value.toLowerCase())) !== choice.isExcluded;
  }
  return admits(choice, codeOf(receipt, choice.field));
}

function admits(choice: Choice, code: string | null): boolean {
  return (code !== null && choice.values.includes(code)) !== choice.isExcluded;
}

function codeOf(receipt: SandboxReceipt, field: Exclude<ChoiceField, 'emisor' | 'receptor'>): string | null {
  switch (field) {
    case 'tipo_comprobante':
    case 'sucursal':
      return String(receipt[field]);
    default:
      return receipt[field];
  }
}
