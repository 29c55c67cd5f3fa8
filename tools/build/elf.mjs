import { open } from "node:fs/promises";

const programInterpreter = 3;

/** True if the ELF file asks for a dynamic loader: then it is not static. Reads 64-bit little endian files. */
export async function hasInterpreter(file) {
  const handle = await open(file);
  try {
    const head = Buffer.alloc(64);
    await handle.read(head, 0, head.length, 0);
    if (head.readUInt32BE(0) !== 0x7f454c46) throw new Error(`${file} is no ELF file`);
    const [entrySize, entries] = [head.readUInt16LE(54), head.readUInt16LE(56)];
    const table = Buffer.alloc(entrySize * entries);
    await handle.read(table, 0, table.length, Number(head.readBigUInt64LE(32)));
    for (let i = 0; i < entries; i++)
      if (table.readUInt32LE(i * entrySize) === programInterpreter) return true;
    return false;
  } finally {
    await handle.close();
  }
}
