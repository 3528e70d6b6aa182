/** The operator's kill switch in memory. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import type { OutgoingRepository } from '../../../../src/ports/sending/outgoing-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';

type SwitchMethods = 'signingStopped' | 'findSigningStop' | 'setSigningStopped';

export function signingSwitchIn({ tables }: MemoryStore): Pick<OutgoingRepository, SwitchMethods> {
  const position = () => {
    const row = tables.signingSwitch.find(true);
    return theOnly(row ? [row] : [], 'the switch of signing');
  };
  const find = async () => {
    const { stoppedAt, note } = position();
    return stoppedAt === null ? null : { at: stoppedAt, note };
  };
  return {
    signingStopped: find,
    findSigningStop: find,
    async setSigningStopped(stop) {
      const before = await find();
      tables.signingSwitch.update(position(), { stoppedAt: stop?.at ?? null, note: stop?.note ?? '' });
      return before;
    },
  };
}
