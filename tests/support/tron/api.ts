/**
 * What the Tron test server answers to each path, in the shape of java-tron's JSON: no zeros, no
 * empty fields, hex addresses.
 */
import { id } from 'ethers';
import { transactionRoot } from '../../../src/adapters/chains/tron/codec/transaction-root.ts';
import type { Chain, ChainBlock, ChainEntry } from './chain.ts';
import { messageOf, Refused, runContract } from './execute.ts';
import { TronWeb } from './tronweb.ts';

export type Question = Readonly<Record<string, unknown>>;

const CONSTANT_ENERGY = 100_000_000n;
const BLOCKS_AT_ONCE_MAX = 100;
const hexMessage = (text: string): string => Buffer.from(text).toString('hex');
const hexAddress = (value: unknown): string => {
  const text = String(value ?? '');
  return (text.startsWith('T') ? TronWeb.address.toHex(text) : text).toLowerCase();
};

/**
 * Answers like a node: `path` is `/wallet/...` or `/walletsolidity/...`. Undefined for a path that
 * is not modelled.
 */
export async function answer(chain: Chain, path: string, question: Question): Promise<unknown> {
  const [, part = '', method = ''] = path.split('/');
  const best = part === 'walletsolidity' ? chain.solid() : chain.tip();
  const seen = (txid: unknown) => {
    const found = chain.find(String(txid));
    return found && found.block.height <= best.height ? found.entry : undefined;
  };
  switch (method) {
    case 'getnowblock':
      return printedBlock(best, true);
    case 'getblock': {
      const { id_or_num: which, detail = false } = question;
      const block = which === undefined || which === '' ? best : chain.block(Number(which));
      return block && block.height <= best.height ? printedBlock(block, detail === true) : {};
    }
    case 'getblockbynum': {
      const block = chain.block(Number(question.num ?? 0));
      return block && block.height <= best.height ? printedBlock(block, true) : {};
    }
    case 'getblockbylimitnext':
      return blocksBetween(chain, question, best);
    case 'gettransactioninfobyblocknum':
      return (chain.block(Number(question.num ?? 0))?.entries ?? []).map(({ info }) => info);
    case 'gettransactionlistfrompending':
      return { txId: chain.pool.map(({ txid }) => txid) };
    case 'gettransactioninfobyid':
      return seen(question.value)?.info ?? {};
    case 'gettransactionbyid': {
      const entry = seen(question.value);
      return entry ? printedTransaction(entry) : {};
    }
    case 'gettransactionfrompending': {
      const waiting = chain.pool.find(({ txid }) => txid === question.value);
      return waiting ? printedTransaction({ transaction: waiting, contractRet: '', info: {} }) : {};
    }
    case 'getaccount':
      return chain.at(best, () => account(chain, hexAddress(question.address)));
    case 'getaccountresource':
      return chain.at(best, async () => resource(chain, hexAddress(question.address), best));
    case 'getchainparameters':
      return chainParameters(chain);
    case 'triggerconstantcontract':
      return chain.at(best, () => constantCall(chain, question));
    case 'estimateenergy': {
      const called = (await chain.at(best, () => constantCall(chain, question))) as Question;
      const { message } = called.result as Question;
      return message === undefined
        ? { result: { result: true }, energy_required: called.energy_used }
        : { result: { code: 'CONTRACT_EXE_ERROR', message } };
    }
    case 'getdelegatedresourcev2': {
      const [from, to] = [hexAddress(question.fromAddress), hexAddress(question.toAddress)];
      const lent = await chain.at(best, async () => chain.world.accounts.lent(from, to));
      return lent === 0n ? {} : { delegatedResource: [{ from, to, frozen_balance_for_energy: lent }] };
    }
    case 'getcandelegatedmaxsize': {
      const { accounts } = chain.world;
      const owner = hexAddress(question.owner_address);
      return { max_size: accounts.get(owner) ? accounts.idleStake(owner, best.timeMs) : 0n };
    }
    case 'broadcasthex':
      return broadcast(chain, String(question.transaction));
    default:
      return undefined;
  }
}

/**
 * From `startNum` to before `endNum`, as far as there are blocks; nothing for more than a hundred.
 */
function blocksBetween(chain: Chain, { startNum = 0, endNum = 0 }: Question, best: ChainBlock): unknown {
  const [from, to] = [Number(startNum), Number(endNum)];
  if (to <= from || to - from > BLOCKS_AT_ONCE_MAX) return {};
  const heights = Array.from({ length: to - from }, (_, offset) => from + offset);
  const blocks = heights.flatMap((height) => chain.block(height) ?? []);
  return {
    block: blocks.filter(({ height }) => height <= best.height).map((each) => printedBlock(each, true)),
  };
}

