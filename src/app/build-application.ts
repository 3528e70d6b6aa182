/** Makes the Application from its dependencies: the use cases that HTTP drives, over one allocator and one dispatcher. */
import { addressAllocator } from './address-allocator.ts';
import { addressParts, addressSpellings } from './address-parts.ts';
import type { Application } from './application.ts';
import { assetsSeenLate, isOffered, isSeenLate } from './asset-access.ts';
import { authenticator } from './authenticate.ts';
import { boundedMap } from './bounded-map.ts';
import { cancelInvoice } from './cancel-invoice.ts';
import { choosableAssets, chooseCurrency } from './choose-currency.ts';
import { createInvoice } from './create-invoice.ts';
import { createPayout, createPayoutBatch } from './create-payouts.ts';
import { customerFeeHint } from './customer-fee-hint.ts';
import type { WebhookDispatcher } from './deliver-webhooks.ts';
import type { AppDependencies } from './dependencies.ts';
import { keyThatFits } from './key-that-fits.ts';
import { replayWebhook, sendTestWebhook } from './notify.ts';
import { permanentAddresses } from './permanent-addresses.ts';
import { replayEvents } from './replay-events.ts';
import { simulateFromCheckout } from './simulate-from-checkout.ts';
import { simulateInvoice } from './simulate-invoice.ts';
import { strangersBound } from './strangers.ts';
import { toldInvoice } from './told-invoice.ts';

export function buildApplication(deps: AppDependencies, dispatcher: WebhookDispatcher): Application {
  const allocator = addressAllocator(deps);
  const permanent = permanentAddresses(deps, allocator);
  const strangers = strangersBound(deps.clock);
  return {
    catalog: deps.catalog,
    partsOf: addressParts(deps),
    spellingsOf: addressSpellings(deps),
    rates: deps.rateBook,
    queries: deps.queries,
    isOffered: (asset, sandbox) => isOffered(deps, asset, sandbox),
    told: (invoice) => toldInvoice(deps, invoice, ''),
    isSeenLate: (asset) => isSeenLate(deps, asset),
    liveStates: (externalIds) => deps.queries.liveStates(externalIds, assetsSeenLate(deps)),
    authenticate: authenticator(deps, strangers),
    keyThatFits: keyThatFits(deps, strangers),
    noteKey: keyNotes(),
    answered: ({ scope }, key) => deps.storedAnswers.find(scope, key, deps.clock.now()),
    createInvoice: createInvoice(deps, allocator, permanent),
    choosableAssets: (invoice, standing) => choosableAssets(deps, invoice, standing),
    chooseCurrency: chooseCurrency(deps, { allocator, permanent }),
    customerFeeHint: (asset) => customerFeeHint(deps, asset),
    simulateInvoice: simulateInvoice(deps, { allocator, permanent, dispatcher }),
    simulateFromCheckout: simulateFromCheckout(deps, { allocator, permanent, dispatcher }),
    cancelInvoice: cancelInvoice(deps),
    replayWebhook: replayWebhook(deps),
    replayEvents: replayEvents(deps),
    sendTestWebhook: sendTestWebhook(deps, dispatcher),
    createPayout: createPayout(deps),
    createPayoutBatch: createPayoutBatch(deps),
    getPermanentAddress: (caller, input, once) => permanent.getOrCreate(caller.scope, input, once),
    deactivatePermanentAddress: (caller, id) => permanent.deactivate(caller.scope, id),
  };
}

/** Some megabytes of keys. */
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
