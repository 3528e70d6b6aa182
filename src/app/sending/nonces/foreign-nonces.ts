/**
 * Which nonces of the hot wallet nodes tell to be used though nothing was signed here for them. Where an older backup was put back, one node
 * may know what waits for a block and another not: what it pays must not be paid under the next nonce (safety.md K4).
 */
import { hotWalletOf, type SendingChain, type SendingNeeds } from '../sending-chain.ts';

export interface SequencesElsewhere {
  /** Asks all nodes, where the chain counts; what was told once counts. Rejects with ChainUnavailable where none answers. */
  ask(): Promise<void>;
  /** `first to last` of those that were told, unless each of them was found in a block, which was seen to by itself; null where none was. */
  unexplained(): Promise<string | null>;
  forget(): void;
}

export function foreignNonces(
  deps: Pick<SendingNeeds, 'unitOfWork'>,
  on: Pick<SendingChain, 'chain' | 'sender' | 'deriver'>,
): SequencesElsewhere {
  const { chain, sender } = on;
  let told: { readonly from: bigint; readonly below: bigint } | null = null;
  return {
    async ask() {
      if (!sender.reportedNonces) return;
      const address = hotWalletOf(on);
      // Before what is stored: we sign first, and then hand out.
      const { highest } = await sender.reportedNonces(address);
      const mined = await sender.nextNonce(address);
      const unsigned = await deps.unitOfWork.run(({ outgoing }) =>
        outgoing.unsignedFrom({ chain, address, from: mined }),
      );
      if (highest > unsigned && highest > (told?.below ?? 0n))
        told = { from: told?.from ?? unsigned, below: highest };
    },
    async unexplained() {
      if (told === null) return null;
      const { from, below } = told;
      const wallet = hotWalletOf(on);
      const found = await deps.unitOfWork.run(({ unknown }) =>
        unknown.countNonces({ chain, wallet, from, below }),
      );
      return found === below - from ? null : `${from} to ${below - 1n}`;
    },
    forget: () => {
      told = null;
    },
  };
}
