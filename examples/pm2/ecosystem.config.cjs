// pm2 start ecosystem.config.cjs
module.exports = {
  apps: [
    {
      name: "daybook",
      script: "node_modules/daybook/dist/cli.js",
      args: "serve --data ./data --port 8787",
      // Only one process can write a store. In cluster mode, a reload would start the new process before the old one has ended.
      exec_mode: "fork",
      instances: 1,
      // PM2 sends SIGINT, then kills the process after this time, by default 1.6 s. Daybook stops within 15 s.
      kill_timeout: 16000,
    },
  ],
};
