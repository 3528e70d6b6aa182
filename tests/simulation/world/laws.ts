/**
 * The laws of a history at rest: those of the books (tests/support/ledger/ledger-laws.ts), and what
 * only the world knows: what was paid on the chain, what was ordered, and what merchants heard.
 */
import type { ReconciliationReport } from '../../../src/app/treasury/reconcile.ts';
import type { Stage } from './acts/stage.ts';
import type { Heard } from './outside.ts';
import type { World } from './processes.ts';

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

/** What the laws ask of the books, whatever they are stored in. */
export interface Books {
  /** The laws of the ledger that do not hold. */
  brokenLaws(): Promise<readonly Broken[]>;
  /**
   * What has not come to rest, at most 200 rows. With the status of a payout is why it waits, where
   * it says so.
   */
  restless(): Promise<readonly Restless[]>;
  payoutsTo(address: string): Promise<readonly { id: string; status: string; sentUnits: bigint | null }[]>;
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
  }: {
    stage: Stage;
    books: Books;
    heard: readonly Heard[];
    reconciled(): Promise<ReconciliationReport>;
  },
): Promise<readonly Broken[]> {
  const restless = await restlessIn(stage, books);
  const report = await reconciled();
  return [
    ...(restless.length > 0 ? [{ law: 'everything comes to rest', what: restless }] : []),
    ...(await books.brokenLaws()),
    ...(await wrongPayouts(world, stage, books)),
    ...(await wrongDeposits(world, stage, books)),
    ...(await unheard(books, heard)),
    ...(report.agree ? [] : [{ law: 'the chain equals the books', what: report }]),
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

async function wrongPayouts({ chains }: World, { intents }: Stage, books: Books): Promise<readonly Broken[]> {
  const broken: Broken[] = [];
  for (const { uniqId, to, asset, ids, state } of intents) {
    const rows = await books.payoutsTo(to);
    if (rows.length > 1 || ids.size > 1)
      broken.push({ law: 'one payout for each X-Uniq-Id', what: { uniqId, rows } });
    if (state === 'accepted' && rows.length !== 1)
      broken.push({ law: 'an accepted payout exists', what: { uniqId, rows } });
    const got = chains
      .get(asset.chain)!
      .control.received(to)
      .filter((transfer) => transfer.asset === asset.key)
      .reduce((sum, { units }) => sum + units, 0n);
    const owed = rows
      .filter(({ status }) => status === 'success')
      .reduce((sum, { sentUnits }) => sum + (sentUnits ?? 0n), 0n);
    if (got !== owed)
      broken.push({ law: 'each payout is paid exactly once', what: { uniqId, to, got, owed, rows } });
  }
  return broken;
}

async function wrongDeposits({ chains }: World, { txids }: Stage, books: Books): Promise<readonly Broken[]> {
  const broken: Broken[] = [];
  for (const { chain, txid } of txids) {
    const isOnChain = (await chains.get(chain)!.scanner.lookup(txid)).state === 'mined';
    const status = await books.depositStatus(txid);
    if (isOnChain !== COUNTED.has(status ?? 'unknown'))
      broken.push({
        law: 'money is ours exactly while it is on the chain',
        what: { txid, status, isOnChain },
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
