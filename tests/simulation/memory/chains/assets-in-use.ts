/** The assets that records in memory use: of the lists, and of deposits that are not final. */
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

export function assetsInUse({ tables }: MemoryStore): readonly string[] {
  const assets = new Set<string>();
  for (const { asset } of tables.invoices.all()) if (asset !== null) assets.add(asset);
  // Refunds are in no list.
  for (const { asset, seq } of tables.payouts.all()) if (seq !== null) assets.add(asset);
  for (const { asset, status, blockHeight } of tables.deposits.all()) {
    const isGone = status === 'dropped' || status === 'reversed';
    const waits = status === 'held' || status === 'stray' || status === 'confirming';
    if (waits || (!isGone && blockHeight === null)) assets.add(asset);
  }
  return [...assets].sort(byText);
}
