/** The CFE types of the tax authority's table, and how often each occurs. */

/** Share per 1,000 receipts that a shop issues, a wholesaler issues, and a company receives. */
const SHARES: readonly (readonly [code: number, retail: number, wholesale: number, purchases: number])[] = [
  [101, 640, 120, 150],
  [102, 38, 10, 12],
  [103, 4, 2, 2],
  [111, 170, 560, 620],
  [112, 22, 60, 62],
  [113, 4, 12, 14],
  [121, 8, 40, 2],
  [122, 2, 6, 0],
  [123, 1, 2, 0],
  [124, 4, 16, 2],
  [131, 8, 4, 4],
  [132, 2, 1, 1],
  [133, 1, 1, 1],
  [141, 8, 8, 12],
  [142, 2, 2, 3],
  [143, 1, 1, 1],
  [151, 6, 16, 4],
  [152, 2, 2, 1],
  [153, 1, 1, 1],
  [181, 40, 80, 55],
  [182, 18, 40, 30],
  [201, 9, 2, 4],
  [202, 1, 1, 1],
  [211, 5, 10, 14],
  [212, 0, 0, 1],
  [281, 2, 2, 2],
  [282, 1, 1, 1],
];

/** The pattern of types repeats after this many receipts: a share is a count per period. */
export const TYPE_PERIOD = 1000;

export const RETAIL = SHARES.map(([code, retail]) => ({ code, share: retail }));
export const WHOLESALE = SHARES.map(([code, , wholesale]) => ({ code, share: wholesale }));
export const PURCHASES = SHARES.map(([code, , , purchases]) => ({ code, share: purchases }));

/** A contingency type (201) is its ordinary one (101) plus 100. */
export function ordinaryType(code: number): number {
  return code >= 200 ? code - 100 : code;
}

/** 102, 112, 122, …: subtracts from sales although its total is not negative. */
export function isCreditNote(code: number): boolean {
  return ordinaryType(code) % 10 === 2 && ordinaryType(code) !== 182;
}

/** A credit or debit note: it corrects another receipt. */
export function isNote(code: number): boolean {
  return isCreditNote(code) || ordinaryType(code) % 10 === 3;
}

/** The type that a note corrects: 111 for 112. */
export function correctedType(note: number): number {
  return Math.floor(ordinaryType(note) / 10) * 10 + 1;
}

/** e-Ticket and e-Ticket on another's account: the buyer is often unnamed. */
export function isTicket(code: number): boolean {
  const family = Math.floor(ordinaryType(code) / 10);
  return family === 10 || family === 13;
}

export function isExport(code: number): boolean {
  return Math.floor(ordinaryType(code) / 10) === 12;
}

/** e-Remito: goods on the road, no amounts and no currency. */
export function isRemito(code: number): boolean {
  return ordinaryType(code) === 181;
}

/** e-Resguardo: only withheld amounts. */
export function isResguardo(code: number): boolean {
  return ordinaryType(code) === 182;
}

/** Only an export remito may have a negative total. */
export function mayBeNegative(code: number): boolean {
  return ordinaryType(code) === 124;
}

/** 124, 181 and 182 state no payment form. */
export function hasPaymentForm(code: number): boolean {
  return !isRemito(code) && !isResguardo(code) && !mayBeNegative(code);
}

/** A payment is issued as one of these with total 0 and the money in total_pagar. */
export function mayBePayment(code: number): boolean {
  return code === 101 || code === 111 || code === 131 || code === 141;
}

/** The types on another's account carry a fiscal complement. */
export function hasFiscalComplement(code: number): boolean {
  const family = Math.floor(ordinaryType(code) / 10);
  return family === 13 || family === 14;
}
