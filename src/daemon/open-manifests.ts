import type { Log } from "../attachments/instruments.ts";
import type { NamespaceSource, NetworkDefinitionSource, PodSource } from "../attachments/ports.ts";
import type { ReadinessGap } from "../attachments/views.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import { createManifestSource } from "../manifests/create-manifest-source.ts";
import { StartError } from "./start-error.ts";

export type PodsAndNetworks = PodSource &
  NetworkDefinitionSource &
  NamespaceSource & {
    /** Why pods and definitions cannot be told, if they cannot. */
    gap(): ReadinessGap | undefined;
    stop(): Promise<void>;
  };

/**
 * Where pods and network definitions come from: `manifestDir`, or nowhere.
 * @throws {StartError} in a cluster: without its API pods would silently get fewer networks than they ask for
 */
export async function openManifests(config: DaemonConfig, log: Log): Promise<PodsAndNetworks> {
  if (config.manifestDir !== undefined) return await createManifestSource(config.manifestDir, log);
  const isInCluster = process.env["KUBERNETES_SERVICE_HOST"] !== undefined;
  if (config.kubernetes !== "off" && (config.kubernetes !== "auto" || isInCluster)) {
    throw new StartError(
      'this version has no client for the Kubernetes API; set "kubernetes": "off" and give pods and definitions in "manifestDir"',
    );
  }
  return nothingKnown;
}

/** A node without cluster and manifests: every sandbox gets the configured networks. */
const nothingKnown: PodsAndNetworks = {
  findPod: async () => undefined,
  findDefinition: async () => undefined,
  findNamespaceAnnotations: async () => ({}),
  gap: () => undefined,
  stop: async () => {},
};
