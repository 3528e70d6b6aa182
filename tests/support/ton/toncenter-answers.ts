/**
 * The answers of toncenter's API v2 about a TON chain in memory: one function for each method that
 * is modelled.
 */
import { Address, Cell, type Message, type TupleItem } from '@ton/core';
import { readShardAccount } from './execution.ts';
import { selectorOf } from './jetton.ts';
import type { TonBlock, TonChain, TonRecord } from './ton-chain.ts';

export type Params = Readonly<Record<string, unknown>>;

export const MASTERCHAIN_SHARD = '-9223372036854775808';
/** The two halves of the basechain: ids end in the bit after the prefix. */
export const SHARDS = ['4611686018427387904', '-4611686018427387904'] as const;
const PAGE_MAX = 256;

/** Answers `method`, or throws with the text of the error that a node would answer. */
export async function answerOf(chain: TonChain, method: string, params: Params): Promise<unknown> {
  switch (method) {
    case 'getMasterchainInfo':
      return {
        '@type': 'blocks.masterchainInfo',
        last: masterBlockId(chain, chain.tip.seqno),
        state_root_hash: base64(Buffer.alloc(32, 1)),
        init: masterBlockId(chain, 0),
      };
    case 'getBlockHeader':
      return header(chain, params);
    case 'shards':
      return { '@type': 'blocks.shards', shards: shardsOf(chain, masterSeqno(chain, params.seqno)) };
    case 'getBlockTransactions':
      return blockTransactions(chain, params);
    case 'getTransactions':
      return transactions(chain, params);
    case 'getAddressInformation':
      return addressInformation(chain, params);
    case 'runGetMethod':
      return getMethod(chain, params);
    case 'tryLocateResultTx':
      return located(chain, params);
    case 'getConfigParam':
      return {
        '@type': 'configInfo',
        config: { '@type': 'tvm.cell', bytes: base64(chain.configParam(Number(params.config_id)).toBoc()) },
      };
    case 'sendBoc': {
      await chain.takeExternal(Cell.fromBase64(String(params.boc)));
      return { '@type': 'ok' };
    }
    default:
      throw new Error(`Method ${method} not found`);
  }
}

export const base64 = (bytes: Buffer): string => bytes.toString('base64');

function masterSeqno(chain: TonChain, value: unknown): number {
  const seqno = Number(value);
  if (chain.block(seqno) === null) throw new Error('LITE_SERVER_NOTREADY: ltdb: block not found');
  return seqno;
}

function masterBlockId(chain: TonChain, seqno: number) {
  const { rootHash } = chain.block(seqno)!;
  return blockId({ workchain: -1, shard: MASTERCHAIN_SHARD, seqno, rootHash });
}

function blockId(block: { workchain: number; shard: string; seqno: number; rootHash: Buffer }) {
  return {
    '@type': 'ton.blockIdExt',
    workchain: block.workchain,
    shard: block.shard,
    seqno: block.seqno,
    root_hash: base64(block.rootHash),
    file_hash: base64(Buffer.from(block.rootHash).reverse()),
  };
}

/** Each shard has blocks 2n-1 and 2n in masterchain block n. */
function shardsOf(chain: TonChain, seqno: number) {
  return SHARDS.map((shard) =>
    blockId({ workchain: 0, shard, seqno: 2 * seqno, rootHash: shardHash(chain, shard, 2 * seqno) }),
  );
}

export function shardHash(chain: TonChain, shard: string, seqno: number): Buffer {
  const { rootHash } = chain.block(Math.ceil(seqno / 2))!;
  return Buffer.from(new Bun.CryptoHasher('sha256').update(rootHash).update(`${shard} ${seqno}`).digest());
}

