/** Bugs in payment links, and in the e-mails that customers get. */
import { bugs, type Mutant } from './mutant.ts';

const LINK = 'tests/domain/links/payment-link.test.ts';
const PAGES = 'tests/adapters/http/links/link-pages.test.ts';
const MAIL = 'tests/domain/mails/customer-mail.test.ts';
const MAILS = 'tests/journeys/checkout/customer-mails.test.ts';

const LINKS: readonly Mutant[] = [
  ...bugs(
    'src/domain/links/payment-link.ts',
    [LINK],
    [
      ['stock !== null && taken >= stock', 'stock !== null && taken > stock'],
      ['expiresAt.getTime() <= now.getTime()', 'expiresAt.getTime() < now.getTime()'],
      ["if (!active) return 'inactive';", ''],
      ['base === null || base <= 0n || ', 'base === null || '],
      ['link.amountMicros ?? enteredMicros', 'enteredMicros ?? link.amountMicros'],
      ['tipPercent !== 0n && !link.tips.includes(tipPercent)', 'tipPercent < 0n'],
      [
        "tipPercent, 100n, 'ceil')",
        "tipPercent, 100n, 'floor')",
        'a percentage of whole minor units is whole micros, and what has none is rounded up after it',
      ],
      ['micros: base + tipMicros,', 'micros: base,'],
      ['micros <= mostMicros', 'micros < mostMicros'],
      ['micros >= leastMicros', 'micros > leastMicros'],
    ],
  ),
  ...bugs(
    'src/app/links/open-link.ts',
    [PAGES],
    [
      [
        'accessGate(merchant, environmentOf(link)) !== null',
        'accessGate(merchant, environmentOf(link)) === undefined',
      ],
      ["if (state !== 'open') return err({ why: state });", ''],
      ['open >= OPEN_PER_LINK && ', 'open > OPEN_PER_LINK && '],
      ['open >= OPEN_PER_LINK && ', 'open < 0 && '],
      ['if (taken >= link.stock)', 'if (taken > link.stock)'],
      ['deps.queries.takenOfLink(link.id, made.value.id)', 'deps.queries.takenOfLink(link.id, null)'],
      ['        await deps.cancelInvoice(caller, made.value.id, { unchosen: true });\n', ''],
      [
        '(await deps.cancelInvoice(caller, oldest, { unchosen: true })).ok',
        '(await deps.cancelInvoice(caller, oldest, { unchosen: false })).ok',
      ],
      ['link.stock === null ? 0 : deps.queries', 'deps.queries'],
    ],
  ),
  ...bugs(
    'src/app/links/open-link.ts',
    ['tests/adapters/http/links/tills.test.ts'],
    [["link.mode === 'point_of_sale' ? null : linkUrl", 'linkUrl']],
  ),
  ...bugs(
    'src/adapters/postgres/links/payment-links.ts',
    [PAGES, 'tests/adapters/http/links/links.test.ts'],
    [
      ["'expired', 'cancelled', 'failed', 'refunded'", "'cancelled', 'failed', 'refunded'"],
      ['${i.seq} < (select b.seq', '${i.seq} <= (select b.seq'],
      ['      and ${i.asset} is null order by', '      order by'],
      [
        "where ${i.paymentLinkId} = ${linkId} and ${equals(i.status, 'created')}`",
        'where ${i.paymentLinkId} = ${linkId}`',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/http/checkout/links/link-routes.ts',
    [PAGES],
    [
      ['const OPENINGS_PER_MINUTE = 10;', 'const OPENINGS_PER_MINUTE = 11;'],
      ['openings.take(networkOf(pages.callerIp(request)), ', 'openings.take(String(Math.random()), '],
      [
        "if (!isOwnForm(request, of.pages.checkoutUrl)) return refuse({ status: 403, text: 'problemForeign' });",
        '',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/http/checkout/links/link-form.ts',
    [PAGES],
    [
      ['micros === null || micros > MAX_MICROS', 'micros === null'],
      ["(digits[1] ?? '').length > minorDecimals(fiatCurrency)", 'text === null'],
      ["given !== '' || field === 'note'", "given !== ''"],
      ["text.replace(/\\p{Cc}+/gu, ' ').trim()", 'text.trim()'],
    ],
  ),
];

const MAILING: readonly Mutant[] = [
  ...bugs(
    'src/domain/mails/customer-mail.ts',
    [MAIL],
    [
      ["if (outcome === 'sent') return { ...mail, status: 'sent' };", "if (outcome === 'sent') return mail;"],
      ['>= GIVEN_UP_AFTER_MS', '> GIVEN_UP_AFTER_MS'],
      ["outcome !== 'unreachable' || over", 'over'],
      ['2 ** Math.min(mail.tries, 16)', 'mail.tries'],
      ["typeof email !== 'string' || !isEmailAddress(email)", "typeof email !== 'string'"],
    ],
  ),
  ...bugs(
    'src/app/mails/send-mails.ts',
    ['tests/app/mails/send-mails.test.ts', MAILS],
    [
      ['if (deps.clock.now() >= until) break;', ''],
      ['if (bugs.length > 0) throw bugs[0];', ''],
      ["return 'unreachable';", "return 'refused';"],
      ["if (content === null) return 'obsolete';", "if (content === null) return 'unreachable';"],
    ],
  ),
  ...bugs(
    'src/app/mails/queue-mail.ts',
    [MAILS],
    [
      [
        'customerMails.isOn ? customerContact(payerInfo) : null',
        'customerContact(payerInfo)',
        'the repository holds the same rule',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/mails/customer-mails.ts',
    [MAILS],
    [
      ["\n    where ${equals(m.failure, 'obsolete')}`", '`'],
      ["where ${equals(m.failure, 'obsolete')}`", "where ${equals(m.failure, 'refused')}`"],
      ['if (isOn) await QUEUE(on, mail);', 'await QUEUE(on, mail);'],
      [
        "where ${equals(m.status, 'queued')} and ${m.dueAt} <= ${now}",
        "where ${equals(m.status, 'queued')} and ${now} is not null",
      ],
      ["where ${equals(m.status, 'queued')} and ${m.dueAt} <= ${now}", 'where ${m.dueAt} <= ${now}'],
    ],
  ),
  ...bugs(
    'src/adapters/http/checkout/mails/mail-writer.ts',
    [MAILS],
    [
      ['found === null || !isClaimable(found.claim, clock.now())', 'found === null'],
      ['(await queries.hasLatePayment(mail.invoiceId))', 'mail.invoiceId !== null'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/checkout/checkout-queries.ts',
    ['tests/adapters/postgres/queries.test.ts'],
    [
      [" and ${equals(d.strayReason, 'invoice_closed')}", ''],
      ["${equals(d.status, 'stray')} and ${equals(d.strayReason", '${equals(d.strayReason'],
    ],
  ),
  ...bugs(
    'src/app/deposits/deposit-lifecycle.ts',
    [MAILS],
    [["if (strayReason === 'invoice_closed') await tellLateCustomer(deps, repositories, deposit);", '']],
  ),
  ...bugs(
    'src/app/invoices/invoice-events.ts',
    [MAILS],
    [
      [
        '    if (isComplete(snapshot)) await queueMail(',
        '    await queueMail(',
        'a receipt before the payment is complete is obsolete, and is queued again then',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/http/kit/documents/pdf.ts',
    ['tests/adapters/http/checkout/receipt.test.ts'],
    [
      ['!FOREIGN.test(text) &&\n', ''],
      ["text.replace(UNSEEN, '')", 'text'],
      ['each.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)', 'each !== null && character !== null'],
      [".replace(/[^\\P{Cc}\\n]/gu, ' ')", ''],
    ],
  ),
];

export const LINK_MUTANTS: readonly Mutant[] = [...LINKS, ...MAILING];
