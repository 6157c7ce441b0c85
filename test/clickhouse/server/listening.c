/* Runs ClickHouse's `local` program, which is in the library that LIBCHDB names, with the arguments of this one. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

typedef void *(*run_program)(int, char **);
typedef const char *(*error_of)(void *);

int main(int argc, char **argv) {
#ifdef __linux__
  /* Ends with whoever started it, however that ends. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  void *library = dlopen(getenv("LIBCHDB"), RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  run_program run = (run_program)dlsym(library, "chdb_query_cmdline");
  error_of error = (error_of)dlsym(library, "chdb_result_error");
  const char *message = error(run(argc, argv));
  if (message != NULL) fprintf(stderr, "%s\n", message);
  return message == NULL ? 0 : 1;
}
