/** Name of a file in the making (docs/wire.md "Durable files"), never the same twice in one process. */
export function nextTemporaryName(name: string): string {
  made += 1;
  // Cut down so that the longest file name still has a temporary one; `made` keeps them apart.
  return `.${name.slice(0, 200)}.${process.pid}.${made}.tmp`;
}

let made = 0;

/** Groups: the process ID of the writer. */
export const temporaryNamePattern = /^\..+\.(\d{1,10})\.\d{1,16}\.tmp$/;
