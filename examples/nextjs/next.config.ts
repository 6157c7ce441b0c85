export default {
  // Left to node: bundled, it would be there once for each bundle, without the files of its threads.
  serverExternalPackages: ["daybook"],
};
