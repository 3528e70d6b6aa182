/**
 * Unsigned transactions. The recipient is checked first. A payment that would fail on the ledger
 * and only cost its fee is refused here, while a refusal is still free.
 */
import { spendableUnits } from '../../../../domain/sending/own-money.ts';
import type { BlockRef } from '../../../../ports/chains/chain-scanner.ts';
import {
  type SendingOrder,
  SendingRefused,
  type UnsignedTransaction,
} from '../../../../ports/sending/chain-sender.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { onlyPayment } from '../../shared/send/only-payment.ts';
import { preparedOn } from '../../shared/send/prepared.ts';
import { tried } from '../../shared/send/trial.ts';
import { readXrpAddress, type XrpAddress } from '../codec/address.ts';
import { storedTransaction, writeUnsigned, type XrpContent } from '../codec/transaction.ts';
import { presentFee } from '../fees.ts';
import type { LedgerNode } from '../ledger-node.ts';
import { lastLedger } from '../read/ledgers.ts';
import {
  accountIn,
  authorizesDeposits,
  destinationOf,
  ownAccount,
  requiresTag,
  reserveIn,
  type XrpReserves,
  type XrpSending,
} from './sending.ts';

/** Ledgers in which a transaction can be included: somewhat more than a minute. */
export const LEDGERS_VALID = 20;
/**
 * Most ledgers that one node may be ahead of another that has stopped: some 22 hours, at one in
 * four seconds.
 */
const AHEAD_MAX = 20_000;
/** Accounts without a key ("Special Addresses" of the protocol's documentation). */
const NOBODYS = [
  'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
  'rrrrrrrrrrrrrrrrrrrrBZbvji',
  'rrrrrrrrrrrrrrrrrNAMEtxvNvQ',
  'rrrrrrrrrrrrrrrrrrrn5RM1rHd',
];

/** `replaces`: the last one that was signed, which is dead by now. */
export async function prepare(
  sending: XrpSending,
  order: SendingOrder,
  replaces: { raw: string } | null,
): Promise<UnsignedTransaction> {
  const { pool } = sending;
  const after = replaces === null ? 0 : storedTransaction(replaces.raw).lastLedger;
  const tips = pool.size === 1 ? [] : await pool.every((node) => tipOf(sending, node));
  return preparedOn(sending, (node) => prepareOn(sending, node, order, { after, tips }));
}

/** Once a round. */
function tipOf({ pool }: XrpSending, node: LedgerNode): Promise<BlockRef> {
  return pool.rounds.moment(node).once('tip', () => lastLedger(node));
}

async function prepareOn(
  sending: XrpSending,
  node: LedgerNode,
  order: SendingOrder,
  { after, tips }: { after: number; tips: readonly BlockRef[] },
): Promise<UnsignedTransaction> {
  const account = ownAccount(sending, order.wallet);
  const { once } = sending.pool.rounds.moment(node);
  const ledger = await once('tip', () => lastLedger(node));
  const lastOne = ledger.height + LEDGERS_VALID;
  if (lastOne <= after) throw new NodeLagging(`${node.label}: lags behind the last transaction's ledgers`);
  // A transaction that is valid for too long could not be replaced in time.
  if (tips.some((tip) => isFarAhead(ledger, tip)))
    throw new NodeLagging(`${node.label}: reports a ledger far ahead of another node's`);
  const own = await once(`account ${account}`, () => accountIn(node, account, ledger.hash));
  const fee = await once('fee', () => presentFee(node, sending));
  const content = contentOf(sending, order, account);
  const leaving = content.kind === 'payment' ? fee + content.drops : fee;
  const needed =
    leaving +
    (content.kind !== 'payment' || own === null
      ? 0n
      : reserveIn(await once('reserves', () => sending.reserves(node)), own));
  if (own === null || own.balance < needed || spendableUnits(own.balance, order.own) < leaving)
    throw new SendingRefused('money', `${account} has too little for the amount, the fee and the reserve`);
  if (fee > sending.fees.ceiling)
    throw new SendingRefused('fees', `${sending.chain}: the fee would be above the configured ceiling`);
  if (content.kind === 'payment')
    await tried({
      label: node.label,
      ask: () =>
        checkRecipient(node, {
          ...{ from: account, ...content, ledgerHash: ledger.hash },
          reserve: () => once('reserves', () => sending.reserves(node)),
        }),
      control: () => accountIn(node, account, ledger.hash),
    });
  const transaction = {
    account,
    sequence: Number(order.nonce),
    feeDrops: fee,
    lastLedger: lastOne,
    content,
  };
  return { payload: writeUnsigned(transaction), maxFeeUnits: fee, validUntil: BigInt(lastOne) };
}

/** By more than the time between them explains: a ledger takes a second at least. */
function isFarAhead(ledger: BlockRef, other: BlockRef): boolean {
  const seconds = Math.max(0, ledger.time - other.time);
  return ledger.height - other.height > Math.min(seconds, AHEAD_MAX) + LEDGERS_VALID;
}

/**
 * A cancellation transaction. One for a sequence that no payment takes is ordered as a payment to
 * the account itself, and also sets up the account (ChainSender.isSetUp). A payment that was given
 * up keeps its recipient, and changes no setting.
 */
function contentOf(sending: XrpSending, order: SendingOrder, account: string): XrpContent {
  const { to, units } = onlyPayment(order);
  if (order.voids)
    return { kind: readXrpAddress(sending.network, to)?.account === account ? 'require_tags' : 'void' };
  if (order.asset !== sending.nativeAsset) throw new Error(`${order.asset} is no asset of ${sending.chain}`);
  return { kind: 'payment', to: destinationOf(sending, to), drops: units };
}

async function checkRecipient(
  node: LedgerNode,
  payment: {
    from: string;
    to: XrpAddress;
    drops: bigint;
    ledgerHash: string;
    reserve: () => Promise<XrpReserves>;
  },
): Promise<void> {
  const { from, to, drops, ledgerHash, reserve } = payment;
  const undone = (reason: string): SendingRefused => new SendingRefused('undone', `${to.account} ${reason}`);
  if (to.account === from) throw undone('is the sender itself');
  if (NOBODYS.includes(to.account)) throw undone("is nobody's account");
  const recipient = await accountIn(node, to.account, ledgerHash);
  if (recipient === null) {
    const { base } = await reserve();
    if (drops < base) throw undone(`is not funded: the first payment must be at least ${base} drops`);
    return;
  }
  if (recipient.pseudo) throw undone('belongs to the ledger itself, and takes no payments');
  if (requiresTag(recipient) && to.tag === null) throw undone('requires a destination tag');
  if (authorizesDeposits(recipient) && !(await mayDeposit(node, from, to.account)))
    throw undone('takes payments only from senders that it authorized');
}

async function mayDeposit(node: LedgerNode, from: string, to: string): Promise<boolean> {
  const parameters = { source_account: from, destination_account: to, ledger_index: 'validated' };
  return (await node.ask('deposit_authorized', parameters)).deposit_authorized === true;
}
