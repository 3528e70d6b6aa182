/**
 * Random rows of what the treasury reads: few chains, addresses, assets and heights, so that they
 * meet. Ids are in another order than their rows.
 */
import { DEPOSIT_STATUSES } from '../../../../src/domain/deposits/deposit.ts';
import { capital, depositArrived, networkFee } from '../../../../src/domain/ledger.ts';
import { OUTGOING_STATUSES } from '../../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../../src/domain/sending/outgoing-failure.ts';
import { OUTGOING_PURPOSES } from '../../../../src/domain/sending/outgoing-purpose.ts';
import { SWEEP_STATUSES } from '../../../../src/domain/sweeps/sweep.ts';
import { SWEEP_REASON_CODES, sweepReason } from '../../../../src/domain/sweeps/sweep-reason.ts';
import {
  aMerchant,
  anEntry,
  anInvoice,
  aPayout,
  aWaiting,
  inStatus,
  NOW,
  secondsAfter,
} from '../../../support/builders.ts';
import type { Seeded } from '../../../support/runtime/seeded.ts';
import type { RowFor, TwoStorages } from './two-storages.ts';

export const CHAINS = ['bitcoin', 'ethereum', 'tron'] as const;
export const NATIVE = { bitcoin: 'btc', ethereum: 'eth', tron: 'trx' } as const;
export const ASSETS = ['btc', 'eth', 'trx', 'usdt', 'USDC'] as const;
/** In an order that no dictionary has: capitals first, and what is above all other text last. */
export const ADDRESSES = [
  '0xb',
  '0xB',
  'a',
  'Z',
  'é',
  '\u{1f600}',
  '\uffee',
  'hot',
  'c',
  'd',
  'e',
  'f',
] as const;
export const HEIGHTS = 9;

export interface World {
  readonly random: Seeded;
  readonly storages: TwoStorages;
  readonly merchants: readonly [string, ...string[]];
  readonly invoices: readonly [string, ...string[]];
  readonly payouts: readonly [string, ...string[]];
  readonly sweeps: readonly [string, ...string[]];
  readonly transfers: string[];
  /** Transfers by what they are for. */
  readonly transfersOf: Map<string, string[]>;
}

export function anyId(random: Seeded): string {
  return Array.from({ length: 24 }, () => random.int(16).toString(16)).join('');
}

const maybe = <T>(random: Seeded, value: T, oneIn = 2): T | null => (random.int(oneIn) === 0 ? value : null);
const hash = (random: Seeded): string => `0x${anyId(random)}`;
const units = (random: Seeded): bigint => BigInt(1 + random.int(50));
const at = (random: Seeded): Date => secondsAfter(random.int(4));
const someIds = (random: Seeded, count: number): readonly [string, ...string[]] => [
  anyId(random),
  ...Array.from({ length: count - 1 }, () => anyId(random)),
];

export async function fill(random: Seeded, storages: TwoStorages, size: number): Promise<World> {
  const world: World = {
    ...{ random, storages, transfers: [], transfersOf: new Map() },
    ...{ merchants: someIds(random, 2), invoices: someIds(random, 40), payouts: someIds(random, 12) },
    sweeps: someIds(random, Math.ceil(size / 2)),
  };
  await putOwners(world);
  for (let nth = 0; nth < size; nth += 1) await putTransfer(world);
  for (const id of world.sweeps) await storages.put('sweeps', aSweepRow(world, id));
  for (let nth = 0; nth < size * 2; nth += 1) await storages.put('deposits', aDepositRow(world));
  for (let nth = 0; nth < size; nth += 1) {
    await storages.put('utxos', aUtxoRow(world));
    await storages.put('capitalBookings', aBookingRow(world));
    await storages.put('frozenAddresses', aFrozenRow(world));
    await storages.put('addresses', anAddressRow(world, nth));
    await putUnknown(world);
    await post(world);
  }
  return world;
}

async function putOwners({ random, storages, merchants, invoices, payouts }: World): Promise<void> {
  await storages.run(async (r) => {
    for (const id of merchants)
      await r.merchants.insert(aMerchant({ id, createdAt: NOW, name: `Shop ${id}` }));
  });
  for (const id of invoices) {
    const statuses = ['created', 'confirming', 'partially_paid', 'high_risk', 'success'] as const;
    const [billingType, merchantId] = [random.pick(['STATIC', 'VARY']), random.pick(merchants)];
    const state = inStatus(random.pick(statuses));
    const hasEnded = state.status === 'partially_paid' && billingType === 'VARY';
    const processedAt = hasEnded ? NOW : state.processedAt;
    const invoice = anInvoice({ id, merchantId, billingType, ...state, processedAt });
    await storages.run((r) => r.invoices.insert(invoice));
  }
  for (const id of payouts) {
    const ended = maybe(random, { status: 'cancelled', processedAt: NOW } as const, 4);
    const payout = aPayout({
      ...{ id, merchantId: random.pick(merchants), sandbox: random.int(5) === 0 },
      ...{ asset: random.pick(ASSETS), sentUnits: units(random) },
      waiting: maybe(random, aWaiting({ code: random.pick(['liquidity', 'fee']) })),
      ...ended,
    });
    await storages.run((r) => r.payouts.insert(payout));
  }
}

