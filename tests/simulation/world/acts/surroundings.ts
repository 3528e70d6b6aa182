/** What miners, nodes, the risk check and time do. */
import { reorganise } from './reorganise.ts';
import { type Act, chainOf, confirmationsOf, pick } from './stage.ts';

const FEW_BLOCKS = 3;
const ONE_BURST_IN = 3;
const BLOCK_SECONDS = 12;

const mine: Act = {
  name: 'mine',
  weight: 18,
  run(stage) {
    const { random } = stage;
    const { name, chain } = chainOf(stage);
    // Without many blocks at once hardly anything would be final before everything comes to rest.
    const most = random.int(ONE_BURST_IN) === 0 ? confirmationsOf(name) + FEW_BLOCKS : FEW_BLOCKS;
    const count = 1 + random.int(most);
    chain.control.mine(count);
    stage.tell('miner', `mines ${count} of ${name}`);
    stage.pass(Math.min(count, FEW_BLOCKS) * BLOCK_SECONDS * 1_000);
  },
};

const evict: Act = {
  name: 'evict or spend twice',
  weight: 3,
  isFault: true,
  run(stage) {
    const { random } = stage;
    const { name, chain } = chainOf(stage);
    const txid = pick(stage, chain.control.waiting());
    if (txid === undefined || stage.returning.has(txid)) return;
    const isCustomers = stage.txids.some((one) => one.txid === txid);
    if (isCustomers && random.int(2) === 0) {
      chain.control.doubleSpend(txid, { to: stage.stranger(name) });
      stage.spentTwice.add(txid);
      stage.tell('customer', `spends ${txid} again`);
    } else {
      chain.control.drop(txid);
      stage.tell('node', `forgets ${txid}`);
    }
  },
};

/** A payment that nodes forgot, or that a reorganisation left out. */
const sendAgain: Act = {
  name: 'send a lost payment again',
  weight: 4,
  isFault: true,
  async run(stage) {
    const { name, chain } = chainOf(stage);
    const lost: string[] = [];
    for (const { chain: of, txid } of stage.txids)
      if (
        of === name &&
        !stage.spentTwice.has(txid) &&
        (await chain.scanner.lookup(txid)).state === 'unknown'
      )
        lost.push(txid);
    const txid = pick(stage, lost);
    if (txid === undefined) return;
    chain.control.sendAgain(txid);
    stage.tell('customer', `sends ${txid} again`);
  },
};

const wait: Act = {
  name: 'wait',
  weight: 6,
  run(stage) {
    const seconds = 1 + stage.random.int(120);
    stage.tell('time', `passes: ${seconds} s`);
    stage.pass(seconds * 1_000);
  },
};

const spoilNode: Act = {
  name: 'spoil a node',
  weight: 5,
  isFault: true,
  run(stage) {
    const { random } = stage;
    const { name, chain } = chainOf(stage);
    const lag = random.int(2) === 0 ? 0 : 1 + random.int(3);
    const disagrees = random.int(3) === 0;
    const fees = random.pick([100, 100, 250, 60, 500]);
    stage.views.spoilAll(name, { lag, disagrees });
    chain.control.setFeeLevel(fees);
    stage.tell('node', `of ${name} lags by ${lag}, ${disagrees ? 'disagrees' : 'agrees'}, fees ${fees} %`);
  },
};

const spoilOwnNode: Act = {
  name: 'spoil the nodes of a process',
  weight: 8,
  isFault: true,
  needs: 'nodes of one process',
  async run(stage) {
    const { random } = stage;
    const { name, chain } = chainOf(stage);
    const { process } = pick(stage, [...stage.workers(), stage.api()])!;
    const known = [...chain.control.waiting(), ...stage.txids.map(({ txid }) => txid)];
    const faults = {
      lag: random.int(3) === 0 ? 0 : 1 + random.int(8),
      flaps: random.int(2) === 0,
      disagrees: random.int(4) === 0,
      hidden: new Set(known.filter(() => random.int(3) === 0)),
      limited: random.int(3) === 0 ? 1 + random.int(12) : 0,
    };
    stage.views.spoil(process, name, faults);
    const { lag, flaps, disagrees, hidden, limited } = faults;
    const lags = `lag by ${lag}${flaps ? ' at times' : ''}, ${disagrees ? 'disagree' : 'agree'}`;
    const what = `${lags}, hide ${hidden.size} transactions and refuse ${limited} calls`;
    stage.tell('node', `of ${name}, as ${process.name} asks them, ${what}`);
  },
};

const mendNodes: Act = {
  name: 'mend the nodes',
  weight: 3,
  needs: 'nodes of one process',
  run(stage) {
    stage.views.mend();
    stage.tell('node', 'of every process answers rightly again');
  },
};

const judge: Act = {
  name: 'change the risk verdict',
  weight: 4,
  isFault: true,
  run(stage) {
    const kind = stage.random.pick(['pass', 'pass', 'hit', 'unavailable']);
    stage.setVerdict(kind === 'pass' ? { kind } : { kind, reason: 'simulated' });
    stage.tell('risk check', `says ${kind}`);
  },
};

const kill: Act = {
  name: 'kill a process',
  weight: 3,
  isFault: true,
  run(stage) {
    stage.kill(pick(stage, [...stage.workers(), stage.api()])!);
  },
};

export const SURROUNDINGS: readonly Act[] = [
  ...[mine, reorganise, evict, sendAgain, wait, spoilNode, spoilOwnNode, mendNodes, judge, kill],
];
