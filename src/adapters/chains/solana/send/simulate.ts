/** Simulates a payment on a node: whether it would succeed, and its compute units. */
import { SendingRefused } from '../../../../ports/sending/chain-sender.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { tried } from '../../shared/send/trial.ts';
import { wholeNumber, withSlot } from '../answers.ts';
import type { SolanaPayment } from '../codec/payment.ts';
import { signersOf, writeSigned, writeUnsigned } from '../codec/transaction.ts';
import { CONFIRMED } from '../read/blocks.ts';

const SIGNATURE_BYTES = 64;
/** Errors of the runtime that mean that the fee payer or the sender has too little. */
const POOR: readonly string[] = ['AccountNotFound', 'InsufficientFundsForFee'];
/** Insufficient funds, in the system program and in the token programs. */
const INSUFFICIENT_FUNDS = 1;

/**
 * The limit of compute units to offer: a fifth more than the simulation used. SendingRefused when
 * the payment would fail.
 */
export async function triedUnits(node: RpcNode, payment: SolanaPayment, blockhash: string): Promise<number> {
  const { wallet } = payment;
  const { err, unitsConsumed } = await tried({
    label: node.label,
    ask: () => simulated(node, payment, blockhash),
    control: () =>
      simulated(
        node,
        { ...payment, recipient: wallet, token: null, creates: false, closes: false },
        blockhash,
      ),
  });
  if (err === undefined) throw unusable('simulation without its error');
  if (err === 'BlockhashNotFound')
    throw new NodeLagging(`${node.label}: does not know its own blockhash yet`);
  if (err !== null) throw refusal(err, signersOf(payment).length);
  return Math.ceil(wholeNumber(unitsConsumed, 'compute units') * 1.2);
}

async function simulated(node: RpcNode, payment: SolanaPayment, blockhash: string) {
  const unsigned = signersOf(payment).map(() => new Uint8Array(SIGNATURE_BYTES));
  const { raw } = writeSigned(writeUnsigned(payment, blockhash), unsigned);
  const options = { ...CONFIRMED, encoding: 'base64', sigVerify: false };
  const answer = await node.call('simulateTransaction', raw, options);
  return fields(withSlot(answer, 'simulation').value, 'simulation');
}

function refusal(err: unknown, signers: number): SendingRefused {
  const text = (typeof err === 'string' ? err : JSON.stringify(err)).slice(0, 200);
  if (isPoor(err, signers)) return new SendingRefused('money', `the wallet has too little: ${text}`);
  return new SendingRefused('undone', `the transaction would revert: ${text}`);
}

/**
 * Whether a transaction failed because the wallet or its fee payer has too little money. The first
 * `signers` accounts are ours.
 */
export function isPoor(err: unknown, signers: number): boolean {
  if (typeof err === 'string') return POOR.includes(err);
  if (typeof err !== 'object' || err === null) return false;
  if ('InsufficientFundsForRent' in err) {
    const { account_index: account } = fields(err.InsufficientFundsForRent, 'transaction error');
    return wholeNumber(account, 'transaction error') < signers;
  }
  if (!('InstructionError' in err)) return false;
  const [, reason] = list(err.InstructionError, 'transaction error');
  return (
    typeof reason === 'object' &&
    reason !== null &&
    'Custom' in reason &&
    reason.Custom === INSUFFICIENT_FUNDS
  );
}