async function putTransfer(world: World): Promise<void> {
  const { random, storages, transfers } = world;
  const id = anyId(random);
  const status = random.pick(OUTGOING_STATUSES);
  const isMined = status === 'confirmed' || (status === 'failed' && random.int(2) === 0);
  const voided = random.int(5) === 0;
  const hasFailed = status === 'failed' || (voided && status !== 'confirmed');
  const [purpose, referenceId] = random.pick([
    [random.pick(['sweep', 'topup', 'lend', 'reclaim']), random.pick(world.sweeps)],
    ['payout', random.pick(world.payouts)],
    [random.pick(OUTGOING_PURPOSES), random.pick([random.pick(world.sweeps), anyId(random)])],
  ]);
  const leader = random.int(6) === 0 ? transfers.at(-1) : undefined;
  const isIn = await storages.put('outgoingTransfers', {
    ...{ id, chain: random.pick(CHAINS), wallet: random.pick(ADDRESSES), nonce: BigInt(random.int(500)) },
    ...{ transferBatchId: leader ?? id, position: leader === undefined ? 0 : 1 },
    ...{ purpose, referenceId, asset: random.pick(ASSETS) },
    ...{ toAddress: random.pick(ADDRESSES), units: units(random), status },
    txid: isMined ? hash(random) : null,
    blockHeight: isMined ? random.int(HEIGHTS) : null,
    blockHash: isMined ? hash(random) : null,
    feeUnits: isMined ? BigInt(random.int(12) - 2) : null,
    hotFeeUnits: isMined ? BigInt(random.pick([0, 0, 3, -1])) : 0n,
    failure: hasFailed ? failureOf('operator').text : null,
    failureCode: hasFailed ? 'operator' : null,
    ...{ voided, takenOut: status === 'failed' && !isMined && random.int(4) > 0 },
    ...{ feeBumpRequested: false, openAttempts: 0, createdAt: at(random) },
  });
  if (!isIn) return;
  transfers.push(id);
  for (let nth = random.int(3); nth > 0; nth -= 1)
    await storages.put('signedTransactions', {
      ...{ transferBatchId: leader ?? id, ordinal: nth, txid: hash(random), raw: '', voids: false },
      ...{ maxFeeUnits: 1n, feeCompared: true, validUntil: null, signedAt: NOW, broadcastAt: null },
    });
  world.transfersOf.set(referenceId, [...(world.transfersOf.get(referenceId) ?? []), id]);
}

function aSweepRow({ random, transfers, transfersOf }: World, id: string): RowFor<'sweeps'> {
  const status = random.pick([random.pick(SWEEP_STATUSES), 'done', 'failed']);
  const own = random.int(3) === 0 ? transfers : (transfersOf.get(id) ?? transfers);
  const transfer = () => (status === 'planned' ? null : maybe(random, anyOf(random, own)));
  const needed = (wanted: boolean) => (wanted ? anyOf(random, own) : transfer());
  const delegationId = needed(status === 'lending' || status === 'reclaiming');
  const isMoving = status === 'sweeping' || status === 'done';
  const reason = status === 'failed' || random.int(3) === 0 ? random.pick(REASONS) : null;
  return {
    ...{
      id,
      chain: random.pick(CHAINS),
      address: random.pick(ADDRESSES),
      asset: random.pick(ASSETS),
      status,
    },
    ...{ forced: random.int(3) === 0, units: isMoving ? units(random) : null },
    ...{ topupId: needed(status === 'topping_up'), delegationId, transferId: needed(isMoving) },
    undelegationId: delegationId === null ? null : transfer(),
    reason: reason && sweepReason(reason).text,
    ...{ reasonCode: reason, createdAt: at(random) },
    endedAt: status === 'done' || status === 'failed' ? at(random) : null,
  };
}
const REASONS = SWEEP_REASON_CODES as readonly [(typeof SWEEP_REASON_CODES)[number]];

