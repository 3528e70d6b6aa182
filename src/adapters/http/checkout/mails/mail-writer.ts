/** Writes the e-mails to customers, in their language, as text and as HTML without pictures. */
import type { Application } from '../../../../app/application.ts';
import type { CustomerMail } from '../../../../domain/mails/customer-mail.ts';
import { isEmailAddress } from '../../../../domain/merchants/brand.ts';
import { isClaimable } from '../../../../domain/payouts/refund-claim.ts';
import type { Brand } from '../../../../ports/checkout/checkout-queries.ts';
import type { MailContent, MailWriter } from '../../../../ports/mails/mailer.ts';
import type { Clock } from '../../../../ports/runtime/clock.ts';
import { type CheckoutSources, checkoutSources } from '../data.ts';
import { NO_TILL } from '../links/till-cookie.ts';
import { frameIn, known } from '../messages/language-of-request.ts';
import { directionOf, type Language } from '../messages/languages.ts';
import { Translator } from '../messages/translator.ts';
import { html } from '../page/html.ts';
import { type Receipt, receiptOf } from '../receipt/receipt.ts';
import { canBePdf, receiptPdf } from '../receipt/receipt-pdf.ts';
import type { CheckoutView } from '../view.ts';
import { viewReader } from '../view-reader.ts';

interface WriterParts {
  readonly application: Application;
  readonly clock: Clock;
  readonly checkoutUrl: string;
  readonly sources?: Partial<CheckoutSources>;
}

/** A line of a letter: words, or a link under its words. */
type Line = string | { readonly words: string; readonly url: string };

interface Letter {
  readonly subject: string;
  readonly lines: readonly Line[];
  readonly attachments?: MailContent['attachments'];
}

/** An e-mail needs no files of the page. */
const NO_ASSETS = { style: '', script: '', icon: '', receipt: '', link: '', wallets: '' };

export function mailWriter({ application, clock, checkoutUrl, sources }: WriterParts): MailWriter {
  const readView = viewReader({ application, clock, sources: checkoutSources(application, sources) });
  const { queries } = application;

  /** Without a language of the customer's in the merchant's. */
  async function viewOf(mail: CustomerMail, named: Language | null): Promise<CheckoutView | null> {
    const invoice = await queries.invoice(mail, mail.invoiceId);
    if (invoice === null) return null;
    const frame = frameIn(named, (language) => ({
      ...{ home: `${checkoutUrl}/checkout`, tongue: new Translator(language), switched: language },
      ...{ assets: NO_ASSETS, till: NO_TILL },
    }));
    return readView(frame, invoice.externalId, null);
  }

  async function claimLetter(
    view: CheckoutView,
    { merchantId, sandbox, ...mail }: CustomerMail,
  ): Promise<Letter | null> {
    const found = await queries.refundClaim({ merchantId, sandbox }, mail.refundClaimId ?? '');
    if (found === null || !isClaimable(found.claim, clock.now())) return null;
    const { claim } = found;
    const { tongue, brand, catalog } = view;
    const amount = tongue.amount(claim.units, catalog.require(claim.asset));
    const url = `${application.claimUrl(claim.id)}?lang=${tongue.language}`;
    return {
      subject: tongue.text('mailRefundSubject', { merchant: nameOf(brand) }),
      lines: [tongue.text('mailRefundText', { amount }), { words: tongue.plain('refundTitle'), url }],
    };
  }

  return {
    async write(mail) {
      const view = await viewOf(mail, known(mail.language));
      if (view === null) return null;
      const letter =
        mail.kind === 'refund'
          ? await claimLetter(view, mail)
          : mail.kind === 'receipt'
            ? await receiptLetter(view)
            : (await queries.hasLatePayment(mail.invoiceId))
              ? lateLetter(view)
              : null;
      return letter === null ? null : contentOf(view, letter);
    },
  };
}

/** Null once the invoice is not complete any more. */
async function receiptLetter(view: CheckoutView): Promise<Letter | null> {
  const receipt = receiptOf(view);
  if (receipt === null) return null;
  const { tongue, brand, invoice, home } = view;
  const line = ({ name, value }: { name: string; value: string }): string =>
    `${name}${tongue.colon} ${value}`;
  const { facts, sums, total, received, transactions, transactionsHeading } = receipt;
  return {
    subject: tongue.text('mailReceiptSubject', { subject: receipt.subject ?? nameOf(brand) }),
    lines: [
      tongue.text('mailReceiptText', { merchant: nameOf(brand) }),
      ...[...facts, ...sums, total, ...received].map(line),
      transactionsHeading,
      ...transactions.map(({ amount, network, txid }) => `${amount} · ${network} · ${txid}`),
      { words: receipt.heading, url: `${home}/${invoice.externalId}/receipt?lang=${tongue.language}` },
    ],
    attachments: await pdfOf(receipt, view),
  };
}

/** None where the PDF's font lacks letters. */
async function pdfOf(receipt: Receipt, { invoice }: CheckoutView): Promise<MailContent['attachments']> {
  if (!(await canBePdf(receipt))) return [];
  const bytes = await receiptPdf(receipt, 'a4', invoice.updatedAt ?? invoice.createdAt);
  return [{ name: `receipt-${invoice.id}.pdf`, type: 'application/pdf', bytes }];
}

function lateLetter({ tongue, brand, invoice, home }: CheckoutView): Letter {
  return {
    subject: tongue.plain('mailLateSubject'),
    lines: [
      tongue.text('mailLateText', { merchant: nameOf(brand) }),
      `${tongue.plain('orderReference')}${tongue.colon} ${invoice.extra ?? invoice.id}`,
      { words: tongue.plain('payment'), url: `${home}/${invoice.externalId}?lang=${tongue.language}` },
    ],
  };
}

function contentOf({ tongue, brand, invoice }: CheckoutView, letter: Letter): MailContent {
  const support = brand?.support ?? null;
  const isAddress = support !== null && isEmailAddress(support);
  const contact: readonly Line[] =
    support === null || isAddress
      ? support === null
        ? []
        : [support]
      : [{ words: tongue.text('contactTitle', { merchant: nameOf(brand) }), url: support }];
  const warning = invoice.sandbox ? [tongue.plain('testTitle')] : [];
  const lines = [...warning, ...letter.lines, ...contact];
  return {
    replyTo: isAddress ? support : null,
    subject: oneLine(letter.subject),
    text: `${lines.map((line) => (typeof line === 'string' ? line : `${line.words}: ${line.url}`)).join('\n\n')}\n`,
    html: html`<!doctype html><html lang="${tongue.language}" dir="${directionOf(tongue.language)}"><head><meta charset="utf-8"></head><body>${lines.map(
      (line) =>
        typeof line === 'string'
          ? html`<p>${line}</p>`
          : html`<p><a href="${line.url}">${line.words}</a></p>`,
    )}</body></html>`.text,
    attachments: letter.attachments ?? [],
  };
}

function nameOf(brand: Brand | null): string {
  return brand?.name ?? '';
}

/** A subject is one line, whatever a merchant's title contains. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}
