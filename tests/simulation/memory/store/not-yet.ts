/** A port that is still to be written: every call throws. */
export function notYet<Port extends object>(name: string): Port {
  return new Proxy({} as Port, {
    get: (_, key) => () => {
      throw new Error(`${name}.${String(key)} is not written yet`);
    },
  });
}
