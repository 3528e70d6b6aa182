/**
 * Contracts of the Tron test server: real bytecode on @ethereumjs/evm, with balances in sun.
 * Storage is priced as Tron prices it (20,000 for a new word, 5,000 for another change, no
 * refunds), which is how Ethereum did before Istanbul.
 */
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM, type Message } from '@ethereumjs/evm';
import { SimpleStateManager } from '@ethereumjs/statemanager';
import { Account, Address, bytesToHex, hexToBytes, type PrefixedHexString } from '@ethereumjs/util';

/** Addresses everywhere here: 42 hex digits, `41` first. */
export type HexAddress = string;

export interface ContractLog {
  /** Without the first byte, as Tron has it. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** What a contract paid in the coin, or tried to. */
export interface InternalPayment {
  readonly from: HexAddress;
  readonly to: HexAddress;
  readonly value: bigint;
  readonly note: 'call' | 'create' | 'suicide';
  readonly rejected: boolean;
}

export interface Ran {
  readonly returned: string;
  readonly energy: bigint;
  readonly failure: 'revert' | 'out of energy' | 'other' | null;
  readonly logs: readonly ContractLog[];
  readonly internal: readonly InternalPayment[];
}

export interface Call {
  readonly owner: HexAddress;
  readonly contract: HexAddress;
  readonly data: string;
  readonly value: bigint;
  readonly energyLimit: bigint;
}

export type MachineState = Readonly<Record<'accounts' | 'code' | 'storage', Map<string, unknown>>>;

export interface Machine {
  balance(address: HexAddress): Promise<bigint>;
  /** Adds `sun`, which may be below zero; throws when the balance would be. */
  add(address: HexAddress, sun: bigint): Promise<void>;
  isContract(address: HexAddress): Promise<boolean>;
  /** Runs a constructor, and puts what it returns at `at`. */
  deploy(code: string, options: { owner: HexAddress; at: HexAddress }): Promise<void>;
  /** Runs a call; its changes stay only with `keep`, and only when it succeeds. */
  run(call: Call, options: { keep: boolean }): Promise<Ran>;
  state(): MachineState;
  restore(state: MachineState): void;
}

const bytes = (hex: string): Uint8Array => hexToBytes(`0x${hex.replace(/^0x/, '')}`);
const evmAddress = (address: HexAddress): Address => new Address(bytes(address.slice(2)));
const tronAddress = (address: Address): HexAddress => `41${address.toString().slice(2)}`;
const digits = (value: Uint8Array): string => bytesToHex(value).slice(2);
const CONSTRUCTION_ENERGY = 1_000_000_000n;

export async function machine(): Promise<Machine> {
  const state = new SimpleStateManager();
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Petersburg });
  const evm = await createEVM({ common, stateManager: state, allowUnlimitedContractSize: true });

  async function add(address: HexAddress, sun: bigint): Promise<void> {
    const account = (await state.getAccount(evmAddress(address))) ?? new Account();
    if (account.balance + sun < 0n) throw new Error(`${address} has too little`);
    account.balance += sun;
    await state.putAccount(evmAddress(address), account);
  }

  return {
    balance: async (address) => (await state.getAccount(evmAddress(address)))?.balance ?? 0n,
    add,
    isContract: async (address) => (await state.getCode(evmAddress(address))).length > 0,

    async deploy(code, { owner, at }) {
      await state.putAccount(evmAddress(at), new Account());
      const { exceptionError, returnValue } = await evm.runCode({
        code: bytes(code),
        to: evmAddress(at),
        caller: evmAddress(owner),
        origin: evmAddress(owner),
        gasLimit: CONSTRUCTION_ENERGY,
      });
      if (exceptionError) throw new Error(`a test contract was not deployed: ${exceptionError.error}`);
      await state.putCode(evmAddress(at), returnValue);
      await cleanUp(evm, state);
    },

    async run({ owner, contract, data, value, energyLimit }, { keep }) {
      const watched = watchInternal(evm, state);
      await evm.journal.checkpoint();
      const { execResult } = await evm.runCall({
        caller: evmAddress(owner),
        origin: evmAddress(owner),
        to: evmAddress(contract),
        data: bytes(data),
        value,
        gasLimit: energyLimit,
      });
      const { exceptionError, executionGasUsed, returnValue, logs = [] } = execResult;
      if (keep && !exceptionError) await evm.journal.commit();
      else await evm.journal.revert();
      await cleanUp(evm, state);
      return {
        returned: digits(returnValue),
        energy: executionGasUsed,
        failure: exceptionError ? failureOf(exceptionError.error) : null,
        logs: exceptionError
          ? []
          : logs.map(([address, topics, content]) => ({
              address: digits(address),
              topics: topics.map(digits),
              data: digits(content),
            })),
        internal: watched.end(exceptionError !== undefined),
      };
    },

    state: () => ({
      accounts: new Map([...state.accountStack[0]!].map(([key, account]) => [key, copied(account)])),
      code: new Map(state.codeStack[0]),
      storage: new Map(state.storageStack[0]),
    }),

    restore({ accounts, code, storage }) {
      const kept = accounts as Map<PrefixedHexString, Account | undefined>;
      state.accountStack = [new Map([...kept].map(([key, account]) => [key, copied(account)]))] as never;
      state.codeStack = [new Map(code)] as never;
      state.storageStack = [new Map(storage)] as never;
    },
  };
}

