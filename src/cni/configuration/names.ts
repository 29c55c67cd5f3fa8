import { CniCode } from "../errors/cni-code.ts";
import type { CniError } from "../errors/cni-error.ts";
import { InvalidNetworkConfigError } from "../errors/configuration-errors.ts";
import { InvalidEnvironmentError } from "../errors/environment-error.ts";
import { excerpt } from "../errors/excerpt.ts";

const nameForm = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;

/** Unicode White_Space and the two signs that the kernel refuses; `\s` would have U+FEFF and lack U+0085. */
const forbiddenInInterface = /[/:\t-\r\u0085\p{Zs}\u2028\u2029]/u;

/** An interface name and its NUL have 16 bytes in the kernel. */
const maxInterfaceBytes = 15;

/** What is wrong with a container ID, if anything. @see libcni `utils.ValidateContainerID` */
export function validateContainerId(value: string): CniError | undefined {
  if (value === "")
    return new InvalidEnvironmentError("missing containerID", { code: CniCode.UnknownContainer });
  if (nameForm.test(value)) return undefined;
  return new InvalidEnvironmentError("invalid characters in containerID", { details: excerpt(value) });
}

/** What is wrong with a network name, if anything. @see libcni `utils.ValidateNetworkName` */
export function validateNetworkName(value: string): CniError | undefined {
  if (value === "") return new InvalidNetworkConfigError("missing network name:");
  if (nameForm.test(value)) return undefined;
  return new InvalidNetworkConfigError("invalid characters found in network name", {
    details: excerpt(value),
  });
}

/** What is wrong with an interface name, if anything. @see libcni `utils.ValidateInterfaceName` */
export function validateInterfaceName(value: string): CniError | undefined {
  if (value === "") return new InvalidEnvironmentError("interface name is empty");
  if (Buffer.byteLength(value) > maxInterfaceBytes) {
    return new InvalidEnvironmentError("interface name is too long", {
      details: "interface name should be less than 16 characters",
    });
  }
  if (value === "." || value === "..") return new InvalidEnvironmentError("interface name is . or ..");
  if (!forbiddenInInterface.test(value)) return undefined;
  return new InvalidEnvironmentError("interface name contains / or : or whitespace characters");
}
