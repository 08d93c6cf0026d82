/** The same value for all invocations of a process, made by the first of them; one that fails is made anew. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