function printedBlock(
  { height, id: blockID, parentId, timeMs, entries }: ChainBlock,
  detail: boolean,
): unknown {
  return {
    blockID,
    block_header: {
      raw_data: {
        number: height,
        txTrieRoot: transactionRoot(entries.map(printedTransaction)),
        witness_address: `41${'22'.repeat(20)}`,
        parentHash: parentId,
        version: 31,
        timestamp: timeMs,
      },
      witness_signature: '00'.repeat(65),
    },
    ...(detail && entries.length > 0 ? { transactions: entries.map(printedTransaction) } : {}),
  };
}

function printedTransaction({ transaction, contractRet }: ChainEntry): unknown {
  return {
    ...(contractRet === '' ? {} : { ret: [{ contractRet }] }),
    signature: [transaction.signature],
    txID: transaction.txid,
    raw_data: transaction.rawData,
    raw_data_hex: transaction.rawDataHex,
  };
}

async function account({ world }: Chain, address: string): Promise<unknown> {
  const found = world.accounts.get(address);
  if (!found) return {};
  return {
    address,
    balance: await world.machine.balance(address),
    create_time: found.createdMs,
    ...(found.isContract ? { type: 'Contract' } : {}),
    frozenV2: [{}, { type: 'ENERGY', amount: found.staked }],
    owner_permission: {
      permission_name: 'owner',
      threshold: 1,
      keys: [{ address: found.signer, weight: 1 }],
    },
  };
}

function resource({ world, parameters }: Chain, address: string, { timeMs }: ChainBlock): unknown {
  const found = world.accounts.get(address);
  if (!found) return {};
  const limit = world.accounts.energyLimit(found);
  return {
    freeNetUsed: world.accounts.freeNetUsed(address, timeMs),
    freeNetLimit: parameters.freeNetLimit,
    EnergyUsed: limit - world.accounts.energyLeft(address, timeMs),
    EnergyLimit: limit,
    TotalEnergyLimit: parameters.totalEnergyLimit,
    TotalEnergyWeight: parameters.totalEnergyWeight,
  };
}

function chainParameters({ parameters }: Chain): unknown {
  const named: Readonly<Record<string, bigint>> = {
    getTransactionFee: parameters.transactionFee,
    getEnergyFee: parameters.energyFee,
    getFreeNetLimit: parameters.freeNetLimit,
    getCreateAccountFee: parameters.createAccountFee,
    getCreateNewAccountFeeInSystemContract: parameters.createNewAccountFeeInSystemContract,
    getMaxFeeLimit: parameters.maxFeeLimit,
    getUpdateAccountPermissionFee: parameters.updateAccountPermissionFee,
  };
  return { chainParameter: Object.entries(named).map(([key, value]) => ({ key, value })) };
}

async function constantCall({ world }: Chain, question: Question): Promise<unknown> {
  const contract = hexAddress(question.contract_address);
  if (!(await world.machine.isContract(contract)))
    return {
      result: { code: 'CONTRACT_VALIDATE_ERROR', message: hexMessage('Smart contract is not exist.') },
    };
  const { function_selector: selector, parameter = '' } = question;
  const data =
    selector === undefined
      ? String(question.data ?? '')
      : `${id(String(selector)).slice(2, 10)}${String(parameter)}`;
  const ran = await runContract(world, {
    owner: hexAddress(question.owner_address),
    contract,
    data,
    value: BigInt(Number(question.call_value ?? 0)),
    limit: CONSTANT_ENERGY,
    keep: false,
  });
  if (ran.failure !== null && ran.failure !== 'revert') {
    const name = ran.failure === 'out of energy' ? 'OutOfEnergyException' : 'IllegalOperationException';
    const message = `class org.tron.core.vm.program.Program$${name} : ${messageOf(ran)}`;
    return { result: { code: 'OTHER_ERROR', message: hexMessage(message) } };
  }
  return {
    result: { result: true, ...(ran.failure === null ? {} : { message: hexMessage(messageOf(ran)) }) },
    energy_used: ran.energy,
    energy_penalty: ran.penalty,
    constant_result: [ran.returned],
    logs: ran.logs,
    transaction: { ret: [ran.failure === null ? {} : { ret: 'FAILED' }], visible: false },
  };
}

async function broadcast(chain: Chain, hex: string): Promise<unknown> {
  try {
    const { txid } = await chain.take(hex);
    return { result: true, txid };
  } catch (error) {
    const code = error instanceof Refused ? error.code : 'OTHER_ERROR';
    return { code, message: hexMessage((error as Error).message) };
  }
}