function header(chain: TonChain, { workchain, shard, seqno }: Params) {
  if (Number(workchain) !== -1)
    throw new Error('LITE_SERVER_NOTREADY: only headers of the masterchain are modelled');
  const at = masterSeqno(chain, seqno);
  if (at === 0) throw new Error('LITE_SERVER_UNKNOWN: the zero state has no header');
  return {
    '@type': 'blocks.header',
    id: masterBlockId(chain, at),
    global_id: chain.globalId,
    version: 0,
    after_merge: false,
    after_split: false,
    before_split: false,
    want_merge: true,
    want_split: false,
    is_key_block: false,
    start_lt: String(at * 1_000_000),
    end_lt: String(at * 1_000_000 + 4),
    gen_utime: chain.block(at)!.time,
    prev_blocks: [masterBlockId(chain, at - 1)],
    shard,
  };
}

function blockTransactions(chain: TonChain, params: Params) {
  const seqno = Number(params.seqno);
  const shard = String(params.shard);
  const workchain = Number(params.workchain);
  const block = workchain === 0 ? chain.block(Math.ceil(seqno / 2)) : chain.block(seqno);
  if (block === null) throw new Error('LITE_SERVER_NOTREADY: ltdb: block not found');
  const rootHash = workchain === 0 ? shardHash(chain, shard, seqno) : block.rootHash;
  if (params.root_hash !== undefined && params.root_hash !== base64(rootHash))
    throw new Error('LITE_SERVER_UNKNOWN: block has another root hash');
  const all = workchain !== 0 ? [] : shardRecords(block, shard, seqno);
  const after = Buffer.from(String(params.after_hash ?? ''), 'base64').toString('hex');
  const start =
    params.after_lt === undefined
      ? 0
      : 1 +
        all.findIndex(({ account, lt }) => account.endsWith(after) && lt === BigInt(String(params.after_lt)));
  const count = Math.min(PAGE_MAX, Number(params.count ?? 40));
  const page = all.slice(start, start + count);
  return {
    '@type': 'blocks.transactions',
    id: blockId({ workchain, shard, seqno, rootHash }),
    req_count: count,
    incomplete: start + count < all.length,
    transactions: page.map(({ account, lt, hash }) => ({
      '@type': 'blocks.shortTxId',
      mode: 135,
      account: account.toUpperCase(),
      lt: lt.toString(),
      hash: base64(hash),
    })),
  };
}

/** The transactions of a shard's block. */
export function shardRecords({ records }: TonBlock, shard: string, seqno: number): readonly TonRecord[] {
  return records
    .filter(({ account, half }) => shardOf(account) === shard && half === (seqno % 2 === 1 ? 0 : 1))
    .toSorted(order);
}

/** Blocks list transactions by account, then by logical time. */
function order(a: TonRecord, b: TonRecord): number {
  return a.account === b.account ? Number(a.lt - b.lt) : a.account < b.account ? -1 : 1;
}

const shardOf = (account: string): string => SHARDS[Number.parseInt(account[2]!, 16) < 8 ? 0 : 1];

function transactions(chain: TonChain, params: Params) {
  const history = chain.history(Address.parse(String(params.address)).toRawString());
  const from = params.lt === undefined ? 0 : history.findIndex(({ lt }) => lt === BigInt(String(params.lt)));
  if (from < 0)
    throw new Error('LITE_SERVER_UNKNOWN: cannot locate transaction in block with specified logical time');
  const wanted = params.hash === undefined ? null : hashText(String(params.hash));
  if (wanted !== null && history[from]?.hash.toString('hex') !== wanted)
    throw new Error('LITE_SERVER_UNKNOWN: transaction hash mismatch');
  const toLt = BigInt(String(params.to_lt ?? 0));
  return history
    .slice(from)
    .filter(({ lt }) => lt > toLt)
    .slice(0, Number(params.limit ?? 10))
    .map(transaction);
}

const hashText = (hash: string): string =>
  /^[0-9a-f]{64}$/i.test(hash) ? hash.toLowerCase() : Buffer.from(hash, 'base64').toString('hex');

function transaction({ account, lt, hash, cell, transaction: tx }: TonRecord) {
  const address = { '@type': 'accountAddress', account_address: Address.parse(account).toString() };
  return {
    '@type': 'raw.transaction',
    address,
    account,
    utime: tx.now,
    data: base64(cell.toBoc()),
    transaction_id: { '@type': 'internal.transactionId', lt: lt.toString(), hash: base64(hash) },
    fee: tx.totalFees.coins.toString(),
    in_msg: tx.inMessage ? message(tx.inMessage) : undefined,
    out_msgs: [...tx.outMessages.values()].map(message),
  };
}

