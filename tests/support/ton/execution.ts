/**
 * Transactions and get methods, run by the executor of @ton/sandbox with the main network's
 * configuration.
 */
import {
  type Address,
  beginCell,
  Cell,
  Dictionary,
  loadShardAccount,
  loadTransaction,
  parseTuple,
  storeShardAccount,
  type Transaction,
  type TupleItem,
} from '@ton/core';
import { Blockchain, createEmptyShardAccount } from '@ton/sandbox';

interface Executed {
  /** The shard account afterwards, base64. */
  readonly account: string;
  readonly record: {
    readonly lt: bigint;
    readonly hash: Buffer;
    readonly cell: Cell;
    readonly transaction: Transaction;
  };
}

export async function openExecution() {
  const { executor, configBase64: config } = await Blockchain.create();
  const common = {
    config,
    libs: null,
    verbosity: 'short',
    randomSeed: Buffer.alloc(32),
    ignoreChksig: false,
    debugEnabled: false,
  } as const;

  /** Null when the account does not accept the (external) message: then there is no transaction. */
  async function run(order: {
    account: string | null;
    to: Address;
    message: Cell;
    time: number;
    lt: bigint;
  }): Promise<Executed | null> {
    const shardAccount = order.account ?? shardAccountText(createEmptyShardAccount(order.to));
    const { result } = await executor.runTransaction({
      ...common,
      shardAccount,
      message: order.message,
      now: order.time,
      lt: order.lt,
    });
    if (!result.success) {
      if (/not accepted/i.test(result.error)) return null;
      throw new Error(`the executor failed: ${result.error}`);
    }
    const cell = Cell.fromBase64(result.transaction);
    const transaction = loadTransaction(cell.beginParse());
    return {
      account: result.shardAccount,
      record: { lt: transaction.lt, hash: cell.hash(), cell, transaction },
    };
  }

  /** Exit code -13 where there is no contract, as nodes answer. */
  async function runGetMethod(query: {
    address: Address;
    account: string | null;
    methodId: number;
    stack: TupleItem[];
    time: number;
  }): Promise<{ exitCode: number; gasUsed: number; stack: readonly TupleItem[] }> {
    const account = query.account === null ? null : readShardAccount(query.account).account;
    if (account?.storage.state.type !== 'active') return { exitCode: -13, gasUsed: 0, stack: [] };
    const { code, data } = account.storage.state.state;
    const { output } = await executor.runGetMethod({
      code: code!,
      data: data!,
      methodId: query.methodId,
      stack: query.stack,
      config,
      verbosity: 'short',
      address: query.address,
      unixTime: query.time,
      balance: account.storage.balance.coins,
      randomSeed: common.randomSeed,
      gasLimit: 10_000_000n,
      debugEnabled: false,
    });
    if (!output.success) throw new Error(`the executor failed: ${output.error}`);
    const ran = output.vm_exit_code === 0 || output.vm_exit_code === 1;
    return {
      exitCode: output.vm_exit_code,
      gasUsed: Number(output.gas_used),
      stack: ran ? parseTuple(Cell.fromBase64(output.stack)) : [],
    };
  }

  /** A parameter of the network's configuration: a dictionary by number, of cells. */
  const parameters = Cell.fromBase64(config)
    .beginParse()
    .loadDictDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell());
  function configParam(id: number): Cell {
    const found = parameters.get(id);
    if (found === undefined) throw new Error('LITE_SERVER_UNKNOWN: no such parameter');
    return found;
  }

  return { run, runGetMethod, configParam };
}

export const readShardAccount = (text: string) => loadShardAccount(Cell.fromBase64(text).beginParse());

export const shardAccountText = (account: Parameters<typeof storeShardAccount>[0]): string =>
  beginCell().store(storeShardAccount(account)).endCell().toBoc().toString('base64');
