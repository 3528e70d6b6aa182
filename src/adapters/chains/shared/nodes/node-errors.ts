/** Why one node could not serve a question. The pool turns these into another node's answer, or into ChainUnavailable. */

/** The node cannot be reached, or answers nonsense: leave it alone for a while. Messages carry no URL and no secret. */
export class NodeError extends Error {
  override readonly name = 'NodeFault';
}

/** The node works, but does not have (yet) what another node may have. */
export class NodeLagging extends Error {
  override readonly name = 'NodeBehind';
}

/** What it told of it does not have at the moment: another node may, or this one in some seconds. */
export class NodeLags extends NodeLagging {}

/** The node took too long for one question; it may answer others. */
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

/** The node allows no more for now: another one may, or this one later. */
export class NodeLimited extends NodeLagging {}
