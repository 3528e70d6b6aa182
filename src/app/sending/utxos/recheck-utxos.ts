/**
 * Rechecks UTXOs that somebody else may have spent: those of a batch that an unknown transaction
 * superseded, and those that the chain did not have when they were to be spent. A UTXO that the
 * chain has is free again; reconciliation reports the others.
 */
import { outpointText } from '../../../domain/chains/outpoint.ts';
import type { UtxoSpending } from '../../../ports/sending/utxo-spending.ts';
import type { SendingChain, SendingNeeds } from '../sending-chain.ts';

const AT_ONCE = 1_000;
/**
 * A UTXO that is not there is asked for again after this long: a reorganisation may bring it back.
 */
const AGAIN_MS = 600_000;

/** Returns how many are free again. */
export function utxoRechecker(
  { clock, unitOfWork }: SendingNeeds,
  { chain }: Pick<SendingChain, 'chain'>,
  utxos: UtxoSpending,
): () => Promise<number> {
  /** When each is asked for again, by outpoint: a restart asks for all. */
  let asked = new Map<string, number>();

  return async () => {
    const { doubted, cursor } = await unitOfWork.run(async (repositories) => ({
      doubted: await repositories.utxos.doubted(chain, AT_ONCE),
      cursor: await repositories.chains.cursor(chain),
    }));
    const now = clock.now().getTime();
    asked = new Map([...asked].filter(([, until]) => until > now));
    const due = doubted.filter((utxo) => !asked.has(outpointText(utxo)));
    if (due.length === 0) return 0;
    const there = await utxos.unspent(due, cursor?.height);
    const found = due.filter((_, index) => there[index]);
    for (const utxo of due) asked.set(outpointText(utxo), now + AGAIN_MS);
    if (found.length > 0)
      await unitOfWork.run((repositories) => repositories.utxos.doubt(chain, found, false));
    return found.length;
  };
}
