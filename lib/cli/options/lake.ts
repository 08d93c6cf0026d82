/** Where the lake is when nobody says. */
export const DEFAULT_LAKE = './lake';
