import { type Answer, amountColumn, countColumn, dateColumn, textColumn } from '../query/answer.ts';
import { WrongInputError } from '../system/errors.ts';
import { htmlText } from '../view/parts.ts';
import { valueIn } from './official/reading.ts';
import { type Difference, decimalOf } from './reconcile-list.ts';
import { ENGLISH, type ReconcileTexts, SPANISH } from './reconcile-texts.ts';

/** Of the cells, as a page has them, which escapes most. An honest row has 70; one of a small workbook may have 2,000. */
const MOST_CHARACTERS = 24 * 2 ** 20;

/** The differences as a table. Throws WrongInputError where they are more than any list's. */
export function differencesAnswer(differences: readonly Difference[], texts: ReconcileTexts): Answer {
  let characters = 0;
  const [kind, day, issuer, type, series, number, currency, total, note, id] = texts.columns;
  return {
    columns: [
      textColumn(kind),
      dateColumn(day),
      textColumn(issuer),
      countColumn(type),
      textColumn(series),
      countColumn(number),
      textColumn(currency),
      amountColumn(total),
      textColumn(note),
      textColumn(id),
    ],
    rows: differences.map((difference) => {
      const row = [
        texts.kinds[difference.kind],
        ...receiptCells(difference),
        noteOf(difference, texts),
        ('receipt' in difference ? difference.receipt?.id : undefined) ?? null,
      ];
      for (const cell of row) characters += htmlText(cell ?? '').length;
      if (characters > MOST_CHARACTERS)
        throw new WrongInputError((language) => (language === 'es' ? SPANISH : ENGLISH).tooMuch);
      return row;
    }),
  };
}

/** What the list says of the receipt and, where it says nothing, what the lake does. */
function receiptCells(difference: Difference): (string | null)[] {
  const official = 'official' in difference ? difference.official : undefined;
  const receipt = 'receipt' in difference ? difference.receipt : undefined;
  const text = (value: string | number | null | undefined) => (value == null ? null : String(value));
  const shown = (value: string | number | null, stored: string | number | null | undefined) =>
    text(value ?? stored);
  if (official === undefined) {
    return receipt === undefined
      ? []
      : [
          receipt.day,
          receipt.issuer,
          text(receipt.type),
          receipt.series,
          text(receipt.number),
          receipt.currency,
          receipt.total === null ? null : decimalOf(receipt.total),
        ];
  }
  const total = valueIn(official.total);
  return [
    shown(valueIn(official.day), receipt?.day),
    shown(valueIn(official.issuer), receipt?.issuer),
    shown(valueIn(official.type), receipt?.type),
    shown(valueIn(official.series), receipt?.series),
    shown(valueIn(official.number), receipt?.number),
    shown(valueIn(official.currency), receipt?.currency),
    // A total that can't be read is not the lake's.
    total === null ? null : decimalOf(total),
  ];
}

function noteOf(difference: Difference, texts: ReconcileTexts): string {
  if (difference.kind === 'only here')
    return texts.standing(difference.receipt.isListed, difference.receipt.status);
  const { row } = difference.official;
  if (difference.kind === 'not compared') {
    return `${texts.notCompared(difference.uncompared)} (${texts.cells(row, difference.uncompared)})`;
  }
  if (difference.kind === 'only there' || difference.kind === 'twice there') return texts.row(row);
  const gone = difference.kind === 'gone' ? [texts.gone(difference.receipt.day)] : [];
  const rejected = difference.kind === 'rejected' ? [texts.rejected] : [];
  const differing = difference.fields.map(({ field, official, stored }) =>
    texts.different(field, official, stored),
  );
  const uncomparedTexts =
    difference.uncompared.length === 0 ? [] : [texts.notCompared(difference.uncompared)];
  return [...gone, ...rejected, ...differing, ...uncomparedTexts].join('; ');
}
