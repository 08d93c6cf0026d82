const LONGEST_NAME = 60;

/** A name that the API made up: it goes into the audit, the log and the page, so it is short and of plain characters. */
export function printableName(name: string): string {
  return name.slice(0, LONGEST_NAME).replaceAll(/[^\w.-]/g, '?');
}

/** The tax authority's have at most 150 characters. */
const LONGEST_COMPANY_NAME = 200;

/** A company's name, which may be what the API says, as pages, messages and closes have it. */
export function shortCompanyName(name: string): string {
  if (name.length <= LONGEST_COMPANY_NAME) return name;
  return `${name.slice(0, LONGEST_COMPANY_NAME - 1).toWellFormed()}…`;
}