function copied(account: Account | undefined): Account | undefined {
  return account && Object.assign(new Account(), account);
}

/** Forgets what is warm and what was destroyed: the next call is another transaction's. */
async function cleanUp(evm: EVM, state: SimpleStateManager): Promise<void> {
  await evm.journal.cleanup();
  evm.transientStorage.clear();
  state.originalStorageCache.clear();
}

function failureOf(error: string): Ran['failure'] {
  if (error === 'revert') return 'revert';
  return error === 'out of gas' ? 'out of energy' : 'other';
}

/**
 * Listens to one call. What a failed frame paid, and all below it, is rejected; with the whole
 * call, everything.
 */
function watchInternal(evm: EVM, state: SimpleStateManager): { end(failed: boolean): InternalPayment[] } {
  const payments: { payment: Omit<InternalPayment, 'rejected'>; rejected: boolean }[] = [];
  const frames: number[] = [];
  const begin = (message: Message, resume?: () => void): void => {
    frames.push(payments.length);
    if (message.depth > 0 && message.value > 0n && !message.delegatecall && message.to)
      payments.push({
        payment: {
          from: tronAddress(message.caller),
          to: tronAddress(message.to),
          value: message.value,
          note: 'call',
        },
        rejected: false,
      });
    resume?.();
  };
  const finish = (result: { execResult: { exceptionError?: unknown } }, resume?: () => void): void => {
    const first = frames.pop() ?? 0;
    if (result.execResult.exceptionError) for (const entry of payments.slice(first)) entry.rejected = true;
    resume?.();
  };
  const step = async (event: StepEvent, resume?: () => void): Promise<void> => {
    if (event.opcode.name === 'SELFDESTRUCT') {
      const to = `41${(event.stack.at(-1) ?? 0n).toString(16).padStart(40, '0').slice(-40)}`;
      const value = (await state.getAccount(event.address))?.balance ?? 0n;
      const from = tronAddress(event.address);
      payments.push({ payment: { from, to, value, note: 'suicide' }, rejected: false });
    }
    resume?.();
  };
  evm.events.on('beforeMessage', begin);
  evm.events.on('afterMessage', finish);
  evm.events.on('step', step);
  return {
    end(failed) {
      evm.events.off('beforeMessage', begin);
      evm.events.off('afterMessage', finish);
      evm.events.off('step', step);
      return payments.map(({ payment, rejected }) => ({ ...payment, rejected: rejected || failed }));
    },
  };
}

interface StepEvent {
  readonly opcode: { readonly name: string };
  readonly stack: readonly bigint[];
  readonly address: Address;
}
