/**
 * Blocks that others replace. In most histories they are fewer than the confirmations. In some,
 * final blocks of EVM chains are replaced, too: there one nonce pays once however deep that is, and
 * everything ends by itself (safety.md, U7 and "Paid once"). Elsewhere an expiry that was final may
 * be undone, or an operator has to cancel what spends a UTXO that never returns. No payment of a
 * customer that was final is lost for ever: a sweep of it would wait for an operator.
 */
import { type Act, chainOf, confirmationsOf, familyOf, type Stage } from './stage.ts';

const DEEPEST = 8;
const DEEPEST_BELOW_FINAL = 24;

export const reorganise: Act = {
  name: 'reorganise',
  weight: 5,
  isFault: true,
  async run(stage) {
    const { random } = stage;
    const { name, chain } = chainOf(stage);
    const confirmations = confirmationsOf(name);
    const depth = 1 + random.int(Math.min(DEEPEST, Math.max(1, confirmations - 1)));
    // A chain whose first block is final replaces none that was read as final.
    if (confirmations === 1) return;
    if (mayBeDeep(stage, name)) return reorganiseDeeply(stage, name);
    const { keep, requeue } = await fates(stage, name, depth);
    chain.control.reorg(depth, { keep, requeue });
    stage.tell(
      'miner',
      `replaces ${depth} blocks of ${name}: ${keep.length} kept, ${requeue.length} wait again`,
    );
  },
};

function mayBeDeep({ isDeep }: Stage, name: string): boolean {
  return isDeep && familyOf(name) === 'evm';
}

/** Not into the blocks that have the operator's money. */
async function reorganiseDeeply(stage: Stage, name: string): Promise<void> {
  const { random } = stage;
  const { control, scanner } = stage.chains.get(name)!;
  const { height } = (await scanner.head()).tip;
  const depth = Math.min(
    confirmationsOf(name) + random.int(DEEPEST_BELOW_FINAL),
    height - stage.beganAt(name),
  );
  if (depth < 1) return;
  for (const txid of await minedIn(stage, name, depth))
    if (isCustomers(stage, txid)) stage.returning.add(txid);
  const { keep, requeue } = await fates(stage, name, depth);
  control.reorg(depth, { keep, requeue });
  stage.tell(
    'miner',
    `replaces ${depth} blocks of ${name}, final ones, too: ${keep.length} kept, ${requeue.length} wait again`,
  );
}

const isCustomers = ({ txids }: Stage, txid: string): boolean => txids.some((one) => one.txid === txid);

/** Transactions in the newest `depth` blocks: of customers, then those that were signed here. */
async function minedIn(stage: Stage, name: string, depth: number): Promise<readonly string[]> {
  const { scanner } = stage.chains.get(name)!;
  const { height } = (await scanner.head()).tip;
  const all = [
    ...stage.txids.filter((one) => one.chain === name).map(({ txid }) => txid),
    ...(await stage.idsOf('signed')),
    ...stage.backups.lost.txids,
  ];
  const mined: string[] = [];
  for (const txid of all) {
    const place = await scanner.lookup(txid);
    if (place.state === 'mined' && place.height > height - depth) mined.push(txid);
  }
  return mined;
}

/** Those that the new blocks have, and those that wait again. The others are lost. */
async function fates(
  stage: Stage,
  name: string,
  depth: number,
): Promise<{ readonly keep: readonly string[]; readonly requeue: readonly string[] }> {
  const keep: string[] = [];
  const requeue: string[] = [];
  for (const txid of await minedIn(stage, name, depth)) {
    const fate = stage.random.int(3);
    if (fate === 0) keep.push(txid);
    else if (fate === 1 || stage.returning.has(txid)) requeue.push(txid);
  }
  return { keep, requeue };
}
