/**
 * Everything that sends: a transfer sender for each chain with a sender and a signer, as jobs of
 * the worker.
 */
import type { AppDependencies } from '../app/dependencies.ts';
import { addressPoolJob } from '../app/invoices/addresses/fill-address-pools.ts';
import { type StartGate, startGate } from '../app/sending/restart/start-gate.ts';
import { type TransferSender, transferSender } from '../app/sending/send-transfers.ts';
import type { SendingChain } from '../app/sending/sending-chain.ts';
import { warnIfUnavailable } from '../app/shared/tolerate-outage.ts';
import type { WorkerJob } from '../app/shared/worker-job.ts';
import type { Config } from '../config/types.ts';
import type { AssetCatalog } from '../domain/catalog/asset.ts';
import { chainNamed } from '../domain/catalog/chain.ts';
import { FAMILY_ROWS } from '../domain/catalog/family.ts';
import type { ChainSender } from '../ports/sending/chain-sender.ts';
import type { Signer } from '../ports/sending/signer.ts';
import { forwardRules, payoutLimits } from './limits.ts';

export interface ComposedSending {
  readonly chains: ReadonlyMap<string, SendingChain>;
  readonly senders: ReadonlyMap<string, TransferSender>;
  /** The start gate of each chain. */
  readonly gates: ReadonlyMap<string, StartGate>;
  readonly jobs: readonly WorkerJob[];
}

const STUCK_MS = 90_000;
const LEAST_POLL_MS = 1_000;

/** `signer` null (the API role): this process sends nothing. */
export function composeSending(
  config: Config,
  parts: {
    deps: AppDependencies;
    senders: ReadonlyMap<string, ChainSender>;
    signer: Signer | null;
    /** Lets a test wrap a chain's sender. */
    wrap: (chain: SendingChain) => SendingChain;
  },
): ComposedSending {
  const { deps, signer } = parts;
  const chains = new Map<string, SendingChain>();
  for (const [name, sender] of signer === null ? [] : parts.senders) {
    const { family } = chainNamed(name);
    const deriver = deps.liveDerivers.get(family);
    if (signer === null || deriver === undefined) continue;
    const stuckAfterMs = config.chains[name]?.stuckMs ?? STUCK_MS;
    chains.set(name, parts.wrap({ chain: name, family, sender, signer, deriver, stuckAfterMs }));
  }
  const limits = payoutLimits(config, deps.catalog);
  const forwarded = chainsOf(forwardRules(config, deps.catalog).keys(), deps.catalog);
  const gates = new Map<string, StartGate>();
  const senders = new Map<string, TransferSender>();
  for (const [name, chain] of chains) {
    const gate = startGate(deps, chain, { forwards: forwarded.has(name) });
    gates.set(name, gate);
    senders.set(name, transferSender(deps, chain, limits, gate));
  }
  return {
    chains,
    senders,
    gates,
    jobs: [
      ...[...senders.values()].map((sender) => sendingJob(config, deps, sender)),
      ...[...chains.values()]
        // With fake chains nothing is derived from keys.
        .filter(({ family }) => FAMILY_ROWS[family].pooledAddresses && !config.fakeChains)
        .map((chain) => addressPoolJob(deps, chain)),
    ],
  };
}

function chainsOf(assets: Iterable<string>, catalog: AssetCatalog): ReadonlySet<string> {
  return new Set([...assets].map((key) => catalog.require(key).chain));
}

function sendingJob(config: Config, deps: AppDependencies, sender: TransferSender): WorkerJob {
  const { chain } = sender;
  const pollMs = config.chains[chain]?.pollMs ?? chainNamed(chain).pollMs;
  return {
    name: `send:${chain}`,
    everyMs: config.fakeChains ? 0 : Math.max(LEAST_POLL_MS, pollMs),
    run: (stopping) =>
      warnIfUnavailable(deps.logger, { chain, event: 'chain.unsendable' }, () => sender.step(stopping)),
  };
}
