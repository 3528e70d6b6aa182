import type { MemoryStore } from '../store/memory-store.ts';

export function assetsInUse(_store: MemoryStore): readonly string[] {
  throw new Error('not written yet');
}
