/** Makes the Application from its dependencies: the use cases that HTTP drives, over one allocator and one dispatcher. */
import { appError } from '../domain/errors.ts';
import { err } from '../domain/result.ts';
import { addressAllocator } from './address-allocator.ts';
import { addressParts } from './address-parts.ts';
import type { Application } from './application.ts';
import { isEnabled } from './asset-access.ts';
import { authenticator } from './authenticate.ts';
import { chooseCurrency, offeredAssets } from './choose-currency.ts';
import { createInvoice } from './create-invoice.ts';
import { createPayout, createPayoutBatch } from './create-payouts.ts';
import { webhookDispatcher } from './deliver-webhooks.ts';
import type { AppDependencies } from './dependencies.ts';
import { replayWebhook, sendTestWebhook } from './notify.ts';
import { permanentAddresses } from './permanent-addresses.ts';
import { simulateInvoice } from './simulate-invoice.ts';

export function buildApplication(deps: AppDependencies): Application {
  const allocator = addressAllocator(deps);
  const permanent = permanentAddresses(deps, allocator);
  const dispatcher = webhookDispatcher(deps);
  return {
    catalog: deps.catalog,
    partsOf: addressParts(deps),
    rates: deps.rateBook,
    queries: deps.queries,
    isEnabled: (asset, sandbox) => isEnabled(deps, asset, sandbox),
    authenticate: authenticator(deps),
    createInvoice: createInvoice(deps, allocator, permanent),
    // The choice is made once: an invoice that has its asset offers no other.
    payableAssets: (invoice) => (invoice.price === null ? offeredAssets(deps, invoice) : []),
    chooseCurrency: chooseCurrency(deps, allocator, permanent),
    simulateFromCheckout: async () => err(appError('NOT_FOUND', 'No such invoice.')),
    simulateInvoice: simulateInvoice(deps, { allocator, permanent, dispatcher }),
    replayWebhook: replayWebhook(deps),
    sendTestWebhook: sendTestWebhook(deps, dispatcher),
    createPayout: createPayout(deps),
    createPayoutBatch: createPayoutBatch(deps),
    getPermanentAddress: (caller, input) => permanent.getOrCreate(caller.scope, input),
    deactivatePermanentAddress: (caller, id) => permanent.deactivate(caller.scope, id),
  };
}