function aDepositRow({ random, merchants, invoices, sweeps }: World): RowFor<'deposits'> {
  const status = random.pick(random.int(4) === 0 ? DEPOSIT_STATUSES : (['credited'] as const));
  const isGone = status === 'dropped' || status === 'reversed';
  const block = isGone || random.int(8) === 0 ? null : random.int(HEIGHTS);
  return {
    ...{ id: anyId(random), chain: random.pick(CHAINS), txid: hash(random), output: 'log:0' },
    ...{ asset: random.pick(ASSETS), address: random.pick(ADDRESSES), addressFrom: null, status },
    ...{ units: units(random), blockHeight: block, blockHash: block === null ? null : hash(random) },
    ...{ firstSeenAt: at(random), unexplained: false, lockedUntil: null, encumbered: false },
    ...{ merchantId: random.pick(merchants), sandbox: random.int(6) === 0 },
    invoiceId: status === 'arrived' ? random.pick(invoices) : null,
    strayReason: status === 'stray' ? 'no_invoice' : null,
    ...{ note: null, sweptBy: maybe(random, random.pick(sweeps)) },
  };
}

function aUtxoRow({ random, transfers }: World): RowFor<'utxos'> {
  const keyRole = random.pick(['hot', 'deposit', 'change']);
  const block = maybe(random, random.int(3), 1 + random.int(2));
  const claimedBy = maybe(random, anyOf(random, transfers), 3);
  const doubted = random.int(4) === 0;
  return {
    ...{ chain: random.pick(CHAINS), txid: random.pick(['a', 'B', 'c']), vout: random.int(12) },
    ...{ address: random.pick(ADDRESSES), keyRole, keyIndex: keyRole === 'hot' ? null : 1 },
    ...{ units: units(random), blockHeight: block, blockHash: null },
    ...{ claimedBy, doubted, spentOutside: doubted && claimedBy === null && random.int(2) === 0 },
    booked: keyRole === 'hot' ? random.int(2) === 0 : null,
  };
}

function aBookingRow({ random }: World): RowFor<'capitalBookings'> {
  const address = maybe(random, random.pick(ADDRESSES));
  return {
    ...{ id: anyId(random), chain: random.pick(CHAINS), asset: random.pick(ASSETS) },
    ...{ units: BigInt(random.int(40) - 10), blockHeight: random.int(HEIGHTS), blockHash: hash(random) },
    ...{ note: '', at: at(random), address },
    coin: address === null ? maybe(random, `${hash(random)}:0`) : null,
  };
}

function aFrozenRow({ random }: World): RowFor<'frozenAddresses'> {
  const place = { chain: random.pick(CHAINS), address: random.pick(ADDRESSES) };
  return { ...place, reason: 'a test', frozenAt: at(random), formerWallet: random.int(2) === 0 };
}

function anAddressRow({ random, merchants, invoices }: World, nth: number): RowFor<'addresses'> {
  const [first] = merchants;
  return {
    ...{
      family: random.pick(['evm', 'tron']),
      address: `${random.pick(ADDRESSES)}${random.pick(['', '1'])}`,
    },
    ...{ deriver: 'evm', derivationIndex: nth, merchantId: first, sandbox: random.int(6) === 0 },
    ...{ invoiceId: random.pick(invoices), permanentAddressId: null, retired: nth, issuedAt: NOW },
  };
}

async function putUnknown({ random, storages, payouts }: World): Promise<void> {
  const transaction = { chain: random.pick(CHAINS), txid: random.pick(['u', 'V', 'w', 'x']) };
  await storages.put('unknownTransactions', {
    ...{ ...transaction, wallet: random.pick(['hot', 'a']), nonce: maybe(random, BigInt(random.int(5))) },
    ...{ feeUnits: null, payments: '[]', harmless: random.int(3) === 0, blockHeight: random.int(HEIGHTS) },
    ...{ blockHash: maybe(random, hash(random)), minedAt: at(random), notedAt: at(random) },
  });
  await storages.put('foundPaid', { ...transaction, payoutId: random.pick(payouts), at: at(random) });
}

async function post({ random, storages, merchants: [merchantId] }: World): Promise<void> {
  const asset = random.pick(ASSETS);
  const house = { id: anyId(random), referenceId: anyId(random), merchantId: null };
  const fee = networkFee({ asset, units: units(random), microUsd: 1n });
  const entry = random.pick([
    anEntry({ ...house, merchantId, sandbox: random.int(4) === 0, postings: depositArrived(asset, 20n) }),
    anEntry({ ...house, kind: 'capital', postings: capital(asset, units(random)) }),
    anEntry({ ...house, kind: 'network_fee', postings: fee }),
  ]);
  await storages.run((r) => r.ledger.post(entry));
}

export function anyOf(random: Seeded, ids: readonly string[]): string {
  return ids[random.int(ids.length)]!;
}
