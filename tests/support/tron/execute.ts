/**
 * What a block does with a transaction: bandwidth first, then the contract, as java-tron has it
 * (BandwidthProcessor, TransferActuator, VMActuator, ReceiptCapsule, DelegateResourceActuator and
 * their kind).
 */
import { smaller } from '../../../src/domain/money/larger.ts';
import type { Accounts } from './accounts.ts';
import type { ReceivedTransaction } from './decode.ts';
import type { Machine, Ran } from './machine.ts';
import type { Parameters } from './parameters.ts';

export interface World {
  readonly machine: Machine;
  accounts: Accounts;
  readonly parameters: Parameters;
  /** By contract: percent that a busy contract's energy costs more. */
  readonly penalties: ReadonlyMap<string, bigint>;
}

/** What `gettransactioninfo...` tells, before its place is known. */
export type Info = Readonly<Record<string, unknown>>;

export interface Executed {
  /** As the block's producer says. */
  readonly contractRet: string;
  readonly info: Info;
}

/** A transaction that java-tron refuses, by the code that broadcasting answers. */
export class Refused extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const invalid = (message: string): Refused =>
  new Refused('CONTRACT_VALIDATE_ERROR', `Contract validate error : ${message}`);
/** What the chain counts for the result. */
const RESULT_BYTES = 64n;

const text = (value: unknown): string => String(value ?? '');
const sun = (value: unknown): bigint => BigInt(text(value) || '0');

/**
 * Throws Refused when it may not be in a block, and has changed nothing then; a contract that fails
 * is in a block all the same.
 */
export async function execute(
  world: World,
  transaction: ReceivedTransaction,
  nowMs: number,
): Promise<Executed> {
  const before = { machine: world.machine.state(), accounts: world.accounts.copy() };
  try {
    return await executed(world, transaction, nowMs);
  } catch (error) {
    world.machine.restore(before.machine);
    world.accounts = before.accounts;
    throw error;
  }
}

async function executed(world: World, transaction: ReceivedTransaction, nowMs: number): Promise<Executed> {
  const { machine, accounts, parameters } = world;
  const { type, value } = transaction;
  const owner = text(value.owner_address);
  if (!accounts.get(owner)) throw invalid(`account [${owner}] does not exist`);
  const receipt = await payBandwidth(world, transaction, nowMs);
  let fee = receipt.net_fee;

  const paid = async (extra: bigint): Promise<void> => {
    fee += extra;
    await machine.add(owner, -extra);
  };
  const done = (): Executed => ({ contractRet: 'SUCCESS', info: { fee, contractResult: [''], receipt } });

  switch (type) {
    case 'TransferContract': {
      const [to, amount] = [text(value.to_address), sun(value.amount)];
      if (to === owner) throw invalid('Cannot transfer TRX to yourself.');
      if (amount <= 0n) throw invalid('Amount must be greater than 0.');
      const known = accounts.get(to);
      if (known?.isContract) throw invalid('Cannot transfer TRX to a smartContract.');
      const activation = known ? 0n : parameters.createNewAccountFeeInSystemContract;
      if ((await machine.balance(owner)) < amount + activation)
        throw invalid('Validate TransferContract error, balance is not sufficient.');
      accounts.create(to, { nowMs });
      await paid(activation);
      await machine.add(owner, -amount);
      await machine.add(to, amount);
      return done();
    }
    case 'TransferAssetContract':
      return done();
    case 'AccountPermissionUpdateContract': {
      const keys = (value.owner as { keys?: { address: string }[] } | undefined)?.keys;
      if ((await machine.balance(owner)) < parameters.updateAccountPermissionFee)
        throw invalid('insufficient balance');
      await paid(parameters.updateAccountPermissionFee);
      accounts.get(owner)!.signer = keys?.[0]?.address.toLowerCase() ?? owner;
      return done();
    }
    case 'FreezeBalanceV2Contract': {
      const amount = sun(value.frozen_balance);
      if ((await machine.balance(owner)) < amount)
        throw invalid('frozenBalance must be less than accountBalance');
      await machine.add(owner, -amount);
      accounts.get(owner)!.staked += amount;
      return done();
    }
    case 'DelegateResourceContract':
    case 'UnDelegateResourceContract': {
      lend(world, transaction, nowMs);
      return done();
    }
    default:
      return trigger(world, transaction, { nowMs, receipt });
  }
}

interface Receipt {
  net_usage: bigint;
  net_fee: bigint;
}

/**
 * Free bytes of the day, else sun for each; an activation costs a fee of its own instead. Staked
 * bandwidth is not modelled.
 */
async function payBandwidth(
  { machine, accounts, parameters }: World,
  { type, value, bytes }: ReceivedTransaction,
  nowMs: number,
): Promise<Receipt> {
  const owner = text(value.owner_address);
  const size = BigInt(bytes) + RESULT_BYTES;
  const creates = type === 'TransferContract' && !accounts.get(text(value.to_address));
  const free = parameters.freeNetLimit - accounts.freeNetUsed(owner, nowMs);
  if (!creates && size <= free) {
    accounts.useFreeNet(owner, size, nowMs);
    return { net_usage: size, net_fee: 0n };
  }
  const fee = creates ? parameters.createAccountFee : size * parameters.transactionFee;
  if ((await machine.balance(owner)) < fee)
    throw new Refused('BANDWITH_ERROR', 'Account resource insufficient error.');
  await machine.add(owner, -fee);
  return { net_usage: 0n, net_fee: fee };
}

