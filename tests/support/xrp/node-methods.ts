/**
 * The methods of rippled's JSON-RPC that the product asks, in API version 2, over what a node has
 * of its network.
 */
import { hashes, isValidClassicAddress } from 'xrpl';
import type { ClosedTransaction, Ledger } from './network.ts';
import type { NodeView } from './node.ts';
import type { SubmittedTransaction } from './transaction.ts';
import {
  accountFields,
  BASE_FEE,
  BASE_RESERVE,
  DEPOSIT_AUTH,
  OWNER_RESERVE,
  REQUIRE_DEST,
  threadOf,
} from './world.ts';

export type Parameters = Readonly<Record<string, unknown>>;
type Method = (view: NodeView, parameters: Parameters) => Readonly<Record<string, unknown>>;

/** An error by its name in the protocol. */
export class ProtocolError extends Error {
  readonly token: string;
  readonly code: number;
  readonly more: Parameters;
  constructor(token: string, code = 0, more: Parameters = {}) {
    super(token);
    this.token = token;
    this.code = code;
    this.more = more;
  }
}

const METHODS: Readonly<Record<string, Method>> = {
  server_info: serverInfo,
  server_state: serverState,
  fee: feeLevels,
  ledger: ledgerMethod,
  tx: transactionMethod,
  account_info: accountInfo,
  account_tx: accountTransactions,
  deposit_authorized: depositAuthorized,
  submit,
};

export function methods(name: string): Method {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (method === undefined) throw new ProtocolError('unknownCmd', 32);
  return method;
}

function serverInfo(view: NodeView): Parameters {
  const { index: seq, hash } = view.validated();
  const reserves = { base_fee_xrp: 0.00001, reserve_base_xrp: 1, reserve_inc_xrp: 0.2 };
  const id = view.networkId === null ? {} : { network_id: view.networkId };
  const validated_ledger = { age: 1, hash, seq, ...reserves };
  return { info: { complete_ledgers: view.history(), server_state: 'full', validated_ledger, ...id } };
}

function serverState(view: NodeView): Parameters {
  const { index: seq, hash } = view.validated();
  const reserves = { reserve_base: Number(BASE_RESERVE), reserve_inc: Number(OWNER_RESERVE) };
  const validated_ledger = { base_fee: Number(BASE_FEE), hash, seq, ...reserves };
  return { state: { complete_ledgers: view.history(), server_state: 'full', validated_ledger } };
}

function feeLevels({ network }: NodeView): Parameters {
  const base = BASE_FEE.toString();
  const drops = {
    base_fee: base,
    median_fee: '5000',
    minimum_fee: base,
    open_ledger_fee: network.fee.toString(),
  };
  return { drops, ledger_current_index: network.ledgers.at(-1)!.index + 1 };
}

function ledgerMethod(
  view: NodeView,
  { ledger_index, ledger_hash, transactions, expand }: Parameters,
): Parameters {
  const found = view.ledger(ledger_hash ?? ledger_index);
  if (found === null) throw new ProtocolError('lgrNotFound', 21, { error_message: 'ledgerNotFound' });
  const { ledger, validated } = found;
  const { index, hash, parentHash, closeTime } = ledger;
  const shown =
    expand === true
      ? ledger.transactions.map((transaction) => ({ ...shownTransaction(transaction, ledger), validated }))
      : ledger.transactions.map(({ txid }) => txid);
  return {
    ledger: {
      ...{
        ledger_index: index,
        ledger_hash: hash,
        parent_hash: parentHash,
        close_time: closeTime,
        closed: true,
      },
      ...(transactions === true ? { transactions: shown } : {}),
    },
    ...{ ledger_hash: hash, ledger_index: index, validated },
  };
}

function transactionMethod(view: NodeView, { transaction, min_ledger, max_ledger }: Parameters): Parameters {
  const { network } = view;
  for (const [position, ledger] of network.ledgers.entries()) {
    const found = ledger.transactions.find(({ txid }) => txid === transaction);
    if (found === undefined) continue;
    if (position > network.validated) return waitingTransaction(found);
    if (view.keeps(ledger.index)) return { ...shownTransaction(found, ledger), validated: true };
  }
  const remembered = view.remembers ? network.seen.get(String(transaction)) : undefined;
  const waiting = network.waiting.find(({ txid }) => txid === transaction) ?? remembered;
  if (waiting !== undefined) return waitingTransaction(waiting);
  throw new ProtocolError('txnNotFound', 29, {
    error_message: 'Transaction not found.',
    ...(min_ledger === undefined
      ? {}
      : { searched_all: !view.unsure && hasAll(view, Number(min_ledger), Number(max_ledger)) }),
  });
}

