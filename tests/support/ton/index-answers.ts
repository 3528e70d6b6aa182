/**
 * The answers of toncenter's API v3 about a TON chain in memory: its index of blocks and of
 * transactions, by their times. Modelled of it: the filters, orders and pages that the scanner asks
 * for, and of each answer the fields that it reads.
 */
import type { TonChain, TonRecord } from './ton-chain.ts';
import { base64, MASTERCHAIN_SHARD, SHARDS, shardHash, shardRecords } from './toncenter-answers.ts';

const LIMIT_MAX = 1_000;

interface BlockName {
  readonly workchain: number;
  readonly shard: string;
  readonly seqno: number;
}

/** A block as the index keeps it. */
interface IndexedBlock extends BlockName {
  readonly masterSeqno: number;
  readonly time: number;
  readonly rootHash: Buffer;
  readonly before: readonly BlockName[];
  readonly records: readonly TonRecord[];
}

/**
 * Answers `/api/v3/<path>`, or throws with the text of the error. `lag`: masterchain blocks that
 * the index does not have yet.
 */
export function indexAnswerOf(chain: TonChain, path: string, query: URLSearchParams, lag = 0): unknown {
  switch (path) {
    case 'blocks':
      return { blocks: blocksOf(chain, query, lag).map(blockAnswer) };
    case 'transactions':
      return { transactions: transactionsOf(chain, query, lag), address_book: {} };
    case 'accountStates':
      return { accounts: accountStates(chain, query), address_book: {}, metadata: {} };
    default:
      throw new Error(`Cannot GET /api/v3/${path}`);
  }
}

/** Rows of the query's page. */
function paged<Row>(rows: Iterable<Row>, query: URLSearchParams): readonly Row[] {
  const [limit, offset] = [Number(query.get('limit') ?? 10), Number(query.get('offset') ?? 0)];
  if (limit > LIMIT_MAX) throw new Error(`limit is not allowed: ${limit} > ${LIMIT_MAX}`);
  return [...Iterator.from(rows).take(offset + limit)].slice(offset);
}

function blocksOf(chain: TonChain, query: URLSearchParams, lag: number): readonly IndexedBlock[] {
  const workchain = query.get('workchain');
  const rows = Iterator.from(during(chain, query, lag));
  return paged(
    rows.filter((block) => workchain === null || block.workchain === Number(workchain)),
    query,
  );
}

function accountStates(chain: TonChain, query: URLSearchParams): readonly unknown[] {
  return query.getAll('address').map((address) => {
    const [last] = chain.history(address.toLowerCase());
    return {
      address: address.toUpperCase(),
      last_transaction_hash: last === undefined ? null : base64(last.hash),
      last_transaction_lt: last?.lt.toString() ?? null,
    };
  });
}

function transactionsOf(chain: TonChain, query: URLSearchParams, lag: number): readonly unknown[] {
  const wanted = query.get('hash');
  const rows = [...during(chain, query, lag)]
    .flatMap((block) => block.records.map((record) => ({ block, record })))
    .filter(({ record }) => wanted === null || record.hash.toString('hex') === wanted)
    .toSorted((a, b) => a.block.time - b.block.time || Number(a.record.lt - b.record.lt));
  return paged(rows, query).map(({ block, record }) => ({
    account: record.account.toUpperCase(),
    hash: base64(record.hash),
    lt: record.lt.toString(),
    now: record.transaction.now,
    mc_block_seqno: block.masterSeqno,
    block_ref: nameAnswer(block),
  }));
}

/**
 * Blocks whose time is within `start_utime` and `end_utime`, both included, by their time: those of
 * one second come as they like.
 */
function* during(chain: TonChain, query: URLSearchParams, lag: number): Generator<IndexedBlock> {
  const start = Number(query.get('start_utime') ?? 0);
  const end = Number(query.get('end_utime') ?? Number.POSITIVE_INFINITY);
  const newest = chain.tip.seqno - lag;
  if (query.get('sort') !== 'asc') {
    for (let seqno = newest; seqno > 0; seqno--) yield* blocksWith(chain, seqno).toReversed();
    return;
  }
  let seqno = newest;
  while (seqno > 1 && chain.block(seqno - 1)!.time >= start) seqno--;
  for (; seqno <= newest && chain.block(seqno)!.time <= end; seqno++) yield* blocksWith(chain, seqno);
}

/** A block of the masterchain, and those of the shards that it names first. */
function blocksWith(chain: TonChain, seqno: number): readonly IndexedBlock[] {
  const { rootHash, time } = chain.block(seqno)!;
  const master = { workchain: -1, shard: MASTERCHAIN_SHARD };
  const shards = SHARDS.flatMap((shard) =>
    [2 * seqno - 1, 2 * seqno].map((number) => ({
      ...{ workchain: 0, shard, seqno: number, masterSeqno: seqno, time },
      rootHash: shardHash(chain, shard, number),
      before: [{ workchain: 0, shard, seqno: number - 1 }],
      records: shardRecords(chain.block(seqno)!, shard, number),
    })),
  );
  return [
    {
      ...master,
      seqno,
      masterSeqno: seqno,
      time,
      rootHash,
      before: [{ ...master, seqno: seqno - 1 }],
      records: [],
    },
    ...shards,
  ];
}

/** The index writes shards in hex. */
const nameAnswer = ({ workchain, shard, seqno }: BlockName) => ({
  workchain,
  shard: BigInt.asUintN(64, BigInt(shard)).toString(16).toUpperCase(),
  seqno,
});

const blockAnswer = (block: IndexedBlock) => ({
  ...nameAnswer(block),
  root_hash: base64(block.rootHash),
  gen_utime: block.time.toString(),
  tx_count: block.records.length,
  masterchain_block_ref: nameAnswer({ workchain: -1, shard: MASTERCHAIN_SHARD, seqno: block.masterSeqno }),
  prev_blocks: block.before.map(nameAnswer),
});
