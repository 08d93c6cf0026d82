import { amountsOf, totalsOf } from './amounts.ts';
import { localText } from './calendar.ts';
import { currency, externalId, paymentForm, recipientOf } from './contents.ts';
import { hashText, mix } from './hash.ts';
import { issuedNumbering } from './numbering.ts';
import { customersOf, localCompany } from './parties.ts';
import { dayFacts, type ListOwner, type ReceiptList, type World } from './receipt-list.ts';
import { authorityStatus, recipientStatus } from './statuses.ts';
import { appearedBy, fractionText, issuedAt, nothingAfter, nothingBefore } from './timing.ts';

/** The receipts that a company issues: numbered without gaps, in its list the moment they are signed. */
export function issuedList(owner: ListOwner, world: World): ReceiptList {
  const { company, position } = owner;
  const factsOf = dayFacts(owner, 'emitidos', world);
  const issuer = localCompany(company.rut, company.name);
  const customerOf = customersOf(position);
  const numbering = issuedNumbering(
    mix(hashText(company.rut), world.seed),
    position % 2 === 0,
    world.numberingGaps,
  );

  return {
    rut: company.rut,
    direction: 'emitidos',
    numbering,
    appeared(day, now) {
      const { count, seed } = factsOf(day);
      if (now >= nothingAfter(day)) return count;
      if (now < nothingBefore(day)) return 0;
      return appearedBy(now, count, (index) => issuedAt({ day, index, count, hash: mix(seed, index) }));
    },
    typeAt: (day, index) => numbering.streamOf(factsOf(day).before + index).type,
    receipt(day, index, now) {
      const facts = factsOf(day);
      const chance = mix(facts.seed, index);
      const sequence = facts.before + index;
      const { stream, serie, numero } = numbering.fiscalNumber(sequence);
      const type = stream.type;
      const signedAt = issuedAt({ day, index, count: facts.count, hash: chance });
      const receptor = recipientOf(type, chance, customerOf);
      const amounts = amountsOf(type, chance, world.hasLongAmounts);
      const totals = totalsOf(type, amounts);
      const rules = world.rules();
      const isNamed = receptor !== null;
      const answers = receptor?.documentType === 2;
      return {
        id: facts.firstId + BigInt(index),
        rut: company.rut,
        direction: 'emitidos',
        day: facts.text,
        index,
        tipo_comprobante: type,
        serie,
        numero,
        forma_pago: paymentForm(type, chance),
        moneda: currency(type, chance),
        fecha_emision: facts.issued,
        fecha_firma: localText(signedAt) + fractionText(signedAt, chance),
        emisor: issuer,
        receptor,
        amounts,
        total: totals.total,
        total_pagar: totals.totalPagar,
        estado: null,
        estado_receptor: recipientStatus(chance, { answers, signedAt }, now, rules),
        estado_dgi: authorityStatus(chance, { type, isNamed, signedAt }, now, rules),
        id_externo: externalId(facts.text, index, chance),
        sucursal: stream.branch,
        chance,
        sequence,
      };
    },
  };
}