function hasAll(view: NodeView, from: number, to: number): boolean {
  for (let index = from; index <= to; index++) if (!view.keeps(index)) return false;
  return true;
}

const waitingTransaction = ({ tx, txid }: Pick<ClosedTransaction, 'tx' | 'txid'>): Parameters => ({
  ...{ tx_json: fieldsOf(tx), hash: txid, validated: false },
});

function shownTransaction({ tx, txid, meta }: ClosedTransaction, { index, hash }: Ledger): Parameters {
  return { tx_json: fieldsOf(tx), meta, hash: txid, ledger_index: index, ledger_hash: hash };
}

/** API version 2 calls a Payment's Amount DeliverMax. */
function fieldsOf({ Amount, ...tx }: SubmittedTransaction): Parameters {
  if (Amount === undefined) return tx;
  return tx.TransactionType === 'Payment' ? { ...tx, DeliverMax: Amount } : { ...tx, Amount };
}

function accountInfo(view: NodeView, { account, ledger_index, ledger_hash }: Parameters): Parameters {
  if (!isValidClassicAddress(String(account))) throw new ProtocolError('actMalformed', 35);
  if (ledger_index === 'current') return openAccount(view, String(account));
  const found = view.ledger(ledger_hash ?? ledger_index);
  if (found === null) throw new ProtocolError('lgrNotFound', 21);
  const { ledger, validated } = found;
  const place = { ledger_index: ledger.index, ledger_hash: ledger.hash, validated };
  const entry = ledger.world.accounts.get(String(account));
  if (entry === undefined) throw new ProtocolError('actNotFound', 19, place);
  const account_flags = {
    requireDestinationTag: (entry.flags & REQUIRE_DEST) !== 0,
    depositAuth: (entry.flags & DEPOSIT_AUTH) !== 0,
  };
  const account_data = {
    ...accountFields(String(account), entry),
    ...threadOf(entry),
    index: hashes.hashAccountRoot(String(account)),
  };
  return { account_data, account_flags, ...place };
}

/** In the open ledger, to which all is applied that can be: the queue is empty. */
function openAccount({ network }: NodeView, account: string): Parameters {
  const entry = network.open().accounts.get(account);
  if (entry === undefined) throw new ProtocolError('actNotFound', 19);
  const queue_data = { txn_count: 0 };
  return { account_data: accountFields(account, entry), queue_data, validated: false };
}

/** The newest first; a page ends between two transactions. */
function accountTransactions(view: NodeView, parameters: Parameters): Parameters {
  const { account, ledger_index_min, ledger_index_max, limit, marker } = parameters;
  const [from, to] = [Number(ledger_index_min), newestIf(view, Number(ledger_index_max))];
  if (!hasAll(view, from, to)) throw new ProtocolError('lgrIdxMalformed', 58);
  const within = view.network.ledgers.filter(({ index }) => index >= from && index <= to);
  const all = within
    .flatMap((ledger) => ledger.transactions.map((transaction) => ({ transaction, ledger })))
    .filter(({ transaction }) => JSON.stringify(transaction).includes(`"${String(account)}"`))
    .map(({ transaction, ledger }) => ({ ...shownTransaction(transaction, ledger), validated: true }))
    .toReversed();
  const start = Number(marker ?? 0);
  const end = start + Math.min(Number(limit), view.pageMost);
  return {
    ...{ account, ledger_index_min: from, ledger_index_max: to, limit, validated: true },
    transactions: all.slice(start, end),
    ...(end < all.length ? { marker: end } : {}),
  };
}

/** -1 names the newest validated ledger. */
const newestIf = (view: NodeView, index: number): number => (index === -1 ? view.validated().index : index);

function depositAuthorized(view: NodeView, { source_account, destination_account }: Parameters): Parameters {
  const { accounts } = view.validated().world;
  const destination = accounts.get(String(destination_account));
  if (destination === undefined) throw new ProtocolError('dstActNotFound', 84);
  return {
    ...{ source_account, destination_account, validated: true },
    deposit_authorized: (destination.flags & DEPOSIT_AUTH) === 0 || source_account === destination_account,
  };
}

function submit({ network }: NodeView, { tx_blob }: Parameters): Parameters {
  const { code, kept } = network.submit(String(tx_blob));
  if (code === 'invalidTransaction') throw new ProtocolError('invalidTransaction');
  return { engine_result: code, accepted: kept, applied: kept, broadcast: kept, kept, queued: false };
}
