"""Converts lists of tools as the Python client of Gemini does, and prints what it makes of each tool's arguments.

Reads {"path": [tool, …]} from standard input and prints {"path": {"tool": schema}}; a tool that cannot be converted ends the program with its error."""

import json
import sys

from google.genai import _mcp_utils
from mcp.types import Tool

lists = json.load(sys.stdin)
converted = {}
for path, tools in lists.items():
    declarations = [
        declaration
        for tool in _mcp_utils.mcp_to_gemini_tools([Tool(**tool) for tool in tools])
        for declaration in tool.function_declarations
    ]
    converted[path] = {declaration.name: declaration.parameters.model_dump(mode="json", exclude_none=True) for declaration in declarations}
json.dump(converted, sys.stdout)
