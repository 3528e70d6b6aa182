/**
 * The laws of a history at rest: those of the books (tests/support/ledger/ledger-laws.ts), and what
 * only the world knows: what was paid on the chain, what was ordered, and what merchants heard.
 */

import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import type { ReconciliationReport } from '../../../src/app/treasury/reconcile.ts';
import { familyOf, type Stage } from './acts/stage.ts';
import type { Heard } from './outside.ts';
import type { World } from './processes.ts';
import { brokenPromises } from './witness/promises.ts';
import type { Witness } from './witness/witness.ts';

export interface Broken {
  readonly law: string;
  readonly what: unknown;
}

/**
 * `what` is payout, deposit, webhook, or `transfer` with its purpose; `asset` is its chain then.
 */
export interface Restless {
  readonly what: string;
  readonly id: string;
  readonly status: string;
  readonly asset: string;
}

export interface PayoutRow {
  readonly id: string;
  readonly status: string;
  readonly sentUnits: bigint | null;
}

/** What the laws ask of the books, whatever they are stored in. */
export interface Books {
  /** The laws of the ledger that do not hold. */
  brokenLaws(): Promise<readonly Broken[]>;
  /**
   * What has not come to rest, at most 200 rows; not small payments beside a held one, which wait
   * for an operator. With the status of a payout is why it waits, where
   * it says so.
   */
  restless(): Promise<readonly Restless[]>;
  payoutsTo(address: string): Promise<readonly PayoutRow[]>;
  /** Issued ones, normalized. */
  addresses(): Promise<readonly string[]>;
  depositStatus(txid: string): Promise<string | null>;
  toldInvoices(): Promise<readonly { id: string; status: string }[]>;
}

const COUNTED = new Set(['arrived', 'credited', 'held', 'rejected', 'stray']);

export async function askLaws(
  world: World,
  {
    stage,
    books,
    heard,
    reconciled,
    treasuries,
    witness,
  }: {
    stage: Stage;
    books: Books;
    heard: readonly Heard[];
    reconciled(): Promise<ReconciliationReport>;
    /** See wrongTreasuries. */
    treasuries(issued: readonly string[]): Promise<readonly Broken[]>;
    readonly witness: Witness;
  },
): Promise<readonly Broken[]> {
  const restless = await restlessIn(stage, books);
  const report = await reconciled();
  return [
    ...(restless.length > 0 ? [{ law: 'everything comes to rest', what: restless }] : []),
    ...(await books.brokenLaws()),
    ...(await wrongPayouts(world, stage, books)),
    ...(await wrongDeposits(world, stage, books)),
    ...issuedTwice(stage),
    ...(await unheard(books, heard)),
    ...unexplained(report),
    ...(await treasuries(await books.addresses())),
    ...brokenPromises(witness, world),
    ...(await movedUndecided(world, witness)),
  ];
}

/**
 * After a final payment left the chain, payouts may wait for the balance, and its refund for an
 * operator, also once it came back late (safety.md, U7 and A2).
 */
const OWED = /, (negative_balance|payment_gone)$/;

export async function restlessIn(
  { isDeep }: Pick<Stage, 'isDeep'>,
  books: Pick<Books, 'restless'>,
): Promise<readonly Restless[]> {
  const rows = await books.restless();
  return isDeep ? rows.filter(({ status }) => !OWED.test(status)) : rows;
}

/**
 * A payout that a restore lost is not known to be paid: it may be ordered again with its
 * X-Uniq-Id, and is another payout then. Each of both is paid at most once.
 */
