/** Figures about this process, under their usual Prometheus names. */
export function processGauges(): Record<string, number> {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    process_resident_memory_bytes: rss,
    process_heap_bytes: heapUsed,
    process_cpu_seconds: (user + system) / 1e6,
    process_uptime_seconds: process.uptime(),
  };
}
