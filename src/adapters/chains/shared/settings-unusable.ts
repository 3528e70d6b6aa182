/**
 * What CONFIG_FILE says of a chain cannot be true: keys, addresses or the network do not belong
 * together. The message repeats no key.
 */
export class SettingsUnusable extends Error {
  override readonly name = 'SettingsUnusable';
  readonly chain: string;
  constructor(chain: string, message: string) {
    super(message);
    this.chain = chain;
  }
}