function lend({ accounts }: World, { type, value }: ReceivedTransaction, nowMs: number): void {
  const [owner, receiver] = [text(value.owner_address), text(value.receiver_address)];
  const amount = sun(value.balance);
  if (value.resource !== 'ENERGY') throw invalid('only energy is modelled');
  if (type === 'UnDelegateResourceContract') {
    if (accounts.lent(owner, receiver) < amount) throw invalid('insufficient delegatedFrozenBalance(Energy)');
    accounts.takeBack(owner, receiver, amount, nowMs);
    return;
  }
  if (amount < 1_000_000n) throw invalid('delegateBalance must be greater than or equal to 1 TRX');
  if (accounts.idleStake(owner, nowMs) < amount)
    throw invalid('delegateBalance must be less than or equal to available FreezeEnergyV2 balance');
  if (!accounts.get(receiver)) throw invalid(`Account[${receiver}] not exists`);
  if (accounts.get(receiver)!.isContract)
    throw invalid('Do not allow delegate resources to contract addresses');
  accounts.lend(owner, receiver, amount);
}

/**
 * Energy of the stake first, then sun; all that the call may take is gone when it runs out or fails
 * otherwise than by a revert.
 */
async function trigger(
  world: World,
  { value, feeLimit }: ReceivedTransaction,
  { nowMs, receipt }: { nowMs: number; receipt: Receipt },
): Promise<Executed> {
  const { machine, accounts, parameters } = world;
  const [owner, contract] = [text(value.owner_address), text(value.contract_address)];
  const callValue = sun(value.call_value);
  if (!(await machine.isContract(contract))) throw invalid('No contract or not a smart contract');
  if (feeLimit > parameters.maxFeeLimit)
    throw invalid(`feeLimit must be >= 0 and <= ${parameters.maxFeeLimit}`);
  const balance = await machine.balance(owner);
  if (balance < callValue) throw invalid('Validate InternalTransfer error, balance is not sufficient.');
  const left = accounts.energyLeft(owner, nowMs);
  const affordable = left + (balance - callValue) / parameters.energyFee;
  const allowed = feeLimit / parameters.energyFee;
  const limit = smaller(affordable, allowed);
  const ran = await runContract(world, {
    owner,
    contract,
    data: text(value.data),
    value: callValue,
    limit,
    keep: true,
  });
  for (const { to, rejected } of ran.internal) if (!rejected) accounts.create(to, { nowMs });
  const fromStake = smaller(ran.energy, left);
  accounts.useEnergy(owner, fromStake, nowMs);
  const energyFee = (ran.energy - fromStake) * parameters.energyFee;
  await machine.add(owner, -energyFee);
  const results = { revert: 'REVERT', 'out of energy': 'OUT_OF_ENERGY', other: 'ILLEGAL_OPERATION' };
  const result = ran.failure === null ? 'SUCCESS' : results[ran.failure];
  return {
    contractRet: result,
    info: {
      fee: receipt.net_fee + energyFee,
      contract_address: contract,
      contractResult: [ran.returned],
      receipt: {
        ...receipt,
        energy_usage: fromStake,
        energy_fee: energyFee,
        energy_usage_total: ran.energy,
        energy_penalty_total: ran.penalty,
        result,
      },
      log: ran.logs,
      internal_transactions: ran.internal.map(({ from, to, value: units, note, rejected }) => ({
        caller_address: from,
        transferTo_address: to,
        callValueInfo: [{ callValue: units }],
        note: Buffer.from(note).toString('hex'),
        rejected,
      })),
      ...(ran.failure === null
        ? {}
        : { result: 'FAILED', resMessage: Buffer.from(messageOf(ran)).toString('hex') }),
    },
  };
}

export function messageOf({ failure }: Pick<Ran, 'failure'>): string {
  if (failure === 'revert') return 'REVERT opcode executed';
  return failure === 'out of energy'
    ? "Not enough energy for 'SSTORE' operation executing"
    : 'Invalid operation code';
}

/** With the penalty of a busy contract, within `limit` energy. */
export async function runContract(
  { machine, penalties }: World,
  call: { owner: string; contract: string; data: string; value: bigint; limit: bigint; keep: boolean },
): Promise<Ran & { readonly penalty: bigint }> {
  const percent = penalties.get(call.contract) ?? 0n;
  const energyLimit = (call.limit * 100n) / (100n + percent);
  const ran = await machine.run({ ...call, energyLimit }, { keep: call.keep });
  const all = ran.failure !== null && ran.failure !== 'revert';
  const penalty = all ? call.limit - energyLimit : (ran.energy * percent) / 100n;
  return { ...ran, energy: all ? call.limit : ran.energy + penalty, penalty };
}
