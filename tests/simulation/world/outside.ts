/**
 * What a process asks outside its storage: nodes, signer, receivers of webhooks, the risk check.
 * Each call is a point before and after it, where the seed may let it fail, or lose its answer.
 */
import type { FakeChain } from '../../../src/adapters/chains/fake/fake-chain.ts';
import type { SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import type { RiskScreener, RiskVerdict } from '../../../src/ports/deposits/risk-screener.ts';
import type { ChainSender } from '../../../src/ports/sending/chain-sender.ts';
import { type Signer, SignerUnavailable } from '../../../src/ports/sending/signer.ts';
import type { WebhookTransport } from '../../../src/ports/webhooks/webhook-transport.ts';
import type { Faults } from './faults.ts';
import type { Interleaving, SimulatedProcess } from './interleaving.ts';
import type { NodeView, NodeViews } from './node-views.ts';

interface Parts {
  readonly order: Interleaving;
  readonly faults: Faults;
  readonly views: NodeViews;
}

/** Methods of the ports that ask no node. */
const SYNCHRONOUS = new Set(['isDust', 'choose', 'consolidate', 'bump', 'spends', 'changeOf', 'doubt']);
/** Methods of a scanner that are given a watch list. */
const READS = new Set(['blocks', 'pending', 'late', 'complete']);
/** Bytes that no node gives back. */
const LOST = { kind: 'refused', reason: 'simulated' } as const;

/** The shared chain as this process asks its nodes. */
export function nodesOf(parts: Parts, process: SimulatedProcess, shared: FakeChain): FakeChain {
  const name = shared.scanner.chain;
  const view = parts.views.of(process, name);
  const chain = { ...shared, ...shared.seenBy(view) };
  const asked = <Port extends object>(port: Port, of: string): Port =>
    askedNode(parts, process, { port, of, view });
  const sender: ChainSender = {
    ...asked(chain.sender, `${name} sender`),
    broadcast: broadcastOf(parts, process, { sender: chain.sender, view }),
  };
  return {
    ...chain,
    scanner: asked(chain.scanner, `${name} scanner`),
    sender:
      chain.sender.utxos === null ? sender : { ...sender, utxos: asked(chain.sender.utxos, `${name} utxos`) },
  };
}

/** Only what answers with a promise asks a node. */
function askedNode<Port extends object>(
  { order, faults }: Parts,
  process: SimulatedProcess,
  { port, of, view }: { port: Port; of: string; view: NodeView },
): Port {
  async function answered(label: string, answer: Promise<unknown>): Promise<unknown> {
    const settled = await answer.then(
      (value) => ({ value }),
      (thrown: unknown) => ({ thrown }),
    );
    await order.point(process, `${label}, answered`);
    if ('thrown' in settled) throw settled.thrown;
    if (faults.happens('node answer lost', label)) throw new ChainUnavailable('simulated: answer lost');
    return settled.value;
  }
  const methods = Object.entries(port).map(([key, value]: [string, unknown]) => {
    if (typeof value !== 'function' || key === 'close') return [key, value];
    const label = `${of}.${key}`;
    return [
      key,
      (...args: readonly unknown[]): unknown => {
        if (SYNCHRONOUS.has(key)) return value(...args) as unknown;
        return (async () => {
          await order.point(process, label);
          if (faults.happens('node away', label)) throw new ChainUnavailable('simulated: away');
          if (faults.happens('node rate limit', label)) throw new ChainUnavailable('simulated: 429');
          view.asked();
          const ask = async (): Promise<unknown> => view.shown(key, args, await value(...args));
          // A scanner that reads blocks asks the storage meanwhile what is watched.
          return answered(label, READS.has(key) ? ask() : order.real(ask));
        })();
      },
    ];
  });
  return { ...port, ...Object.fromEntries(methods) };
}

function broadcastOf(
  { order, faults }: Parts,
  process: SimulatedProcess,
  { sender, view }: { sender: ChainSender; view: NodeView },
): ChainSender['broadcast'] {
  const label = `${sender.chain} sender.broadcast`;
  return async (raw) => {
    await order.point(process, label);
    view.asked();
    if (faults.happens('broadcast dropped', label)) throw new ChainUnavailable('simulated: dropped');
    if (faults.happens('broadcast falsely accepted', label)) return { kind: 'accepted' };
    if (faults.happens('broadcast refused', label)) return LOST;
    const outcome = await order.real(() => sender.broadcast(raw));
    await order.point(process, `${label}, answered`);
    if (faults.happens('broadcast answer lost', label)) throw new ChainUnavailable('simulated: answer lost');
    return outcome;
  };
}

/** For Overrides.sending: the chain's signer, asked by this process. */
export function signedBy({ order, faults }: Parts, process: SimulatedProcess) {
  return (chain: SendingChain): SendingChain => {
    const label = `${chain.chain} signer.sign`;
    const sign: Signer['sign'] = async (wanted) => {
      await order.point(process, label);
      if (faults.happens('signer away', label)) throw new SignerUnavailable('simulated: away');
      const signed = await order.real(() => chain.signer.sign(wanted));
      await order.point(process, `${label}, answered`);
      if (faults.happens('signer answer lost', label)) throw new SignerUnavailable('simulated: answer lost');
      return signed;
    };
    return { ...chain, signer: { ...chain.signer, sign } };
  };
}

/** A webhook that its receiver took. */
export interface Heard {
  readonly url: string;
  readonly body: string;
}

export function receiversOf(
  { order, faults }: Parts,
  process: SimulatedProcess,
  heard: (webhook: Heard) => void,
): WebhookTransport {
  return {
    async post({ url, body }) {
      await order.point(process, `webhook to ${url}`);
      if (faults.happens('receiver away', url)) return { kind: 'failed', reason: 'simulated' };
      if (faults.happens('receiver answers 500', url)) return { kind: 'answered', status: 500, body: '' };
      heard({ url, body: new TextDecoder().decode(body) });
      await order.point(process, `webhook to ${url}, answered`);
      if (faults.happens('receiver answer lost', url)) return { kind: 'failed', reason: 'simulated' };
      return { kind: 'answered', status: 200, body: '' };
    },
  };
}

/** `verdict`: what the risk check says of everything now. */
export function screenerOf(
  { order }: Parts,
  process: SimulatedProcess,
  verdict: (depositId: string) => RiskVerdict,
): RiskScreener {
  return {
    // Of two workers one credits what becomes final, and the other leaves it to its own job.
    isLocal: Number(/\d+$/.exec(process.name)?.[0]) % 2 === 0,
    async screen({ depositId }) {
      await order.point(process, 'risk check');
      return verdict(depositId);
    },
  };
}
