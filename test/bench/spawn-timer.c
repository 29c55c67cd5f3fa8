/*
 * spawn-timer COUNT STDIN PROGRAM ARGUMENT...: runs PROGRAM that often, one after another, with the file STDIN as its stdin, and prints
 * the nanoseconds of each run, from vfork to wait. CNI_CONTAINERID gets the number of the run behind it.
 * A process of Node costs more to start a child than what is measured here.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
  if (count < 4) return 2;
  int runs = atoi(arguments[1]), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const char *prefix = getenv("CNI_CONTAINERID");
  char identity[300], base[200];
  snprintf(base, sizeof base, "%s", prefix ? prefix : "");
  for (int i = 0; i < runs; i++) {
    snprintf(identity, sizeof identity, "%s%d", base, i);
    setenv("CNI_CONTAINERID", identity, 1);
    int input = open(arguments[2], O_RDONLY | O_CLOEXEC), status;
    long long started = now();
    pid_t child = vfork();
    if (child == 0) {
      dup2(input, 0);
      dup2(null, 1);
      execve(arguments[3], arguments + 3, environ);
      _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      fprintf(stderr, "run %d of %s ended with status %d\n", i, arguments[3], status);
      return 1;
    }
    printf("%lld\n", now() - started);
    close(input);
  }
  return 0;
}
