"""The Python package `mcp`, 1.x or 2.x, as a process that takes requests for any number of connections and gives responses and events, a line of
JSON each. `mcp-clients.mjs` starts it; it ends with its input."""

import asyncio
import itertools
import json
import sys
from contextlib import AsyncExitStack
from importlib.metadata import version

IS_OLD = version("mcp").startswith("1.")
# The longest line, which holds a whole result.
LINE_BYTES = 16 * 1024 * 1024

# The responses of users that calls wait for.
RESPONSES = {}
QUESTIONS = itertools.count(1)


def say(event, **fields):
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class Connection:
    """One connection, behind the methods that both versions have alike."""

    def __init__(self, number):
        self.number = number
        self.stack = AsyncExitStack()
        self.calls = {}
        self.client = None
        self.session_id = None
        self.orders = asyncio.Queue()
        self.life = asyncio.create_task(self.live())

    async def live(self):
        """Whoever enters a context of anyio must be the task that leaves it: this one."""
        while request := await self.orders.get():
            if request["do"] == "close":
                await attempt(self.stack.aclose(), request)
                return
            await attempt(self.serve(**request), request)

    def take(self, request):
        do = request["do"]
        if do == "cancel":
            self.calls[request["of"]].cancel()
        elif do in ("connect", "subscribe", "close"):
            self.orders.put_nowait(request)
        else:
            self.calls[request["id"]] = asyncio.create_task(attempt(self.serve(**request), request))

    async def elicit(self, _context, params):
        import mcp.types as types

        number = next(QUESTIONS)
        RESPONSES[number] = asyncio.get_running_loop().create_future()
        say("elicit", on=self.number, id=number, params=plain(params))
        return types.ElicitResult(**await RESPONSES[number])

    async def log(self, params):
        say("log", on=self.number, data=params.data)

    async def message(self, message):
        message = getattr(message, "root", message)
        if getattr(message, "method", None) == "notifications/resources/updated":
            say("updated", on=self.number, uri=str(message.params.uri))

    async def connect(self, url, headers, mode, elicits, logs, **_rest):
        callbacks = {"logging_callback": self.log, "message_handler": self.message}
        if elicits:
            callbacks["elicitation_callback"] = self.elicit
        if IS_OLD:
            return await self.connect_old(url, headers, callbacks)
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        async def note(response):
            self.session_id = response.headers.get("mcp-session-id") or self.session_id

        http = create_mcp_http_client(headers=headers)
        http.event_hooks["response"].append(note)
        await self.stack.enter_async_context(http)
        transport = streamable_http_client(url, http_client=http)
        if logs and mode != "legacy":
            callbacks["log_level"] = "info"
        self.client = await self.stack.enter_async_context(Client(transport, mode=mode, **callbacks))
        return {"protocol": self.client.protocol_version}

    async def connect_old(self, url, headers, callbacks):
        from mcp import ClientSession
        from mcp.client.streamable_http import streamablehttp_client

        streams = await self.stack.enter_async_context(streamablehttp_client(url, headers=headers))
        session = ClientSession(streams[0], streams[1], **callbacks)
        self.client = await self.stack.enter_async_context(session)
        result = await self.client.initialize()
        self.session_id = streams[2]()
        return {"protocol": result.protocolVersion}

    async def call(self, id, tool, arguments, progress, **_rest):
        async def tell(done, total, message):
            say("progress", of=id, progress=done, total=total, message=message)

        told = {"progress_callback": tell} if progress else {}
        return plain(await self.client.call_tool(tool, arguments, **told))

    def uri(self, text):
        if not IS_OLD:
            return text
        from pydantic import AnyUrl

        return AnyUrl(text)

    async def subscribe(self, uri, **_rest):
        if IS_OLD or self.client.protocol_version < "2026":
            await self.client.subscribe_resource(self.uri(uri))
            return
        subscription = await self.stack.enter_async_context(self.client.listen(resource_subscriptions=[uri]))
        self.listener = asyncio.create_task(self.listen(subscription))

    async def listen(self, subscription):
        async for event in subscription:
            say("updated", on=self.number, uri=str(event.uri))

    async def complete(self, ref, argument, value, known, **_rest):
        import mcp.types as types

        kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
        reference = kinds[ref["type"]](**ref)
        result = await self.client.complete(reference, {"name": argument, "value": value}, context_arguments=known)
        return result.completion.values

    async def serve(self, do, **fields):
        """One request; those that are methods take its fields."""
        client = self.client
        if do == "tools":
            return plain(await client.list_tools())["tools"]
        if do == "resources":
            return plain(await client.list_resources())["resources"]
        if do == "templates":
            return plain(await client.list_resource_templates())["resourceTemplates"]
        if do == "read":
            return plain(await client.read_resource(self.uri(fields["uri"])))["contents"][0]["text"]
        if do == "prompts":
            return plain(await client.list_prompts())["prompts"]
        if do == "prompt":
            result = await client.get_prompt(fields["prompt"], fields["arguments"])
            return plain(result)["messages"][0]["content"]["text"]
        if do == "session_id":
            return self.session_id
        if do == "set_level":
            return plain(await client.set_logging_level(fields["level"]))
        return await getattr(self, do)(**fields)


async def attempt(work, request):
    try:
        say("result", of=request["id"], result=await work)
    except asyncio.CancelledError:
        say("error", of=request["id"], error="cancelled")
    except BaseException as error:
        say("error", of=request["id"], error=f"{type(error).__name__}: {error}{causes(error)}")


async def main():
    connections = {}
    reader = asyncio.StreamReader(limit=LINE_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        request = json.loads(line)
        if request["do"] == "elicited":
            RESPONSES[request["of"]].set_result(request["result"])
            continue
        number = request.pop("on")
        if number not in connections:
            connections[number] = Connection(number)
        connections[number].take(request)


def causes(error):
    """What a group of exceptions holds."""
    return "".join(f"; {type(one).__name__}: {one}{causes(one)}" for one in getattr(error, "exceptions", ()))


asyncio.run(main())
