// The peer of the benchmark: a service as a skilled developer writes it by hand for the same job,
// in plain JavaScript, without a framework.
//
// This front Worker finds the object of the session and passes it the request unchanged: passing
// the body on as a stream is faster than parsing it here and sending a copy by RPC.

export { SessionDatabase } from "./session.js";

const SESSION_PATH = /^\/api\/codemode\/sessions\/([A-Za-z0-9._:-]{1,128})$/;

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/health") {
      return Response.json({ success: true, version: "peer" });
    }
    const session = SESSION_PATH.exec(pathname)?.[1];
    if (session === undefined || request.method !== "POST") {
      return Response.json({ success: false, error: { code: "NOT_FOUND", message: "no such route" } }, { status: 404 });
    }
    return env.SESSIONS.get(env.SESSIONS.idFromName(session)).fetch(request);
  },
};
