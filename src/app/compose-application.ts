/**
 * Builds the Application from its dependencies: the use cases of HTTP, over one allocator and one
 * dispatcher.
 */

import { boundedMap } from '../domain/bounded-map.ts';
import type { Application } from './application.ts';
import { assetsSeenLate, isOffered, isSeenLate } from './catalog/asset-access.ts';
import { consoleUseCases } from './console/console.ts';
import type { AppDependencies } from './dependencies.ts';
import { addressAllocator } from './invoices/addresses/address-allocator.ts';
import { addressParts, addressSpellings } from './invoices/addresses/address-parts.ts';
import { cancelInvoice } from './invoices/cancel-invoice.ts';
import { choosableAssets, chooseCurrency, priceOf } from './invoices/choose-asset.ts';
import { createInvoice } from './invoices/create-invoice.ts';
import { customerFeeHint } from './invoices/customer-fee-hint.ts';
import { replayWebhook, sendTestWebhook } from './invoices/notify.ts';
import { permanentAddresses } from './invoices/permanent-addresses.ts';
import { providerInvoice } from './invoices/provider-invoice.ts';
import { changePaymentLink, createPaymentLink } from './links/manage-links.ts';
import { linkStanding, openLink } from './links/open-link.ts';
import { authenticator } from './merchants/authenticate.ts';
import { keyThatFits } from './merchants/key-that-fits.ts';
import { strangersBound } from './merchants/unknown-key-budget.ts';
import { createPayout, createPayoutBatch } from './payouts/create-payouts.ts';
import { claimOfToken, claimUrl } from './payouts/refunds/claim-url.ts';
import { confirmRefund, quoteRefund } from './payouts/refunds/confirm-refund.ts';
import { offerRefund, withdrawRefund } from './payouts/refunds/offer-refund.ts';
import { simulateFromCheckout } from './sandbox/simulate-from-checkout.ts';
import { simulateInvoice } from './sandbox/simulate-invoice.ts';
import type { WebhookDispatcher } from './webhooks/deliver-webhooks.ts';
import { replayEvents } from './webhooks/replay-events.ts';

export function buildApplication(deps: AppDependencies, dispatcher: WebhookDispatcher): Application {
  const allocator = addressAllocator(deps);
  const permanent = permanentAddresses(deps, allocator);
  const strangers = strangersBound(deps.clock);
  const create = createInvoice(deps, allocator, permanent);
  return {
    catalog: deps.catalog,
    partsOf: addressParts(deps),
    spellingsOf: addressSpellings(deps),
    rates: deps.rateBook,
    console: consoleUseCases(deps),
    queries: deps.queries,
    isOffered: (asset, sandbox) => isOffered(deps, asset, sandbox),
    providerInvoice: (invoice) => providerInvoice(deps, invoice, ''),
    isSeenLate: (asset) => isSeenLate(deps, asset),
    liveStates: (externalIds) => deps.queries.liveStates(externalIds, assetsSeenLate(deps)),
    authenticate: authenticator(deps, strangers),
    keyThatFits: keyThatFits(deps, strangers),
    noteKey: keyNotes(),
    answered: ({ scope }, key) => deps.storedAnswers.find(scope, key, deps.clock.now()),
    createInvoice: create,
    choosableAssets: (invoice, standing) => choosableAssets(deps, invoice, standing),
    priceOf: (invoice, asset) => priceOf(deps, invoice, asset),
    chooseCurrency: chooseCurrency(deps, { allocator, permanent }),
    customerFeeHint: (asset, currency) => customerFeeHint(deps, asset, currency),
    simulateInvoice: simulateInvoice(deps, { allocator, permanent, dispatcher }),
    simulateFromCheckout: simulateFromCheckout(deps, { allocator, permanent, dispatcher }),
    cancelInvoice: cancelInvoice(deps),
    replayWebhook: replayWebhook(deps),
    replayEvents: replayEvents(deps),
    sendTestWebhook: sendTestWebhook(deps, dispatcher),
    createPayout: createPayout(deps),
    createPayoutBatch: createPayoutBatch(deps),
    getPermanentAddress: ({ scope, merchant: { defaultWebhookFormat: defaultFormat } }, input, once) =>
      permanent.getOrCreate(scope, { ...input, defaultFormat }, once),
    deactivatePermanentAddress: (caller, id) => permanent.deactivate(caller.scope, id),
    createPaymentLink: createPaymentLink(deps),
    changePaymentLink: changePaymentLink(deps),
    linkStanding: linkStanding(deps),
    offerRefund: (caller, offer, once) =>
      offerRefund(deps)({ ...offer, by: { merchant: caller.scope } }, once),
    withdrawRefund: (caller, claimId) => withdrawRefund(deps)(claimId, caller.scope),
    claimUrl: (claimId) => claimUrl(deps, claimId),
    claimOfToken: claimOfToken(deps),
    quoteRefund: quoteRefund(deps),
    confirmRefund: confirmRefund(deps),
    openLink: openLink({ ...deps, createInvoice: create, cancelInvoice: cancelInvoice(deps) }),
  };
}

/** A few megabytes of keys. */
const KEYS_NOTED = 20_000;

function keyNotes(): Application['noteKey'] {
  const noted = boundedMap<string, true>(KEYS_NOTED);
  return ({ scope: { merchantId, sandbox } }, key) => {
    const name = `${merchantId} ${sandbox} ${key}`;
    const known = noted.get(name) === true;
    noted.set(name, true);
    return known ? 'known' : 'new';
  };
}
