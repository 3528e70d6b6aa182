/**
 * Valid records with sensible defaults, for tests to change what they are about: `anInvoice({
 * status: 'expired' })`. Deterministic: ids and hashes come from one counter.
 */

import type { Deposit } from '../../src/domain/deposits/deposit.ts';
import type { InvoicePrice, InvoiceStatus } from '../../src/domain/invoices/invoice.ts';
import { type Invoice, NO_DETAILS } from '../../src/domain/invoices/invoice-record.ts';
import type { PermanentAddress } from '../../src/domain/invoices/permanent-address.ts';
import { depositArrived } from '../../src/domain/ledger.ts';
import { NO_BRAND } from '../../src/domain/merchants/brand.ts';
import { type Merchant, NO_DEFAULTS } from '../../src/domain/merchants/merchant.ts';
import type { Payout } from '../../src/domain/payouts/payout-record.ts';
import type { Waiting } from '../../src/domain/payouts/waiting-reasons.ts';
import { unreachable } from '../../src/domain/result.ts';
import type { Brand } from '../../src/ports/checkout/checkout-queries.ts';
import type { IssuedAddress } from '../../src/ports/invoices/address-repository.ts';
import type { NewEntry } from '../../src/ports/ledger-repository.ts';
import type { StoredKey } from '../../src/ports/merchants/merchant-repository.ts';
import type { NewDelivery } from '../../src/ports/webhooks/webhook-outbox.ts';

/** The merchant of every record that is not given another. */
const MERCHANT_ID = 'aaaaaaaaaaaaaaaaaaaaaaaa';
export const NOW = new Date('2026-03-01T12:00:00.000Z');

let made = 0;

/** A fresh id of 24 hex digits; later ones sort after earlier ones. */
export function anId(): string {
  made += 1;
  return made.toString(16).padStart(24, '0');
}

export function aHash(): string {
  return `0x${anId().padStart(64, '0')}`;
}

export function anAddress(): string {
  return `0x${anId().padStart(40, '0')}`;
}

export function secondsAfter(seconds: number, from: Date = NOW): Date {
  return new Date(from.getTime() + seconds * 1000);
}

export function aMerchant(given: Partial<Merchant> = {}): Merchant {
  return {
    id: anId(),
    name: 'Corner shop',
    status: 'active',
    kyc: 'approved',
    callbackUrl: 'https://shop.example/hook',
    payoutWebhooks: false,
    defaultFeeBearer: 'client',
    commissionPpm: 10_000n,
    allowedSubnets: ['203.0.113.0/24'],
    ...NO_DEFAULTS,
    createdAt: NOW,
    ...given,
  };
}

/** A brand without settings, as customers see it. */
export function aBrand(given: Partial<Brand> = {}): Brand {
  const { logo: _, ...settings } = NO_BRAND;
  return { ...settings, name: 'Corner shop', language: null, logoDigest: null, ...given };
}

export function aKey(given: Partial<StoredKey> = {}): StoredKey {
  return {
    merchantId: MERCHANT_ID,
    environment: 'live',
    lookupHash: aHash(),
    sealed: `sealed ${anId()}`,
    createdAt: NOW,
    ...given,
  };
}

/** 10 USDT and 1 % on top. */
export function aPrice(given: Partial<InvoicePrice> = {}): InvoicePrice {
  return {
    asset: 'usdt_ethereum',
    dueUnits: 10_100_000n,
    baseUnits: 10_000_000n,
    originalUnits: null,
    deferralUnits: 2_000_000n,
    ...given,
  };
}

export function anInvoice(given: Partial<Invoice> = {}): Invoice {
  const id = anId();
  const price = given.price === undefined ? aPrice() : given.price;
  const createdAt = given.createdAt ?? NOW;
  return {
    id,
    externalId: `00000000-0000-4000-8000-${id.slice(-12)}`,
    merchantId: MERCHANT_ID,
    sandbox: false,
    status: 'created',
    version: 0,
    billingType: 'STATIC',
    tolerancePpm: 0n,
    toleranceGiven: false,
    acceptedUnits: null,
    price,
    funds: { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n },
    expiresAt: secondsAfter(3_600, createdAt),
    processedAt: null,
    txid: null,
    addressFrom: null,
    fiatCurrency: 'USD',
    initialFiatMicros: 10_000_000n,
    feeBearer: 'client',
    commissionPpm: 10_000n,
    priceModifierPpm: null,
    initialAsset: price?.asset ?? null,
    addressTo: price === null ? null : anAddress(),
    customerChooses: price === null,
    earlierChoices: [],
    acceptedCoins: null,
    excludedCoins: null,
    ...NO_DETAILS,
    webhookFormat: 'native_v2',
    permanentAddressId: null,
    bindsPermanentAddress: false,
    userId: null,
    paymentLinkId: null,
    createdAt,
    updatedAt: null,
    ...given,
  };
}

