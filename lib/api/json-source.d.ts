// JSON.parse source text access (ECMAScript proposal, in V8 since 11.4), not yet in TypeScript's library.
interface JSON {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
}
