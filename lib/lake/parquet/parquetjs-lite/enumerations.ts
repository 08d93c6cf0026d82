/** The number that stands for a name in one of the format's enumerations. */
export function numberOf(enumeration: Readonly<Record<string, number>>, name: string): number {
  const number = enumeration[name];
  if (number === undefined) throw new RangeError(`Parquet has no ${name}`);
  return number;
}
