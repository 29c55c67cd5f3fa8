import { fileURLToPath } from "node:url";

function artifact(name: string): string {
  return fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));
}

/** What `make build` leaves, as an operator would run it. */
export const dist = {
  daemon: artifact("multusd"),
  control: artifact("multusctl"),
  shim: artifact("multus-shim"),
  host: artifact("multus-host"),
};
