const LONGEST_NAME = 60;

/** A name that the API made up: it goes into the audit, the log and the page, so it is short and of plain characters. */
export function printableName(name: string): string {
  return name.slice(0, LONGEST_NAME).replaceAll(/[^\w.-]/g, '?');
}
