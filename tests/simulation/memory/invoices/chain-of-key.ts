/** `split_part(asset, '_', 2)`: the chain in the key of an asset. */
export function chainOfKey(asset: string): string {
  return asset.split('_', 2)[1] ?? '';
}
