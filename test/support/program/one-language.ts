const WORDS = {
  en: /\b(?:the|of|is|are|it|its|and|with|was|were|give|must|not|that|this|which|have|there|from|your|write)\b/i,
  es: /(?<!\p{L})(?:el|la|los|las|del|que|una|un|con|para|por|se|su|es|son|está|hay|dé|lo|falta)(?!\p{L})/iu,
};

/** The common words of the other language in a text of this one, outside of quotes, options, commands and what others say. */
export function foreignWordsIn(text: string, language: 'en' | 'es'): string | undefined {
  const own = text
    .replace(/npm run .*|^LINE .*|DuckDB dice: .*/gm, '')
    .replace(/"[^"\n]*"|“[^”]*”|«[^»]*»|`[^`]*`|'[^'\n]*'|<[^>]*>|\{.*\}|--[\w-]+|\S*[/.]\S+/g, '');
  return WORDS[language === 'en' ? 'es' : 'en'].exec(own)?.[0];
}
