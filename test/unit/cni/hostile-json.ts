import fc from "fast-check";

const scalar = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 60,
  "",
  "x",
  "true",
  "1.1.0",
  "0.2.0",
  "4",
  "10.0.0.1/8",
  "fd00::1",
  "cniCacheV1",
  "eyJ9",
  "\ud800",
);

/** JSON that mistakes the type or the place of what these keys should hold; cheap to make. */
export function hostileJson(keys: readonly string[]): fc.Arbitrary<unknown> {
  const key = fc.constantFrom(...keys, "__proto__");
  const flat = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(key, scalar, { maxKeys: 4 }),
  );
  const nested = fc.oneof(flat, fc.array(flat, { maxLength: 3 }), fc.dictionary(key, flat, { maxKeys: 4 }));
  return fc.oneof(nested, fc.dictionary(key, nested, { maxKeys: 5 }));
}
