export default {
  // Do not bundle it: each bundle would get its own copy, without the files of the worker threads.
  serverExternalPackages: ["daybook"],
};
