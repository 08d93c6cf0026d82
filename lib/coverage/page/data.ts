import type { PackedCalendars, PackedDetails, PackedIndex } from '../html/packed.ts';
import type { Texts } from '../texts/texts.ts';

/** The page's data. A company's texts are unpacked when needed; only the last details are kept. */
export class PageData {
  readonly index: PackedIndex;
  /** The page's texts in the language shown. */
  words: Texts;
  private readonly companyTexts: readonly string[];
  private lastDetails: { company: number; details: Promise<PackedDetails> } | undefined;

  constructor(words: Texts) {
    this.words = words;
    this.index = JSON.parse(textOf('index'));
    this.companyTexts = textOf('texts').split('\n');
  }

  /** The calendars of the company with this index. */
  calendars(company: number): Promise<PackedCalendars> {
    return this.open(2 * company);
  }

  details(company: number): Promise<PackedDetails> {
    if (this.lastDetails?.company !== company) {
      this.lastDetails = { company, details: this.open(2 * company + 1) };
    }
    return this.lastDetails.details;
  }

  private async open<Document>(place: number): Promise<Document> {
    const bytes = Uint8Array.from(atob(this.companyTexts[place] ?? ''), (character) =>
      character.charCodeAt(0),
    );
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return await new Response(stream).json();
  }
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}
