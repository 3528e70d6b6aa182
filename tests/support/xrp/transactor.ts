/**
 * One transaction applied to a ledger of the test network: refused (tem, tef, tel, ter), or in it
 * with tes or tec and its metadata.
 */
import { applyOther } from './object-rules.ts';
import { type Applied, applyPayment } from './payment-rules.ts';
import { isSigned, type Submitted } from './transaction.ts';
import { Draft, OWNER_RESERVE, type World } from './world.ts';

/** The ledger that a transaction is to be in. */
export interface Place {
  readonly index: number;
  /** Close time of the ledger before, seconds since 2000. */
  readonly now: number;
  /** Least fee, drops. */
  readonly fee: bigint;
}

type Meta = Readonly<Record<string, unknown>> & { readonly TransactionResult: string };

export type Outcome =
  | { readonly code: string; readonly world: World; readonly meta: Meta }
  /** In no ledger: for good, or (ter, tel) not now. */
  | { readonly code: string; readonly world: null };

/** What can be told without a ledger; null when nothing is wrong. */
export function malformed({ tx }: Submitted): string | null {
  if (!isSigned(tx)) return 'temBAD_SIGNATURE';
  if (!/^\d+$/.test(tx.Fee)) return 'temBAD_FEE';
  if (tx.TransactionType !== 'Payment') return null;
  const plain = typeof tx.Amount === 'string' && tx.SendMax === undefined;
  if (tx.Destination === tx.Account && plain) return 'temREDUNDANT';
  if (tx.Amount === '0') return 'temBAD_AMOUNT';
  return null;
}

export function applied(world: World, submitted: Submitted, place: Place): Outcome {
  const { tx } = submitted;
  const refusal = malformed(submitted) ?? whyNotNow(world, submitted, place);
  if (refusal !== null) return { code: refusal, world: null };
  const before = world.accounts.get(tx.Account)!;
  const done = new Draft(world);
  const fee = BigInt(tx.Fee);
  const charge = (draft: Draft): void =>
    draft.change(tx.Account, (account) => ({
      ...account,
      balance: account.balance - fee,
      sequence: account.sequence + 1,
    }));
  charge(done);
  const { index, now } = place;
  const result: Applied | null =
    tx.TransactionType === 'Payment'
      ? applyPayment(done, tx, { before, index })
      : applyOther({ draft: done, tx, before, index, now });
  if (result === null) return { code: 'temUNKNOWN', world: null };
  if (result.code === 'tesSUCCESS') return settled(done, submitted, { ...result, index });
  const failed = new Draft(world);
  charge(failed);
  return settled(failed, submitted, { ...result, index });
}

function settled(
  draft: Draft,
  { tx, txid }: Submitted,
  { code, delivered, index }: Applied & { index: number },
): Outcome {
  const own = delivered === undefined ? {} : { DeliveredAmount: delivered };
  const told = delivered ?? tx.Amount;
  const hasOne = ['Payment', 'CheckCash', 'AccountDelete'].includes(tx.TransactionType);
  const shown = code === 'tesSUCCESS' && hasOne ? { delivered_amount: told } : {};
  const meta = {
    AffectedNodes: draft.affectedNodes({ txid, index }),
    TransactionResult: code,
    ...own,
    ...shown,
  };
  return { code, world: draft, meta };
}

function whyNotNow(world: World, { tx }: Submitted, { index, fee }: Place): string | null {
  const account = world.accounts.get(tx.Account);
  if (account === undefined) return 'terNO_ACCOUNT';
  if (tx.Sequence < account.sequence) return 'tefPAST_SEQ';
  if (tx.LastLedgerSequence !== undefined && tx.LastLedgerSequence < index) return 'tefMAX_LEDGER';
  if (tx.Sequence > account.sequence) return 'terPRE_SEQ';
  const least = tx.TransactionType === 'AccountDelete' ? OWNER_RESERVE : fee;
  if (BigInt(tx.Fee) < least) return 'telINSUF_FEE_P';
  return account.balance < BigInt(tx.Fee) ? 'terINSUF_FEE_B' : null;
}
