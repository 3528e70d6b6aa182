/**
 * The ChainScanner of the XRP Ledger: validated ledgers of several nodes, and in them what reached
 * our one account. The destination tag names the deposit address. A payment without a tag of ours
 * is reported as paid to the bare account.
 */
import { member } from '../../../../domain/money/lossless-json.ts';
import {
  type BlockId,
  type BlockRange,
  type ChainScanner,
  ChainUnavailable,
  type ClaimedTransfer,
  type ScannedBlock,
  type TransactionStatus,
  type Transfer,
  type UnknownTransaction,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { bestStatus } from '../../shared/nodes/across-nodes.ts';
import { bridged } from '../../shared/nodes/lagging.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { shownIn } from '../../shared/nodes/node-quorum.ts';
import { finalizedByConfirmations } from '../../shared/read/finality.ts';
import { blockOmissions } from '../../shared/read/omissions.ts';
import { scannerOver } from '../../shared/read/scanner-over.ts';
import { unknownField, withoutSigned } from '../../shared/read/unknown.ts';
import { TAG_MAX, xAddress } from '../codec/address.ts';
import {
  balanceChange,
  drops,
  dropsOrNull,
  hash,
  type LedgerTransaction,
  ledgerTransaction,
  type ValidatedLedger,
  whole,
} from '../codec/decode.ts';
import { type LedgerNode, unless } from '../ledger-node.ts';
import { type LedgerOptions, type LedgerPool, ledgerPool } from '../ledger-pool.ts';
import { accountHistory } from './account-history.ts';
import { arrivalsOf, type XrpArrival } from './arrivals.ts';
import { lastLedger, ledgerAt, ledgersAt, linked, type ReadLedger, readLedgers } from './ledgers.ts';

/** About an hour, of which only what concerns us is read. */
const MAX_RANGE = 1_000;
/** Ledgers that are looked at once more, after about a minute. */
const LATE_AT_LEAST = 16;
/** Where each ledger is read. */
const LEDGERS_PER_SCAN = 16;

export interface XrpScannerOptions extends LedgerOptions {
  /** Classic address of our account (AddressDeriver.hotWallet). */
  readonly account: string;
  /** Asset key of XRP. */
  readonly asset: string;
  /**
   * Validated ledgers that make a ledger final, its own included. The protocol needs 1: what is
   * validated stays.
   */
  readonly confirmations: number;
}

/** What the ledgers are read for. */
interface XrpScanContext extends XrpScannerOptions {
  /** The account without a tag, as deposit addresses are written. */
  readonly bare: string;
}

/**
 * A scanner that opens no connection before its first question. Throws for options that can never
 * work.
 */
export function xrpScanner(options: XrpScannerOptions, pool: LedgerPool = ledgerPool(options)): ChainScanner {
  const { chain, network, account, confirmations, logger, time } = options;
  const reading: XrpScanContext = { ...options, bare: xAddress(network, { account, tag: null }) };
  /** The first ledger that was read on. */
  let begun: number | null = null;
  const headOf = async (node: LedgerNode) => {
    const tip = await lastLedger(node);
    return { tip, finalizedHeight: finalizedByConfirmations(tip.height, confirmations) };
  };
  const late = blockOmissions({
    ...{ chain, pool, logger, least: LATE_AT_LEAST, most: MAX_RANGE },
    // Each node is asked again, as ledgers between may have been left out.
    told: { begun: () => begun },
    // The ledger before the range is not compared, so its hash may be empty.
    scan: (node, range, watch) =>
      scan(reading, node, { ...range, after: { height: range.from - 1, hash: '' } }, watch),
  });
  return {
    ...scannerOver({
      ...{ chain, maxRange: MAX_RANGE, pool, logger, seen: { head: null }, lag: { time }, headOf },
      headerAt: ledgerAt,
      scan: (node, range, watch, lag) => {
        if (range.after !== undefined) begun ??= range.from;
        return bridged(() => scan(reading, node, range, watch), lag);
      },
      witness: {
        // One that has lost the ledger (NodeLagging) cannot tell: it abstains.
        hashAt: async (node, height) => (await ledgerAt(node, height))?.hash,
        finalHeight: async (node) => (await headOf(node)).finalizedHeight,
        reading: (node, block) => shown(reading, node, block),
      },
    }),
    lookup: async (txid) =>
      isTxid(txid) ? bestStatus(pool, (node) => statusOf(reading, node, txid)) : { state: 'unknown' },
    ...(pool.size === 1 ? {} : { late }),
    // What waits is validated within seconds, and until then nobody knows what it will deliver
    // (X1).
    pending: async () => [],
    unscannedAssets: async () => [],
  };
}

const isTxid = (text: string): boolean => /^[0-9a-f]{64}$/i.test(text);

async function statusOf(
  { chain }: XrpScanContext,
  node: LedgerNode,
  txid: string,
): Promise<TransactionStatus> {
  const answer = await unless('txnNotFound', () => node.ask('tx', { transaction: txid }));
  if (answer === null) return { state: 'unknown' };
  if (answer.validated !== true) return { state: 'pending' };
  const height = whole(answer.ledger_index, 'ledger index of a transaction');
  const ledger = await ledgerAt(node, height);
  const claimed = answer.ledger_hash === undefined ? null : hash(answer.ledger_hash, 'ledger hash');
  if (ledger === null || (claimed !== null && claimed !== ledger.hash))
    throw new ChainUnavailable(`${chain}: ledger ${height} was replaced while ${txid} was looked up`);
  return { state: 'mined', height, blockHash: ledger.hash };
}

/**
 * The first of these ledgers, each with what changed our account in it: with all its transactions
 * where no less proves that.
 */
async function everyLedger(
  { chain, account, logger }: XrpScanContext,
  node: LedgerNode,
  { from, to }: BlockRange,
): Promise<readonly ReadLedger[]> {
  const first = { from, to: Math.min(to, from + LEDGERS_PER_SCAN - 1) };
  const headers = await readLedgers(node, first, false);
  const history = await accountHistory(node, account, { from, last: headers.at(-1)! });
  if (history === null) {
    const why = 'the history of our account is not there, or not all of it';
    logger.info('node.read_in_full', { chain, node: node.label, why });
    return readLedgers(node, first);
  }
  return headers.map((ledger) => ({ ...ledger, transactions: history.get(ledger.height) ?? [] }));
}

/** The first and the last of the ledgers, and between them those in which our account changed. */
async function changedLedgers(
  reading: XrpScanContext,
  node: LedgerNode,
  range: BlockRange,
): Promise<readonly ReadLedger[]> {
  const { from, to } = range;
  const [last] = (await ledgersAt(node, [to])) as [ValidatedLedger];
  const history = await accountHistory(node, reading.account, { from, last });
  if (history === null) return everyLedger(reading, node, range);
  const heights = new Set([from, ...history.keys()]);
  heights.delete(to);
  const others = await ledgersAt(
    node,
    [...heights].toSorted((a, b) => a - b),
  );
  return linked([...others, last]).map((ledger) => ({
    ...ledger,
    transactions: history.get(ledger.height) ?? [],
  }));
}

async function scan(
  reading: XrpScanContext,
  node: LedgerNode,
  range: BlockRange,
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const { account, bare } = reading;
  const ledgers = await (range.after === undefined ? everyLedger : changedLedgers)(reading, node, range);
  const arrived = ledgers.map((ledger) => arrivalsIn(ledger, account));
  const addresses = arrived.flat().map(({ arrival }) => addressOf(reading, arrival));
  const known = await watch.known([...new Set([...addresses, ...(addresses.length > 0 ? [bare] : [])])]);
  const sent = ledgers.map(({ transactions }) =>
    transactions
      .filter((item) => member(item, 'tx_json', 'Account') === account)
      .map((item) => unknownOf(reading, ledgerTransaction(item))),
  );
  const unknown = await withoutSigned(watch.spending, sent);
  return ledgers.map((read, position) => {
    const { transactions: _, ...ledger } = read;
    const transfers = (arrived[position] ?? []).flatMap(({ txid, arrival }) => {
      const meant = addressOf(reading, arrival);
      const to = known.has(meant) ? meant : known.has(bare) ? bare : null;
      return to === null ? [] : [transferOf(reading, txid, arrival, to)];
    });
    return { ...ledger, transfers, ...unknownField(unknown[position]) };
  });
}

/** A transaction of our account, as if this gateway had not signed it. */
function unknownOf(
  { network, account, asset }: XrpScanContext,
  { txid, fields, meta, result }: LedgerTransaction,
): UnknownTransaction {
  const pays = result === 'tesSUCCESS' && fields.TransactionType === 'Payment';
  const units = pays ? dropsOrNull(meta.delivered_amount) : null;
  const feeUnits = drops(fields.Fee, 'fee');
  const tag = typeof fields.DestinationTag === 'number' ? fields.DestinationTag : null;
  const to = () => xAddress(network, { account: String(fields.Destination), tag });
  return {
    ...{ txid, feeUnits, nonce: BigInt(whole(fields.Sequence, 'sequence')) },
    payments: units === null ? [] : [{ to: to(), asset, units }],
    harmless: (balanceChange(meta, account) ?? 0n) + feeUnits >= 0n,
  };
}

function addressOf({ network, account, bare }: XrpScanContext, { tag }: XrpArrival): string {
  return tag === null || tag > TAG_MAX ? bare : xAddress(network, { account, tag });
}

function transferOf(
  { account, asset }: XrpScanContext,
  txid: string,
  { kind, units, from }: XrpArrival,
  to: string,
): Transfer {
  const output = kind === 'payment' ? 'native' : `balance:${account}`;
  return { txid, output, asset, to, from, units, kind };
}

/**
 * The node must show the delivered amount and the recipient. If an operator assigned the payment
 * (`from` is null, see ClaimedTransfer), the recipient is not compared: the tag names another
 * address, or none.
 */
async function shown(
  reading: XrpScanContext,
  node: LedgerNode,
  { height, hash: wanted }: BlockId,
): Promise<(claim: ClaimedTransfer) => boolean> {
  const { account, bare } = reading;
  const [ledger] = await readLedgers(node, { from: height, to: height });
  if (ledger?.hash !== wanted)
    throw new NodeLagging(`${node.label}: has another ledger ${height} than before`);
  const transfers = arrivalsIn(ledger, account).map(({ txid, arrival }) =>
    transferOf(reading, txid, arrival, addressOf(reading, arrival)),
  );
  const shows = shownIn({ transfers });
  const toAnybody = shownIn({ transfers: transfers.map((transfer) => ({ ...transfer, to: bare })) });
  return (claim) => (claim.from === null ? toAnybody({ ...claim, to: bare }) : shows(claim));
}

function arrivalsIn(
  { transactions }: ValidatedLedger,
  account: string,
): readonly { txid: string; arrival: XrpArrival }[] {
  return transactions
    .map(ledgerTransaction)
    .flatMap((transaction) =>
      arrivalsOf(transaction, account).map((arrival) => ({ txid: transaction.txid, arrival })),
    );
}
