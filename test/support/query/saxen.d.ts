declare module 'saxen' {
  type Decode = (text: string) => string;

  export class Parser {
    on(
      event: 'openTag',
      told: (name: string, attributes: () => Record<string, string>, decode: Decode) => void,
    ): this;
    on(event: 'closeTag', told: (name: string) => void): this;
    on(event: 'text', told: (text: string, decode: Decode) => void): this;
    on(event: 'error', told: (error: Error) => void): this;
    parse(xml: string): this;
  }
}
