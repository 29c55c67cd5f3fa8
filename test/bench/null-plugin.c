/* A CNI plugin that does nothing as fast as it can: what is left of a call's time is the caller's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  static char input[1 << 16], output[1024];
  size_t length = 0;
  ssize_t got;
  while (length < sizeof input - 1 && (got = read(0, input + length, sizeof input - 1 - length)) > 0) length += (size_t)got;
  const char *command = getenv("CNI_COMMAND"), *interface = getenv("CNI_IFNAME"), *sandbox = getenv("CNI_NETNS");
  if (!command || strcmp(command, "ADD") != 0) return 0;
  int size = snprintf(output, sizeof output,
                      "{\"cniVersion\":\"1.0.0\",\"interfaces\":[{\"name\":\"%s\",\"mac\":\"02:00:00:00:00:01\",\"sandbox\":\"%s\"}],"
                      "\"ips\":[{\"address\":\"10.1.2.3/16\",\"interface\":0}],\"dns\":{}}\n",
                      interface ? interface : "", sandbox ? sandbox : "");
  return write(1, output, (size_t)size) == size ? 0 : 1;
}
