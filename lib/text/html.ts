const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A document as JSON that can stand in a script element: no `<`, so neither `</script>` nor `<!--`. */
export function jsonForScript(document: unknown): string {
  return JSON.stringify(document).replaceAll('<', '\\u003c');
}
