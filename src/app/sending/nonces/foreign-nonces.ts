/**
 * Nonces of the hot wallet that nodes report as used though nothing was signed here for them. After
 * an older backup was put back, one node may know a waiting transaction and another not: what it
 * pays must not be paid again under the next nonce (safety.md K4).
 */
import { hotWalletOf, type SendingChain, type SendingNeeds } from '../sending-chain.ts';

export interface ForeignNonces {
  /**
   * Asks all nodes, where the chain counts nonces. What was reported once is kept. Rejects with
   * ChainUnavailable where no node answers.
   */
  ask(): Promise<void>;
  /**
   * The reported nonces as `first to last`. Null where there are none, and where each was found in
   * a block: payouts that those paid are held already (record-unknown-transactions.ts).
   */
  unexplained(): Promise<string | null>;
  forget(): void;
}

export function foreignNonces(
  deps: Pick<SendingNeeds, 'unitOfWork'>,
  on: Pick<SendingChain, 'chain' | 'sender' | 'deriver'>,
): ForeignNonces {
  const { chain, sender } = on;
  let reported: { readonly from: bigint; readonly below: bigint } | null = null;
  return {
    async ask() {
      if (!sender.reportedNonces) return;
      const address = hotWalletOf(on);
      // Asked before our records are read: we sign first, and then broadcast.
      const { highest } = await sender.reportedNonces(address);
      const mined = await sender.nextNonce(address);
      const unsigned = await deps.unitOfWork.run(({ outgoing }) =>
        outgoing.unsignedFrom({ chain, address, from: mined }),
      );
      if (highest > unsigned && highest > (reported?.below ?? 0n))
        reported = { from: reported?.from ?? unsigned, below: highest };
    },
    async unexplained() {
      if (reported === null) return null;
      const { from, below } = reported;
      const wallet = hotWalletOf(on);
      const found = await deps.unitOfWork.run(({ unknown }) =>
        unknown.countNonces({ chain, wallet, from, below }),
      );
      return found === below - from ? null : `${from} to ${below - 1n}`;
    },
    forget: () => {
      reported = null;
    },
  };
}
