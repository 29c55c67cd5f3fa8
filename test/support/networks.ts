import { definitionManifest } from "./manifests.ts";

export interface NetworkWishes {
  readonly policy?: string;
  /** Types of the list's plugins; default: one of the network's own name. */
  readonly plugins?: readonly string[];
  /** Keys of the first plugin. */
  readonly keys?: object;
  readonly cniVersion?: string;
}

/** A definition in namespace `default` whose list is called `<name>-net`. */
export function network(name: string, wishes: NetworkWishes = {}): object {
  const plugins = (wishes.plugins ?? [name]).map((type, index) => ({
    type,
    ...(index === 0 ? wishes.keys : undefined),
  }));
  return definitionManifest({
    name,
    config: { cniVersion: wishes.cniVersion ?? "1.0.0", name: `${name}-net`, plugins },
    ...(wishes.policy === undefined ? {} : { annotations: { "multusd.io/del-error-policy": wishes.policy } }),
  });
}

/** Manifests of the networks alpha and beta, which most tests use beside the primary. */
export function alphaAndBeta(policy?: string): Readonly<Record<string, object>> {
  const wishes = policy === undefined ? {} : { policy };
  return { "alpha.json": network("alpha", wishes), "beta.json": network("beta", wishes) };
}
