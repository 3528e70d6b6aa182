/** A fault of the configuration. */
export interface ConfigError {
  /** A variable's name (`PORT`) or a place in the file (`chains.ethereum.rpc.0`). */
  readonly path: string;
  readonly message: string;
}
