/**
 * The runtime's TransactionError, from the debug text that litesvm gives to the JSON that nodes
 * give.
 */

/**
 * `InstructionError(0, Custom(1))` is `{"InstructionError":[0,{"Custom":1}]}`, `AccountNotFound` is
 * itself.
 */
export function transactionError(text: string): unknown {
  const trimmed = text.trim();
  const instruction = /^InstructionError\((\d+), (.+)\)$/s.exec(trimmed);
  if (instruction !== null)
    return { InstructionError: [Number(instruction[1]), instructionError(instruction[2]!)] };
  const account = /^(\w+) \{ account_index: (\d+) \}$/.exec(trimmed);
  if (account !== null) return { [account[1]!]: { account_index: Number(account[2]) } };
  return trimmed.replace(/[({].*$/s, '').trim();
}

function instructionError(text: string): unknown {
  const custom = /^Custom\((\d+)\)$/.exec(text);
  return custom === null ? text.replace(/\(.*$/s, '') : { Custom: Number(custom[1]) };
}