async function wrongPayouts(
  { chains }: World,
  { intents, backups: { lost } }: Stage,
  books: Books,
): Promise<readonly Broken[]> {
  const broken: Broken[] = [];
  for (const { uniqId, to, asset, ids, state } of intents) {
    const rows = await books.payoutsTo(to);
    const gone = lost.payouts.get(uniqId) ?? [];
    const known = new Set([...ids].filter((id) => !gone.some((one) => one.id === id)));
    if (rows.length > 1 || known.size > 1)
      broken.push({ law: 'one payout for each X-Uniq-Id', what: { uniqId, rows } });
    if (state === 'accepted' && rows.length !== 1 && gone.length === 0)
      broken.push({ law: 'an accepted payout exists', what: { uniqId, rows } });
    if (state === 'refused' && rows.length > 0)
      broken.push({ law: 'a refused payout does not exist', what: { uniqId, rows } });
    const got = chains
      .get(asset.chain)!
      .control.received(to)
      .filter((transfer) => transfer.asset === asset.key)
      .reduce((sum, { units }) => sum + units, 0n);
    const owed = sentOf(rows.filter(({ status }) => status === 'success'));
    const perhaps = gone.map((_, nth) => gone.slice(0, nth + 1)).map(sentOf);
    if (![0n, ...perhaps].includes(got - owed))
      broken.push({ law: 'each payout is paid exactly once', what: { uniqId, to, got, owed, rows, gone } });
  }
  return broken;
}

const sentOf = (rows: readonly PayoutRow[]): bigint =>
  rows.reduce((sum, { sentUnits }) => sum + (sentUnits ?? 0n), 0n);

/** After a restore operators have booked what lost transactions moved (bookRestored). */
function unexplained(report: ReconciliationReport): readonly Broken[] {
  if (report.agree) return [];
  const found = report.chains.filter(
    ({ differences, unavailable, unreadable }) =>
      differences.length > 0 || unavailable !== null || unreadable.length > 0,
  );
  return [{ law: 'the chain equals the books', what: [...report.faults, ...found] }];
}

/** No address is anybody else's later, whatever was restored (safety.md K5). */
function issuedTwice({ owners }: Stage): readonly Broken[] {
  return [...owners]
    .filter(([, of]) => of.size > 1)
    .map(([address, of]) => ({ law: 'no address is issued twice', what: { address, owners: [...of] } }));
}

/** What was paid to an address that a restore lost is nobody's, and not found. */
async function wrongDeposits(
  { chains }: World,
  { txids, backups: { lost } }: Stage,
  books: Books,
): Promise<readonly Broken[]> {
  const broken: Broken[] = [];
  for (const { chain, txid, to } of txids) {
    const isOnChain = (await chains.get(chain)!.scanner.lookup(txid)).state === 'mined';
    const status = await books.depositStatus(txid);
    if (status === null && lost.addresses.has(normalized(chain, to))) continue;
    if (isOnChain !== COUNTED.has(status ?? 'unknown'))
      broken.push({
        law: 'money is ours exactly while it is on the chain',
        what: { txid, status, isOnChain },
      });
  }
  return broken;
}

const normalized = (chain: string, address: string): string =>
  fakeDeriver({ family: familyOf(chain) }).normalize(address) ?? address;

const UNDECIDED: ReadonlySet<string> = new Set(['held', 'rejected', 'stray']);

/** What nobody decided about stays at its address, and pays no fee either. */
async function movedUndecided({ chains }: World, { tables, isBlind }: Witness): Promise<readonly Broken[]> {
  if (isBlind) return [];
  const undecided = tables('deposits').filter(({ status }) => UNDECIDED.has(status));
  const broken: Broken[] = [];
  for (const deposits of Map.groupBy(
    undecided,
    (one) => `${one.chain} ${one.address} ${one.asset}`,
  ).values()) {
    const [{ chain, address, asset }] = deposits as [(typeof deposits)[number]];
    const { sender } = chains.get(chain)!;
    if (sender.utxos !== null || sender.capabilities.pooled) continue;
    const there = (await sender.balances(address, [asset])).units.get(asset) ?? 0n;
    const owed = deposits.reduce((sum, { units }) => sum + units, 0n);
    if (there < owed)
      broken.push({
        law: 'what nobody decided about stays at its address',
        what: { chain, address, asset, there, owed },
      });
  }
  return broken;
}

async function unheard(books: Books, heard: readonly Heard[]): Promise<readonly Broken[]> {
  const told = new Set(
    heard.map(({ body }) => {
      const { order_id: id, status } = JSON.parse(body) as Record<string, unknown>;
      return `${String(id)} ${String(status)}`;
    }),
  );
  const invoices = await books.toldInvoices();
  return invoices
    .filter(({ id, status }) => !told.has(`${id} ${status}`))
    .map((what) => ({ law: 'the merchant heard the last status', what }));
}