function message({ info, body }: Message) {
  const internal = info.type === 'internal' ? info : null;
  return {
    '@type': 'raw.message',
    source: internal ? internal.src.toString() : '',
    destination: info.type === 'external-out' ? '' : info.dest.toString(),
    value: (internal?.value.coins ?? 0n).toString(),
    created_lt: (internal?.createdLt ?? 0n).toString(),
    body_hash: base64(body.hash()),
    msg_data: { '@type': 'msg.dataRaw', body: base64(body.toBoc()), init_state: '' },
    message: '',
  };
}

function addressInformation(chain: TonChain, params: Params) {
  const address = Address.parse(String(params.address)).toRawString();
  const seqno = params.seqno === undefined ? chain.tip.seqno : masterSeqno(chain, params.seqno);
  const stored = chain.accountAt(address, seqno);
  const shardAccount = stored === null ? null : readShardAccount(stored);
  const storage = shardAccount?.account?.storage;
  const state = storage?.state;
  const active = state?.type === 'active' ? state.state : null;
  return {
    '@type': 'raw.fullAccountState',
    balance: (storage?.balance.coins ?? 0n).toString(),
    code: active?.code ? base64(active.code.toBoc()) : '',
    data: active?.data ? base64(active.data.toBoc()) : '',
    last_transaction_id: {
      '@type': 'internal.transactionId',
      lt: (shardAccount?.lastTransactionLt ?? 0n).toString(),
      hash: base64(
        Buffer.from((shardAccount?.lastTransactionHash ?? 0n).toString(16).padStart(64, '0'), 'hex'),
      ),
    },
    block_id: masterBlockId(chain, seqno),
    frozen_hash: '',
    sync_utime: chain.block(seqno)!.time,
    state: active ? 'active' : state?.type === 'frozen' ? 'frozen' : 'uninitialized',
  };
}

async function getMethod(chain: TonChain, params: Params) {
  const address = Address.parse(String(params.address));
  const seqno = params.seqno === undefined ? chain.tip.seqno : masterSeqno(chain, params.seqno);
  const { exitCode, gasUsed, stack } = await chain.runGetMethod({
    address,
    account: chain.accountAt(address.toRawString(), seqno),
    methodId: selectorOf(String(params.method)),
    stack: (params.stack as readonly (readonly [string, string])[]).map(stackIn),
    time: chain.block(seqno)!.time,
  });
  return {
    '@type': 'smc.runResult',
    gas_used: gasUsed,
    stack: stack.map(stackOut),
    exit_code: exitCode,
    block_id: masterBlockId(chain, seqno),
  };
}

function stackIn([kind, value]: readonly [string, string]): TupleItem {
  if (kind === 'num') return { type: 'int', value: BigInt(value) };
  const cell = Cell.fromBase64(value);
  return kind === 'tvm.Slice' ? { type: 'slice', cell } : { type: 'cell', cell };
}

function stackOut(item: TupleItem): unknown {
  switch (item.type) {
    case 'int':
      return ['num', item.value < 0n ? `-0x${(-item.value).toString(16)}` : `0x${item.value.toString(16)}`];
    case 'cell':
    case 'slice':
      return ['cell', { bytes: base64(item.cell.toBoc()), object: {} }];
    default:
      throw new Error(`a stack entry of type ${item.type} is not modelled`);
  }
}

/** The transaction that took an internal message. */
function located(chain: TonChain, params: Params) {
  const [source, destination] = [params.source, params.destination].map((text) =>
    Address.parse(String(text)),
  );
  const found = chain.history(destination!.toRawString()).find(({ transaction: tx }) => {
    const info = tx.inMessage?.info;
    return (
      info?.type === 'internal' &&
      info.src.equals(source!) &&
      info.createdLt === BigInt(String(params.created_lt))
    );
  });
  if (found === undefined) throw new Error('LITE_SERVER_UNKNOWN: message not found');
  return transaction(found);
}
