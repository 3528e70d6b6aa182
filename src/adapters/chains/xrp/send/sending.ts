/**
 * What the parts of an XRP sender share: the chain, its nodes, the fee's bounds, and our account's
 * state.
 */
import { SendingRefused } from '../../../../ports/sending/chain-sender.ts';
import { fields } from '../../shared/nodes/answers.ts';
import { type BudgetTime, systemTime } from '../../shared/nodes/call-log.ts';
import { readXrpAddress, type XrpAddress } from '../codec/address.ts';
import { drops, dropsNumber, dropsOfXrp, whole } from '../codec/decode.ts';
import { type LedgerNode, XrpRefused } from '../ledger-node.ts';
import type { LedgerPool } from '../ledger-pool.ts';
import type { XrpNetwork } from '../network.ts';

export interface XrpSending {
  readonly chain: string;
  readonly network: XrpNetwork;
  readonly pool: LedgerPool;
  readonly nativeAsset: string;
  /** Drops per transaction: least fee, and highest that is signed. */
  readonly fees: { readonly floor: bigint; readonly ceiling: bigint };
  /** The present reserve by this node, at most a minute old. */
  reserves(node: LedgerNode): Promise<XrpReserves>;
  /** Validated ledgers that make a ledger final, its own included. */
  readonly confirmations: number;
}

/** Classic address of our own wallet. It comes from our own storage, so any other text throws. */
export function ownAccount({ network }: Pick<XrpSending, 'network'>, wallet: string): string {
  const address = readXrpAddress(network, wallet);
  if (address === null || address.tag !== null)
    throw new Error(`${wallet} is not an account of the XRP Ledger`);
  return address.account;
}

/** The destination of an order's payment; text that is no address can never be paid. */
export function destinationOf({ network }: Pick<XrpSending, 'network'>, to: string): XrpAddress {
  const address = readXrpAddress(network, to);
  if (address === null) throw new SendingRefused('undone', `${to} is not an address of the XRP Ledger`);
  return address;
}

export interface AccountState {
  readonly balance: bigint;
  readonly sequence: number;
  /** Objects that each add to the reserve. */
  readonly owned: number;
  readonly flags: number;
  /** Belongs to an automated market maker or the like, which cannot be paid. */
  readonly pseudo: boolean;
}

/**
 * An account in a ledger, by the ledger's hash: a node without the ledger says so. Null when there
 * is no such account.
 */
export async function accountIn(
  node: LedgerNode,
  account: string,
  ledgerHash: string,
): Promise<AccountState | null> {
  try {
    const answer = await node.ask('account_info', { account, ledger_hash: ledgerHash });
    const data = fields(answer.account_data, 'account_data');
    return {
      balance: drops(data.Balance, 'account balance'),
      sequence: whole(data.Sequence, 'account sequence'),
      owned: whole(data.OwnerCount, 'owner count'),
      flags: whole(data.Flags, 'account flags'),
      pseudo: PSEUDO_FIELDS.some((name) => data[name] !== undefined),
    };
  } catch (error) {
    if (error instanceof XrpRefused && error.token === 'actNotFound') return null;
    throw error;
  }
}

const PSEUDO_FIELDS = ['AMMID', 'VaultID', 'LoanBrokerID'];

/** lsfRequireDestTag and lsfDepositAuth. */
const REQUIRES_TAG = 0x0002_0000;
const DEPOSIT_AUTH = 0x0100_0000;
const has = (flags: number, flag: number): boolean => Math.floor(flags / flag) % 2 === 1;

/** Whether the ledger refuses payments to it without a destination tag. */
export const requiresTag = ({ flags }: Pick<AccountState, 'flags'>): boolean => has(flags, REQUIRES_TAG);

/** Whether it takes payments only from senders that it authorized. */
export const authorizesDeposits = ({ flags }: Pick<AccountState, 'flags'>): boolean =>
  has(flags, DEPOSIT_AUTH);

export interface XrpReserves {
  readonly base: bigint;
  readonly object: bigint;
}

/** The present reserve of the network, in drops: a base, and an amount per owned object. */
async function reserves(node: LedgerNode): Promise<XrpReserves> {
  let state: unknown;
  try {
    ({ state } = await node.ask('server_state', {}));
  } catch (error) {
    // Clio has no server_state.
    if (error instanceof XrpRefused) return reservesInXrp(node);
    throw error;
  }
  const ledger = fields(
    fields(state, 'server_state').validated_ledger,
    'server_state of the validated ledger',
  );
  return {
    base: dropsNumber(ledger.reserve_base, 'base reserve'),
    object: dropsNumber(ledger.reserve_inc, 'owner reserve'),
  };
}

/** Validators vote on it: it changes every few years, and at most every quarter of an hour. */
const RESERVES_MS = 60_000;

/** `reserves`, read of each node once a minute. */
export function reserveBook(time: Pick<BudgetTime, 'now'> = systemTime): XrpSending['reserves'] {
  const known = new WeakMap<LedgerNode, { readonly reserves: XrpReserves; readonly until: number }>();
  return async (node) => {
    const found = known.get(node);
    if (found !== undefined && time.now() < found.until) return found.reserves;
    const read = await reserves(node);
    known.set(node, { reserves: read, until: time.now() + RESERVES_MS });
    return read;
  };
}

async function reservesInXrp(node: LedgerNode): Promise<XrpReserves> {
  const info = fields((await node.ask('server_info', {})).info, 'server_info');
  const ledger = fields(info.validated_ledger, 'server_info of the validated ledger');
  return {
    base: dropsOfXrp(ledger.reserve_base_xrp, 'base reserve'),
    object: dropsOfXrp(ledger.reserve_inc_xrp, 'owner reserve'),
  };
}

export async function reserveOf(node: LedgerNode, account: Pick<AccountState, 'owned'>): Promise<bigint> {
  return reserveIn(await reserves(node), account);
}

export function reserveIn({ base, object }: XrpReserves, { owned }: Pick<AccountState, 'owned'>): bigint {
  return base + object * BigInt(owned);
}
