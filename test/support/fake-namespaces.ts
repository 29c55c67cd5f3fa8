import type { Link, Namespaces } from "../../src/attachments/ports.ts";
import type { NamespaceIdentity } from "../../src/attachments/sandbox.ts";

/** Network namespaces by their paths; each made one has a cookie of its own and the same inode number. */
export class FakeNamespaces implements Namespaces {
  readonly #present = new Map<string, { identity: NamespaceIdentity; links: readonly Link[] }>();
  /** How many questions there were. */
  asked = 0;
  #made = 0;
  #failure: Error | undefined;

  /** A new namespace at `path`, in place of one that is there. */
  make(path: string, linkNames: readonly string[] = ["lo"]): void {
    this.#made += 1;
    const identity = { bootId: "boot-1", cookie: String(this.#made), device: "4", inode: "4026532000" };
    const links = linkNames.map((name, index) => ({ name, index, mac: "", mtu: 1500, up: true }));
    this.#present.set(path, { identity, links });
  }

  remove(path: string): void {
    this.#present.delete(path);
  }

  /** Every question rejects until `work` is called: the native arm is away. */
  break(failure: Error = new Error("the native arm has died")): void {
    this.#failure = failure;
  }

  work(): void {
    this.#failure = undefined;
  }

  /** Keys of those that are held. */
  readonly pinned = new Set<string>();

  async pin(path: string, key: string, cookie: string): Promise<string | undefined> {
    const present = this.#present.get(path);
    if (present?.identity.cookie !== cookie) return undefined;
    this.pinned.add(key);
    this.#present.set(`/proc/1/fd/${key}`, present);
    return `/proc/1/fd/${key}`;
  }

  async unpin(key: string): Promise<void> {
    this.pinned.delete(key);
    this.#present.delete(`/proc/1/fd/${key}`);
  }

  async identify(path: string): Promise<NamespaceIdentity | undefined> {
    this.asked += 1;
    if (this.#failure !== undefined) throw this.#failure;
    return this.#present.get(path)?.identity;
  }

  async listLinks(path: string): Promise<readonly Link[]> {
    this.asked += 1;
    if (this.#failure !== undefined) throw this.#failure;
    return this.#present.get(path)?.links ?? [];
  }
}
