import type { Readiness, ReadinessGap } from "../attachments/views.ts";

/** Collects what is missing for ADD from everything that can be missing; asked at each probe. */
export class DaemonReadiness implements Readiness {
  readonly #sources: (() => ReadinessGap | readonly ReadinessGap[] | undefined)[] = [];

  /** `source` says what is missing now, `undefined` if nothing is. */
  add(source: () => ReadinessGap | readonly ReadinessGap[] | undefined): void {
    this.#sources.push(source);
  }

  missing(): readonly ReadinessGap[] {
    return this.#sources.flatMap((source) => source() ?? []);
  }
}
