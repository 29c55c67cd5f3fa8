/** Exit codes of multusctl (contract §8). */
export const ExitCode = { fine: 0, foundSomething: 1, usage: 2, noDaemon: 3 } as const;
