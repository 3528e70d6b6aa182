/**
 * What the other transactions do on the test network: settings, trust lines, offers, escrows,
 * checks, deleted accounts.
 */
import { decodeAccountID } from 'xrpl';
import { currencyOf, millionths } from './issued.ts';
import { type Applied, SUCCESS, whyNotReceived } from './payment-rules.ts';
import { type SubmittedTransaction, sha512Half } from './transaction.ts';
import {
  type Account,
  DEPOSIT_AUTH,
  type Draft,
  type LedgerObject,
  REQUIRE_DEST,
  reserveOf,
} from './world.ts';

export interface Applying {
  readonly draft: Draft;
  readonly tx: SubmittedTransaction;
  /** The sender before its fee was taken. */
  readonly before: Account;
  readonly index: number;
  /** Close time of the ledger before, seconds since 2000. */
  readonly now: number;
}

const ACCOUNT_FLAGS: Readonly<Record<number, number>> = { 1: REQUIRE_DEST, 9: DEPOSIT_AUTH };
/** An account must be that much older in ledgers than its sequence to be deleted. */
const DELETABLE_AFTER = 256;

/** Null for a type of transaction that is not modelled. */
export function applyOther(applying: Applying): Applied | null {
  switch (applying.tx.TransactionType) {
    case 'AccountSet':
      return accountSet(applying);
    case 'TrustSet':
      return trustSet(applying);
    case 'OfferCreate':
      return offerCreate(applying);
    case 'EscrowCreate':
      return escrowCreate(applying);
    case 'EscrowFinish':
      return escrowFinish(applying);
    case 'CheckCreate':
      return checkCreate(applying);
    case 'CheckCash':
      return checkCash(applying);
    case 'AccountDelete':
      return accountDelete(applying);
    default:
      return null;
  }
}

/** The id of a check ('C') or an offer ('o'). */
export function objectId(space: 'C' | 'o', owner: string, sequence: number): string {
  const spaceKey = space.charCodeAt(0).toString(16).padStart(4, '0');
  const account = Buffer.from(decodeAccountID(owner)).toString('hex');
  return sha512Half(`${spaceKey}${account}${sequence.toString(16).padStart(8, '0')}`);
}

const owns = (draft: Draft, address: string, more: number): void =>
  draft.change(address, (account) => ({ ...account, owned: account.owned + more }));

function accountSet({ draft, tx }: Applying): Applied {
  const on = ACCOUNT_FLAGS[tx.SetFlag ?? 0] ?? 0;
  const off = ACCOUNT_FLAGS[tx.ClearFlag ?? 0] ?? 0;
  draft.change(tx.Account, (account) => ({ ...account, flags: (account.flags | on) & ~off }));
  return SUCCESS;
}

function trustSet({ draft, tx }: Applying): Applied {
  if (tx.LimitAmount === undefined) return { code: 'tecNO_LINE' };
  const line = `${tx.Account} ${currencyOf(tx.LimitAmount)}`;
  if (draft.lines.has(line)) return SUCCESS;
  draft.lines.set(line, 0n);
  owns(draft, tx.Account, 1);
  return SUCCESS;
}

/** Only offers that sell XRP, and that nothing crosses. */
function offerCreate({ draft, tx }: Applying): Applied | null {
  const { Account: owner, Sequence, TakerGets, TakerPays } = tx;
  if (typeof TakerGets !== 'string' || TakerPays === undefined || typeof TakerPays === 'string') return null;
  const price = { of: currencyOf(TakerPays), units: millionths(TakerPays) };
  const offer: LedgerObject = { kind: 'Offer', owner, destination: '', drops: BigInt(TakerGets), price };
  draft.objects.set(objectId('o', owner, Sequence), offer);
  owns(draft, owner, 1);
  return SUCCESS;
}

function escrowCreate({ draft, tx, before, index }: Applying): Applied {
  const { Account: owner, Destination: destination = '', Amount, Sequence, FinishAfter = 0 } = tx;
  const refusal = whyNotReceived(draft.accounts.get(destination), tx);
  if (refusal !== null) return { code: refusal };
  const drops = BigInt(String(Amount));
  if (before.balance - reserveOf(before) < drops) return { code: 'tecUNFUNDED' };
  draft.pay(owner, -drops, index);
  draft.objects.set(`${owner}:${Sequence}`, {
    kind: 'Escrow',
    ...{ owner, destination, drops, finishAfter: FinishAfter },
  });
  owns(draft, owner, 1);
  return SUCCESS;
}

/** By anybody: that is how money reaches an account that did nothing for it. */
function escrowFinish({ draft, tx, index, now }: Applying): Applied {
  const id = `${tx.Owner}:${tx.OfferSequence}`;
  const escrow = draft.objects.get(id);
  if (escrow === undefined) return { code: 'tecNO_TARGET' };
  if (now <= (escrow.finishAfter ?? 0)) return { code: 'tecNO_PERMISSION' };
  draft.objects.delete(id);
  owns(draft, escrow.owner, -1);
  draft.pay(escrow.destination, escrow.drops, index);
  return SUCCESS;
}

function checkCreate({ draft, tx }: Applying): Applied {
  const { Account: owner, Destination: destination = '', SendMax, Sequence } = tx;
  const refusal = whyNotReceived(draft.accounts.get(destination), tx);
  if (refusal !== null) return { code: refusal };
  const check: LedgerObject = { kind: 'Check', owner, destination, drops: BigInt(String(SendMax)) };
  draft.objects.set(objectId('C', owner, Sequence), check);
  owns(draft, owner, 1);
  return SUCCESS;
}

function checkCash({ draft, tx, index }: Applying): Applied {
  const { Account: casher, CheckID = '', Amount } = tx;
  const check = draft.objects.get(CheckID);
  if (check === undefined) return { code: 'tecNO_ENTRY' };
  if (check.destination !== casher) return { code: 'tecNO_PERMISSION' };
  const drops = BigInt(String(Amount));
  const owner = draft.accounts.get(check.owner);
  if (owner === undefined || drops > check.drops) return { code: 'tecPATH_PARTIAL' };
  if (owner.balance - reserveOf({ ...owner, owned: owner.owned - 1 }) < drops)
    return { code: 'tecPATH_PARTIAL' };
  draft.objects.delete(CheckID);
  owns(draft, check.owner, -1);
  draft.pay(check.owner, -drops, index);
  draft.pay(casher, drops, index);
  return SUCCESS;
}

function accountDelete({ draft, tx, before, index }: Applying): Applied {
  const { Account: gone, Destination: destination = '' } = tx;
  const refusal = whyNotReceived(draft.accounts.get(destination), tx);
  if (refusal !== null) return { code: refusal };
  if (before.sequence + DELETABLE_AFTER > index) return { code: 'tecTOO_SOON' };
  if (before.owned > 0) return { code: 'tecHAS_OBLIGATIONS' };
  const rest = draft.accounts.get(gone)?.balance ?? 0n;
  draft.accounts.delete(gone);
  draft.pay(destination, rest, index);
  return { ...SUCCESS, delivered: rest.toString() };
}