export function anIssuedAddress(given: Partial<IssuedAddress> = {}): IssuedAddress {
  return {
    family: 'evm',
    address: anAddress(),
    deriver: 'evm',
    derivationIndex: made,
    merchantId: MERCHANT_ID,
    sandbox: false,
    invoiceId: null,
    permanentAddressId: null,
    issuedAt: NOW,
    ...given,
  };
}

export function aPermanentAddress(given: Partial<PermanentAddress> = {}): PermanentAddress {
  return {
    id: anId(),
    merchantId: MERCHANT_ID,
    sandbox: false,
    userId: 'customer-1',
    family: 'evm',
    address: anAddress(),
    active: true,
    createdAt: NOW,
    deactivatedAt: null,
    metadata: null,
    notifyUrl: null,
    webhookFormat: 'native_v2',
    ...given,
  };
}

export function aDeposit(given: Partial<Deposit> = {}): Deposit {
  return {
    id: anId(),
    chain: 'ethereum',
    txid: aHash(),
    output: 'log:0',
    asset: 'usdt_ethereum',
    address: anAddress(),
    addressFrom: anAddress(),
    units: 10_100_000n,
    status: 'confirming',
    block: { height: 100, hash: aHash() },
    firstSeenAt: NOW,
    unexplained: false,
    lockedUntil: null,
    encumbered: false,
    merchantId: MERCHANT_ID,
    sandbox: false,
    invoiceId: null,
    strayReason: given.invoiceId && given.status !== 'stray' ? null : 'no_invoice',
    note: null,
    ...given,
  };
}

/** An arrival of 10.1 USDT about some reference. */
export function anEntry(given: Partial<NewEntry> = {}): NewEntry {
  return {
    id: anId(),
    merchantId: MERCHANT_ID,
    sandbox: false,
    kind: 'deposit_arrived',
    referenceId: anId(),
    depositId: null,
    postings: depositArrived('usdt_ethereum', 10_100_000n),
    feed: null,
    at: NOW,
    ...given,
  };
}

/** What a payout that lacks money says. */
export function aWaiting(given: Partial<Waiting> = {}): Waiting {
  return { code: 'liquidity', reason: 'liquidity: the hot wallet has too little', at: NOW, ...given };
}

/** A pending payout of 5 USDT; its fee of 0.1 USDT is on top. */
export function aPayout(given: Partial<Payout> = {}): Payout {
  return {
    id: anId(),
    merchantId: MERCHANT_ID,
    sandbox: false,
    batchId: null,
    kind: 'payout',
    invoiceId: null,
    refundClaimId: null,
    held: null,
    released: false,
    merchantWaived: false,
    orderedBy: null,
    waiting: null,
    tries: 0,
    dispatchedAt: null,
    status: 'pending',
    txid: null,
    txHashes: [],
    failure: null,
    processedAt: null,
    asset: 'usdt_ethereum',
    address: anAddress(),
    amountUnits: 5_000_000n,
    sentUnits: 5_000_000n,
    feeUnits: 100_000n,
    feeMicroUsd: 100_000n,
    energyFeeMicroUsd: null,
    extraGas: 0n,
    wastedFeeUnits: 0n,
    wastedFeeMicroUsd: 0n,
    feeBearer: 'merchant',
    amountMicroUsd: 5_000_000n,
    reservedMicroUsd: 5_100_000n,
    ref: null,
    createdAt: NOW,
    updatedAt: null,
    ...given,
  };
}

export function aDelivery(given: Partial<NewDelivery> = {}): NewDelivery {
  return {
    id: anId(),
    invoiceId: anId(),
    payoutId: null,
    merchantId: MERCHANT_ID,
    sandbox: false,
    invoiceVersion: 1,
    url: 'https://shop.example/hook',
    body: '{"status":"success"}',
    foreign: null,
    dueAt: NOW,
    eventAt: given.invoiceVersion === null ? null : NOW,
    ...given,
  };
}

/** The fields that an invoice in `status` must have beside it, for 10.1 USDT owed. */
export function inStatus(
  status: InvoiceStatus,
  at: Date = NOW,
): Pick<Invoice, 'status' | 'funds' | 'processedAt'> {
  const none = { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n };
  const paid = (creditedUnits: bigint) => ({ ...none, creditedUnits });
  switch (status) {
    case 'created':
      return { status, funds: none, processedAt: null };
    case 'confirming':
      return { status, funds: { ...none, pendingUnits: 10_100_000n }, processedAt: null };
    case 'partially_paid':
      return { status, funds: paid(5_000_000n), processedAt: null };
    case 'success':
    case 'refunded':
      return { status, funds: paid(10_100_000n), processedAt: at };
    case 'paid_over':
      return { status, funds: paid(12_000_000n), processedAt: at };
    case 'cancelled':
      return { status, funds: paid(5_000_000n), processedAt: at };
    case 'high_risk':
      return { status, funds: { ...none, heldUnits: 10_100_000n }, processedAt: at };
    case 'failed':
    case 'expired':
      return { status, funds: none, processedAt: at };
    default:
      return unreachable(status);
  }
}
