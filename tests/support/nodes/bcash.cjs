/**
 * bcash as a regtest node in memory, under Node.js: `node bcash.cjs --http-port=<port>
 * --api-key=<key>`. It is the npm package as it is (sendrawtransaction answers a txid whatever
 * becomes of the transaction), without its native parts, and with calls of our own for tests:
 * `coins`, `sign`, `send`, `generateblock`.
 */
process.env.NODE_BACKEND = 'js';
const { createRequire } = require('node:module');
const level = createRequire(require.resolve('bcash/package.json')).resolve('bdb/lib/level.js');
require.cache[level] = {
  id: level,
  filename: level,
  loaded: true,
  children: [],
  paths: [],
  exports: () => {
    throw new Error('there is no LevelDB here: the node keeps everything in memory');
  },
};
const { Address, Coin, FullNode, KeyRing, MTX, Script, TX } = require('bcash');

const node = new FullNode({
  argv: true,
  memory: true,
  workers: false,
  listen: false,
  logFile: false,
  logConsole: true,
  network: 'regtest',
  maxOutbound: 1,
  indexTX: true,
});
const ring = KeyRing.fromPrivate(Buffer.alloc(32, 7), true);
const own = ring.getAddress();
const { calls } = node.rpc;

const fault = (code, message) => Object.assign(new Error(message), { type: 'RPCError', code });

async function add(tx) {
  const missing = await node.mempool.addTX(tx);
  if (missing) throw fault(-25, 'missing inputs');
}

/**
 * invalidateblock empties the mempool here. As with other nodes, what waited and what the removed
 * blocks held waits again after the next block, unless something else spends its coins then.
 */
let displaced = [];
const invalidate = calls.invalidateblock;
calls.invalidateblock = async (args, help) => {
  const removed = [];
  for (let { hash } = node.chain.tip; ; ) {
    const block = await node.chain.getBlock(hash);
    removed.unshift(...block.txs.slice(1));
    if (block.rhash() === args[0]) break;
    hash = block.prevBlock;
  }
  displaced.push(...removed, ...node.mempool.getSnapshot().map((hash) => node.mempool.getTX(hash)));
  return invalidate.call(node.rpc, args, help);
};
async function takeBackDisplaced() {
  const waiting = displaced;
  displaced = [];
  for (const tx of waiting) await add(tx).catch(() => undefined);
}

/**
 * Outputs to the miner that were ever in a block, by outpoint. bcash's own address index breaks at
 * reorganisations.
 */
const received = new Map();
node.chain.on('connect', (_entry, block) => {
  for (const tx of block.txs)
    for (const [index, output] of tx.outputs.entries())
      if (ring.ownOutput(output)) received.set(`${tx.txid()}:${index}`, { hash: tx.hash(), index });
});

/** The coins of the miner that are in a block, mature and not spent by a waiting transaction. */
calls.coins = async () => {
  const { height } = node.chain.tip;
  const coins = [];
  for (const { hash, index } of received.values()) {
    const coin = await node.chain.getCoin(hash, index);
    if (coin === null || node.mempool.isSpent(hash, index)) continue;
    if (coin.coinbase && height + 1 - coin.height < 100) continue;
    const script = coin.script.toRaw().toString('hex');
    coins.push({ txid: coin.txid(), vout: index, units: String(coin.value), script });
  }
  return coins;
};

/** Signs an unsigned transaction of the miner's coins. */
calls.sign = ([hex, coins]) => {
  const mtx = MTX.fromTX(TX.fromRaw(Buffer.from(hex, 'hex')));
  for (const { txid, vout, units, script } of coins) {
    const hash = Buffer.from(txid, 'hex').reverse();
    const value = Number(units);
    mtx.view.addCoin(
      Coin.fromOptions({ hash, index: vout, value, script: Script.fromRaw(script, 'hex'), height: 1 }),
    );
  }
  if (mtx.sign(ring) !== mtx.inputs.length) throw fault(-1, 'not every coin is ours');
  return mtx.toRaw().toString('hex');
};

/** sendrawtransaction that says what is wrong. */
calls.send = async ([hex]) => {
  const tx = TX.fromRaw(Buffer.from(hex, 'hex'));
  try {
    await add(tx);
  } catch (error) {
    throw error.type === 'VerifyError' ? fault(-26, error.reason) : error;
  }
  return tx.txid();
};

/** A block on the tip with exactly these transactions, paying its reward to `address`. */
calls.generateblock = async ([address, transactions]) => {
  const { mempool } = node.miner;
  node.miner.mempool = null;
  let job;
  try {
    job = await node.miner.cpu.createJob(node.chain.tip, Address.fromString(address, node.network));
  } finally {
    node.miner.mempool = mempool;
  }
  job.attempt.fees = 0;
  for (const hex of transactions) {
    const tx = TX.fromRaw(Buffer.from(hex, 'hex'));
    if (!job.attempt.addTX(tx, await node.mempool.getCoinView(tx)))
      throw fault(-1, 'a transaction was not taken');
  }
  job.attempt.sort();
  job.attempt.refresh();
  const entry = await node.chain.add(await node.miner.cpu.mineAsync(job));
  if (!entry) throw fault(-1, 'the block was not taken');
  await takeBackDisplaced();
  return { hash: entry.rhash() };
};

calls.ownaddress = () => own.toString(node.network);

// Peers are not started, and invalidateblock would ask them.
node.pool.forceSync = () => undefined;
process.on('SIGTERM', () => process.exit(0));
(async () => {
  await node.ensure();
  await node.open();
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
