// The MCP App ui://graph/viewer: the graph of a conversation inside the chat of a host. It speaks to nobody but its host.

import "../../shared/theme.css";
import "../../shared/visible-texts";
import "../graph.css";
import "./app.css";
import { render } from "preact";
import { Viewer } from "./viewer";

/** The product's version; the build puts it there. */
declare const APP_VERSION: string;

const place = document.getElementById("app");
if (place !== null) render(<Viewer version={APP_VERSION} />, place);
