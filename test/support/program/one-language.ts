const WORDS = {
  en: /\b(?:the|of|is|are|it|its|and|with|was|were|give|must|not|that|this|which|have|there|from|your|write)\b/i,
  es: /(?<!\p{L})(?:el|la|los|las|del|que|una|un|con|para|por|se|su|es|son|está|hay|dé|lo|falta)(?!\p{L})/iu,
};

/** A command or an option under its English name, in a text for whoever reads Spanish: files and quotes may be so called. */
export function englishNameIn(text: string): string | undefined {
  return /(?<![\w./",\\-])(?:export|missing|query|report|close|reconcile|rates|verify|companies)(?![\w./":,])|--(?:month|from|to|out|date|companies|lists|accept|close|help|for-client)(?![\w-])/.exec(
    text,
  )?.[0];
}

/** The common words of the other language in a text of this one, outside of quotes, options, commands and what others say. */
export function foreignWordsIn(text: string, language: 'en' | 'es'): string | undefined {
  const ownText = text
    .replace(/npm run .*|^LINE .*|DuckDB dice: .*/gm, '')
    .replace(/"[^"\n]*"|“[^”]*”|«[^»]*»|`[^`]*`|'[^'\n]*'|<[^>]*>|\{.*\}|--[\w-]+|\S*[/.]\S+/g, '');
  return WORDS[language === 'en' ? 'es' : 'en'].exec(ownText)?.[0];
}
