// Opens the store when the server starts, so that an error appears then, and not at the first request.
export async function register(): Promise<void> {
  if (process.env["NEXT_RUNTIME"] !== "nodejs") return;
  const { analytics } = await import("./lib/daybook");
  await analytics();
}
