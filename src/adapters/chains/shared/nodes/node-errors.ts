/** Why one node could not answer. The pool then uses another node, or throws ChainUnavailable. */

/**
 * The node cannot be reached, or its answers are malformed: it is not used for a while. Messages
 * contain no URL and no secret.
 */
export class NodeError extends Error {
  override readonly name = 'NodeFault';
}

/** The node works, but does not have (yet) what another node may have. */
export class NodeLagging extends Error {
  override readonly name = 'NodeBehind';
}

/**
 * The node lacks at the moment what it announced: another node may have it, or this one in some
 * seconds.
 */
export class NodeLags extends NodeLagging {}

/** The node took too long for one call; it may answer others. */
export class NodeSlow extends NodeLagging {}

/** The node understood and refused: a JSON-RPC error, or an HTTP refusal of this one request. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The node limited a call that may be spared (urgency.ts): it may answer others. */
export class NodeSpares extends NodeLagging {}

/** The node's limit leaves no room for now: another may answer, or this one later. */
export class NodeLimited extends NodeLagging {}
