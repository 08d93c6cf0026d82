/** CFE types of the tax authority's table; a contingency type is its ordinary one plus 100. */
const ORDINARY_TYPES: readonly number[] = [
  101, 111, 182, 181, 112, 102, 121, 141, 131, 151, 103, 113, 122, 123, 124, 132, 133, 142, 143, 152, 153,
];
const CONTINGENCY = 100;

/** Every known type (`TipoComprobante`, the contract §4.1), the common ones first. The set is an open one. */
export const RECEIPT_TYPES: readonly number[] = [
  ...ORDINARY_TYPES,
  ...ORDINARY_TYPES.map((type) => type + CONTINGENCY),
];
