/** The samples of a document in TypeScript. */
export function samplesOf(document: string): string[] {
  return [...document.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
}
