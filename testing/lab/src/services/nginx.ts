import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, makeFolder, removeFolder, startDaemon } from './daemon.ts'

type NginxOptions = {
  /** Buffers responses even when the server behind it disables buffering. */
  ignoresAdvice?: boolean
  /** Accepts bodies above the default limit of 1 MB. */
  takesLargeBodies?: boolean
}

/** Debian's nginx in front of an api process, with default settings: it buffers responses before it forwards them. */
export async function startNginx(
  backendPort: number,
  { ignoresAdvice = false, takesLargeBodies = false }: NginxOptions = {},
) {
  const folder = makeFolder('probity-nginx')
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  writeFileSync(config, settings({ folder, port, backendPort, ignoresAdvice, takesLargeBodies }))
  const logFile = join(folder, 'nginx.log')
  const daemon = await startDaemon(['nginx', '-e', logFile, '-p', folder, '-c', config], port, { logFile })
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      await daemon.stop()
      removeFolder(folder)
    },
  }
}

type Place = { folder: string; port: number; backendPort: number } & Required<NginxOptions>

/** One process, so that it ends with the started one; it writes no file outside the folder. */
function settings({ folder, port, backendPort, ignoresAdvice, takesLargeBodies }: Place): string {
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  ${takesLargeBodies ? 'client_max_body_size 64m;' : ''}
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${backendPort};
      proxy_buffering on;
      ${ignoresAdvice ? 'proxy_ignore_headers X-Accel-Buffering;' : ''}
    }
  }
}
`
}
