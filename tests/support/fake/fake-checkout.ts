/** What the checkout asks of the in-memory application, made of its other use cases. */
import type { Application } from '../../../src/app/application.ts';
import { appError } from '../../../src/domain/errors.ts';
import { mayChoose } from '../../../src/domain/invoices/invoice-choice.ts';
import { err, ok } from '../../../src/domain/result.ts';
import type { Identity } from '../../../src/ports/list-queries.ts';
import type { FakeApplication } from './fake-application.ts';

const STATUSES = { paid: 'success', partial: 'partially_paid', over: 'paid_over' } as const;

export function fakeCheckout(
  application: () => FakeApplication,
  identities: ReadonlyMap<string, Identity>,
): Pick<Application, 'choosableAssets' | 'customerFeeHint' | 'simulateFromCheckout'> {
  return {
    choosableAssets(invoice) {
      const { acceptedCoins, excludedCoins } = invoice;
      const { catalog, isOffered, now } = application();
      return catalog.all.filter(
        (asset) =>
          mayChoose(invoice, now) &&
          isOffered(asset, invoice.sandbox) &&
          (acceptedCoins === null || acceptedCoins.includes(asset.key)) &&
          !(excludedCoins ?? []).includes(asset.key),
      );
    },
    customerFeeHint: () => null,
    async simulateFromCheckout(externalId, outcome) {
      const { tables, simulateInvoice } = application();
      const invoice = tables.invoices.find((other) => other.externalId === externalId);
      if (!invoice) return err(appError('NOT_FOUND', 'No such invoice.'));
      const owner = [...identities.values()].find(({ merchant }) => merchant.id === invoice.merchantId);
      if (!owner) throw new Error('an invoice without its merchant');
      const { merchantId, sandbox } = invoice;
      const environment = sandbox ? 'sandbox' : 'live';
      const done = await simulateInvoice(
        { merchant: owner.merchant, environment, scope: { merchantId, sandbox } },
        invoice.id,
        { status: STATUSES[outcome], paidAmount: null, sendWebhook: true, notifyUrl: null },
      );
      return done.ok ? ok(done.value.invoice) : done;
    },
  };
}
