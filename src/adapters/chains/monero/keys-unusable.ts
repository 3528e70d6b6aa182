/** Primary address and view key, or the network, do not belong together. The message repeats neither. In a file of its own: whoever tells a start's fault need not load the curve. */
export class MoneroKeysUnusable extends Error {
  override readonly name = 'MoneroKeysUnusable';
}
