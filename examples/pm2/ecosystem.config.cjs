// pm2 start ecosystem.config.cjs
module.exports = {
  apps: [
    {
      name: "daybook",
      script: "node_modules/daybook/dist/cli.js",
      args: "serve --data ./data --port 8787",
      // One process writes a store: no cluster mode, in which a reload would start the new process before the old one has ended.
      exec_mode: "fork",
      instances: 1,
      // PM2 sends SIGINT, and kills what has not ended by then, after 1.6 s by default. Daybook stops within 15 s.
      kill_timeout: 16000,
    },
  ],
};
