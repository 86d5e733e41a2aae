import database from "codemode-database/worker";

// The classes of Durable Objects, and the entrypoint CodeMode, by which your code and other Workers call the product without a token.
export * from "codemode-database/worker";

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    // A route of your own. Everybody can call it: check the caller before you return rows of a session.
    if (pathname === "/hello") {
      const { results } = await ctx.exports.CodeMode.query("hello", "SELECT 6 * 7 AS product");
      return Response.json(results);
    }
    // Every other route is the product's: the console at /, MCP at /mcp, the HTTP API. It asks for a token where API_TOKENS is set.
    return database.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<Env>;
