import type { ReceiverCircuits } from '../../../../src/ports/webhooks/receiver-circuits.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function receiverCircuits(_store: MemoryStore): ReceiverCircuits {
  return notYet('receiverCircuits');
}
